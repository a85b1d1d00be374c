// GgufWriter: small GGUF files for tests, right or wrong as the test wants them.
#pragma once

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace rondo::convert {

class GgufWriter {
 public:
  uint32_t version = 3;
  uint64_t alignment = 32;  // of the data; a key must say so where it is another

  // Numbers, booleans and strings.
  template <typename T>
  GgufWriter& Key(const std::string& name, const T& value) {
    keys_ += String(name) + Raw(TypeOf<T>()) + ValueOf(value);
    ++n_keys_;
    return *this;
  }
  template <typename T>
  GgufWriter& Array(const std::string& name, const std::vector<T>& values) {
    keys_ += String(name) + Raw(uint32_t{9}) + Raw(TypeOf<T>()) + Raw(uint64_t{values.size()});
    for (const T& value : values) keys_ += ValueOf(value);
    ++n_keys_;
    return *this;
  }
  // An array of booleans, a byte each.
  GgufWriter& Flags(const std::string& name, const std::string& values) {
    keys_ += String(name) + Raw(uint32_t{9}) + Raw(TypeOf<bool>()) + String(values);
    ++n_keys_;
    return *this;
  }
  // `shape` is row-major; `data` is what the type's blocks are.
  GgufWriter& Tensor(const std::string& name, const std::vector<uint64_t>& shape, uint32_t type,
                     const std::string& data) {
    data_.resize((data_.size() + alignment - 1) / alignment * alignment);
    TensorAt(name, shape, type, data_.size());
    data_ += data;
    return *this;
  }
  GgufWriter& Floats(const std::string& name, const std::vector<uint64_t>& shape,
                     const std::vector<float>& values) {
    return Tensor(name, shape, 0,
                  {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)});
  }
  // An entry alone, which says that its data are at `offset`.
  GgufWriter& TensorAt(const std::string& name, const std::vector<uint64_t>& shape, uint32_t type,
                       uint64_t offset) {
    tensors_ += String(name) + Raw(static_cast<uint32_t>(shape.size()));
    for (size_t i = shape.size(); i > 0; --i) tensors_ += Raw(shape[i - 1]);
    tensors_ += Raw(type) + Raw(offset);
    ++n_tensors_;
    return *this;
  }

  std::string Header() const {
    return "GGUF" + Raw(version) + Raw(n_tensors_) + Raw(n_keys_) + keys_ + tensors_;
  }
  std::string Bytes() const {
    std::string bytes = Header();
    bytes.resize((bytes.size() + alignment - 1) / alignment * alignment);
    return bytes + data_;
  }
  std::filesystem::path Save(const std::filesystem::path& path) const {
    std::ofstream(path, std::ios::binary) << Bytes();
    return path;
  }

  template <typename T>
  static std::string Raw(const T& value) {
    return {reinterpret_cast<const char*>(&value), sizeof(value)};
  }
  static std::string String(std::string_view text) {
    return Raw(uint64_t{text.size()}) + std::string(text);
  }

 private:
  template <typename T>
  static constexpr uint32_t TypeOf() {
    if constexpr (std::is_same_v<T, uint8_t>) return 0;
    if constexpr (std::is_same_v<T, int8_t>) return 1;
    if constexpr (std::is_same_v<T, uint16_t>) return 2;
    if constexpr (std::is_same_v<T, int16_t>) return 3;
    if constexpr (std::is_same_v<T, uint32_t>) return 4;
    if constexpr (std::is_same_v<T, int32_t>) return 5;
    if constexpr (std::is_same_v<T, float>) return 6;
    if constexpr (std::is_same_v<T, bool>) return 7;
    if constexpr (std::is_convertible_v<T, std::string_view>) return 8;
    if constexpr (std::is_same_v<T, uint64_t>) return 10;
    if constexpr (std::is_same_v<T, int64_t>) return 11;
    if constexpr (std::is_same_v<T, double>) return 12;
  }
  template <typename T>
  static std::string ValueOf(const T& value) {
    if constexpr (std::is_convertible_v<T, std::string_view>) {
      return String(value);
    } else {
      return Raw(value);
    }
  }

  std::string keys_, tensors_, data_;
  uint64_t n_keys_ = 0, n_tensors_ = 0;
};

}  // namespace rondo::convert
