// Checked arithmetic on sizes: every size that derives from a file or a caller goes through here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace rondo {

// Sticky overflow: any step that leaves the range of uint64_t makes the result invalid for good.
// `Size`: what the result must fit in, 32 or 64 bits.
template <typename Size>
class Checked {
 public:
  constexpr Checked(uint64_t value) : value_(value) {}  // NOLINT(google-explicit-constructor)

  friend constexpr Checked operator+(Checked a, Checked b) {
    Checked r = 0;
    r.valid_ = !__builtin_add_overflow(a.value_, b.value_, &r.value_) && a.valid_ && b.valid_;
    return r;
  }
  friend constexpr Checked operator*(Checked a, Checked b) {
    Checked r = 0;
    r.valid_ = !__builtin_mul_overflow(a.value_, b.value_, &r.value_) && a.valid_ && b.valid_;
    return r;
  }
  // Rounded up to a multiple of `alignment` (a power of two).
  constexpr Checked AlignUp(uint64_t alignment) const {
    Checked r = *this + (alignment - 1);
    r.value_ &= ~(alignment - 1);
    return r;
  }

  // True where nothing overflowed and the value fits Size.
  constexpr bool valid() const { return valid_ && value_ <= kMost; }
  // Only meaningful when valid().
  constexpr Size value() const { return static_cast<Size>(value_); }
  // The value, or where it is not valid the largest there is, which no memory holds and every
  // MemoryPlan refuses.
  constexpr Size ValueOrMost() const { return valid() ? value() : kMost; }

 private:
  static constexpr Size kMost = std::numeric_limits<Size>::max();

  uint64_t value_;
  bool valid_ = true;
};

using CheckedSize = Checked<size_t>;

// a / b, rounded up.
template <typename T>
constexpr T CeilDiv(T a, std::type_identity_t<T> b) {
  return a / b + (a % b != 0);
}
// For values already known to be small.
template <typename T>
constexpr T RoundUp(T a, std::type_identity_t<T> b) {
  return CeilDiv(a, b) * b;
}

}  // namespace rondo
