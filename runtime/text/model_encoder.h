// ModelEncoder: pre-tokens in, ids out; what BPE and Unigram have in common.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace rondo {

// Bounds every buffer that a text goes through, and so the longest pre-token: see
// Tokenizer::Encode.
inline constexpr size_t kMaxPreTokenBytes = size_t{64} << 10;

class ModelEncoder {
 public:
  // Gives out the ids of what is certain of a pre-token, and returns how many of its bytes that
  // was; the others come again. `text`: whole characters of UTF-8 (any bytes for byte-level BPE),
  // at most kMaxPreTokenBytes. `more`: the pre-token may go on behind them; else all is certain.
  virtual size_t Encode(std::span<const uint8_t> text, bool more) = 0;

 protected:
  ~ModelEncoder() = default;
};

}  // namespace rondo
