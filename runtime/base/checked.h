// Checked arithmetic on sizes: every size that derives from a file or a caller goes through here.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rondo {

// Sticky overflow: any step that leaves the range of uint64_t makes the result invalid for good.
class CheckedSize {
 public:
  constexpr CheckedSize(uint64_t value) : value_(value) {}  // NOLINT(google-explicit-constructor)

  friend constexpr CheckedSize operator+(CheckedSize a, CheckedSize b) {
    CheckedSize r = 0;
    r.valid_ = !__builtin_add_overflow(a.value_, b.value_, &r.value_) && a.valid_ && b.valid_;
    return r;
  }
  friend constexpr CheckedSize operator*(CheckedSize a, CheckedSize b) {
    CheckedSize r = 0;
    r.valid_ = !__builtin_mul_overflow(a.value_, b.value_, &r.value_) && a.valid_ && b.valid_;
    return r;
  }
  // Rounded up to a multiple of `alignment` (a power of two).
  constexpr CheckedSize AlignUp(uint64_t alignment) const {
    CheckedSize r = *this + (alignment - 1);
    r.value_ &= ~(alignment - 1);
    return r;
  }

  // True where nothing overflowed and the value fits size_t.
  constexpr bool valid() const { return valid_ && value_ <= SIZE_MAX; }
  // Only meaningful when valid().
  constexpr size_t value() const { return static_cast<size_t>(value_); }

 private:
  uint64_t value_;
  bool valid_ = true;
};

// For values already known to be small.
constexpr size_t CeilDiv(size_t a, size_t b) { return (a + b - 1) / b; }
constexpr size_t RoundUp(size_t a, size_t b) { return CeilDiv(a, b) * b; }

}  // namespace rondo
