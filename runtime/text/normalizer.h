// Normalizer: turns a stretch of raw text into normalised UTF-8, as much at a time as fits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "runtime/base/heap_array.h"
#include "runtime/text/tokenizer_tables.h"

namespace rondo {

// Bytes that are not UTF-8 become U+FFFD first (see DecodeUtf8). Then, as the file asks: NFC,
// a prefix, an ASCII character replaced by a text.
class Normalizer {
 public:
  // A starter with all that combines with it: longer sequences are an error, not cut.
  static constexpr size_t kMaxSequence = 1024;  // code points, decomposed
  // Free space that one step may need.
  static constexpr size_t kStepBytes = 4 * kMaxSequence + 2 * kMaxPrefixBytes;

  // `sequence` is scratch of kMaxSequence. All must outlive this.
  Normalizer(const format::Tokenizer& settings, std::span<int32_t> sequence,
             std::span<const uint8_t> text);

  // All of the text has been written.
  bool done() const { return position_ == text_.size(); }

  // Writes whole characters to `out` until less than kStepBytes are free or the text ends.
  // Error: kInvalidArgument (a sequence of more than kMaxSequence, with its place).
  Status Fill(std::span<uint8_t> out, size_t* written);

 private:
  size_t Put(uint32_t code_point, uint8_t* out) const;
  Status PutSequence(uint8_t* out, size_t* written);

  const format::Tokenizer& settings_;
  std::span<int32_t> sequence_;
  std::span<const uint8_t> text_;
  size_t position_ = 0;
  bool begun_ = false;  // the prefix is written
};

}  // namespace rondo
