// Perplexity of a text, by the convention that most published figures follow.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "rondo/rondo.h"

namespace rondo::tools {

// The convention is that of llama.cpp's perplexity tool, so that figures compare: the text is
// tokenised whole, as the model wants a text to begin (with BOS); its tokens are cut into chunks of
// `context`, what remains is left out; each chunk is evaluated on its own, its first token replaced
// by BOS. Scored are the predictions made at the positions context / 2 to context - 2, that is, of
// the tokens after these; each then has at least half a context before it.
struct Perplexity {
  uint64_t chunks = 0;
  uint64_t tokens = 0;        // scored
  double mean_nll = 0;        // natural logarithm, per token
  double perplexity = 0;      // exp(mean_nll)
  double standard_error = 0;  // of the perplexity, taking tokens as independent
};

// Called after each chunk with the chunks done, of how many, and the perplexity so far.
using EvalProgress = std::function<void(uint64_t done, uint64_t total, double perplexity)>;

// `tokens` as above; `context` is at least 4. `session` must be of an engine with at least
// `context` tokens; it is reset for each chunk. Throws Error where the text is shorter than one
// chunk or the library fails.
Perplexity MeasurePerplexity(rondo_session* session, std::span<const int32_t> tokens, int32_t bos,
                             uint32_t context, const EvalProgress& progress);

}  // namespace rondo::tools
