// Perplexity of a text, by the convention that most published figures follow.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "rondo/rondo.h"

namespace rondo::tools {

// The text's tokens, a BOS in front, are cut into chunks of `context`; what remains is left out.
// Each chunk is evaluated on its own, a BOS in the place of its first token. The positions from
// context / 2 on are scored: each by how well it predicts the next token of the chunk. This is
// what llama.cpp's perplexity program does.
struct Perplexity {
  uint64_t chunks = 0;
  uint64_t tokens = 0;        // scored
  double mean_nll = 0;        // natural logarithm, per token
  double perplexity = 0;      // exp(mean_nll)
  double standard_error = 0;  // of the perplexity, taking tokens as independent
};

// Called after each chunk with the chunks done, of how many, and the perplexity so far.
using EvalProgress = std::function<void(uint64_t done, uint64_t total, double perplexity)>;

// `session` must be of an engine with at least `context` tokens; it is reset for each chunk.
// Throws Error where the text is shorter than one chunk or the library fails.
Perplexity MeasurePerplexity(rondo_session* session, std::span<const int32_t> tokens, int32_t bos,
                             uint32_t context, const EvalProgress& progress);

}  // namespace rondo::tools
