// A machine's state as bytes that mean the same whenever the same grammar reads them: what was
// there before any text by its number, what was made since by what it is made of. How many bytes a
// state takes depends on nothing else.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "runtime/grammar/room.h"

namespace rondo::grammar {

class StateWriter {
 public:
  explicit StateWriter(std::span<uint8_t> out) : out_(out) {}

  void Byte(uint8_t byte) {
    if (n_ < out_.size()) out_[n_] = byte;
    ++n_;
  }
  void Number(uint64_t number) {
    for (; number >= 0x80; number >>= 7) Byte(static_cast<uint8_t>(number | 0x80));
    Byte(static_cast<uint8_t>(number));
  }
  // Of 14 bits, in two bytes whatever it is.
  void Short(uint32_t number) {
    Byte(static_cast<uint8_t>(number | 0x80));
    Byte(static_cast<uint8_t>(number >> 7));
  }
  // No more fits.
  bool full() const { return n_ > out_.size(); }
  size_t size() const { return n_; }

 private:
  std::span<uint8_t> out_;
  size_t n_ = 0;
};

// Where the bytes end too early, or hold what nothing may, everything that is read is 0.
class StateReader {
 public:
  explicit StateReader(std::span<const uint8_t> in) : in_(in) {}

  uint8_t Byte() {
    if (at_ == in_.size()) Fail();
    return ok_ ? in_[at_++] : uint8_t{0};
  }
  // Below `end`.
  uint64_t Number(uint64_t end) {
    uint64_t number = 0;
    for (unsigned shift = 0;; shift += 7) {
      const uint8_t byte = Byte();
      if (shift < 63) number |= uint64_t{byte & 0x7fu} << shift;
      if (shift >= 63) Fail();
      if (byte < 0x80 || !ok_) break;
    }
    if (number >= end) Fail();
    return ok_ ? number : 0;
  }
  void Fail() { ok_ = false; }
  bool ok() const { return ok_; }
  bool at_end() const { return at_ == in_.size(); }

 private:
  std::span<const uint8_t> in_;
  size_t at_ = 0;
  bool ok_ = true;
};

// Some numbers, each once, and where they stand among these.
class NumberSet {
 public:
  static constexpr uint32_t kMost = 512;

  // False where there are too many.
  bool Add(uint32_t number) {
    uint16_t* const slot = Find(number);
    if (*slot != 0) return true;
    if (n_ == kMost) return false;
    numbers_[n_++] = number;
    *slot = static_cast<uint16_t>(n_);
    return true;
  }
  // Lower ones first.
  void Sort();
  uint32_t size() const { return n_; }
  uint32_t operator[](uint32_t i) const { return numbers_[i]; }
  // Of one that is there.
  uint32_t IndexOf(uint32_t number) { return *Find(number) - 1u; }

 private:
  static constexpr uint32_t kSlots = 1024;
  uint16_t* Find(uint32_t number) {
    uint32_t i = static_cast<uint32_t>(Hash().Add(number).value()) % kSlots;
    while (slots_[i] != 0 && numbers_[slots_[i] - 1] != number) i = (i + 1) % kSlots;
    return &slots_[i];
  }

  std::array<uint32_t, kMost> numbers_;
  std::array<uint16_t, kSlots> slots_ = {};
  uint32_t n_ = 0;
};

}  // namespace rondo::grammar
