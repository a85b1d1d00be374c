// The model's own opinion of a token, before any sampling option.
#pragma once

#include <cstdint>
#include <span>

namespace rondo {

// The natural logarithm of softmax(logits)[token]; `token` must be an index into `logits`.
// NaN logits count as -inf, +inf as the largest finite float; -inf where the token's own logit
// is one of the former. The same bits on every platform. Cost: one pass of exponentials.
float LogProbability(std::span<const float> logits, int32_t token);

}  // namespace rondo
