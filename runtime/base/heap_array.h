// HeapArray: a fixed-size array on the heap whose allocation can fail without exceptions.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <span>

#include "runtime/base/status.h"

namespace rondo {

// Never grows. For what is made before a session runs; move only.
template <typename T>
class HeapArray {
 public:
  HeapArray() = default;

  // Value-initialised.
  static Result<HeapArray> Create(size_t size) {
    return Make(size, [](size_t n) { return new (std::nothrow) T[n](); });
  }
  // Not initialised, and not touched: pages that are never written cost address space only.
  static Result<HeapArray> CreateForOverwrite(size_t size) {
    return Make(size, [](size_t n) { return new (std::nothrow) T[n]; });
  }

  size_t size() const { return size_; }
  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  T& operator[](size_t i) { return data_[i]; }
  const T& operator[](size_t i) const { return data_[i]; }
  T* begin() { return data(); }
  T* end() { return data() + size_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }
  std::span<T> span() { return {data(), size_}; }
  std::span<const T> span() const { return {data(), size_}; }

 private:
  template <typename New>
  static Result<HeapArray> Make(size_t size, New make) {
    HeapArray array;
    if (size > SIZE_MAX / sizeof(T) / 2) {
      return Status::Error(StatusCode::kOutOfMemory, "%zu elements are more than memory holds",
                           size);
    }
    array.data_.reset(make(size));
    if (array.data_ == nullptr) {
      return Status::Error(StatusCode::kOutOfMemory, "the system refused %zu bytes",
                           size * sizeof(T));
    }
    array.size_ = size;
    return array;
  }

  std::unique_ptr<T[]> data_;
  size_t size_ = 0;
};

}  // namespace rondo
