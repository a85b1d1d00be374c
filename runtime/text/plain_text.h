// PlainText: parts of a text that are to stay text, whatever they read like.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "runtime/base/heap_array.h"
#include "runtime/text/token_set.h"

namespace rondo {

// An added token, marked special or not ("<think>"), is found only where no byte of it is plain,
// but white space, which may be anyone's: a token of it alone, unless it is marked special, is a
// word like others. Nor does the model behind make one of the tokens of pieces, as some
// vocabularies let it; only a character by itself may be one. All else is encoded as it would be:
// normalisers, pre-tokens and merges do not see where plain text begins and ends.
struct PlainText {
  std::span<const uint8_t> marks;  // one for each byte of the text, not 0 where it is plain
  TokenSet added;                  // the ids of those added tokens
  // Where some are looked for in normalised text: marks of EncoderBuffers::window and of
  // NormalizerScratch::buffers. Else empty.
  HeapArray<uint8_t> window;
  HeapArray<uint8_t> buffers;
};

}  // namespace rondo
