// What the caller chooses about sampling. Plain data; checked by ValidateSamplerOptions.
#pragma once

#include <cstdint>
#include <span>

#include "runtime/base/status.h"
#include "runtime/model/sampling_ranges.h"

namespace rondo {

namespace format {
struct Sampling;
}

struct LogitBias {
  int32_t token;
  float bias;  // added to the logit; -inf forbids the token
};

struct SamplerOptions {
  float temperature = 0.0f;         // 0: greedy (the lowest id among equals)
  int32_t top_k = 0;                // 0: off
  float top_p = 1.0f;               // (0, 1]; 1: off
  float min_p = 0.0f;               // [0, 1); share of the best token's probability; 0: off
  float repetition_penalty = 1.0f;  // > 0; divides positive and multiplies negative logits
  float presence_penalty = 0.0f;    // subtracted once from each token seen
  float frequency_penalty = 0.0f;   // subtracted per occurrence
  int32_t penalty_last_n = 64;      // how many of the last tokens count for penalties
  // No so many tokens in a row that the last kMaxPenaltyWindow tokens hold already; 0: off.
  uint32_t no_repeat_ngram_size = 0;
  uint64_t seed = 0;
  std::span<const LogitBias> logit_bias = {};  // copied at creation
};

// The numbers that the model's makers recommend.
SamplerOptions Recommended(const format::Sampling& sampling);

// The range of a number that is out of it, which is `value` then; null: there is none.
const SamplingRange* FindWrongNumber(const SamplerOptions& options, double* value);

// The lists, too.
Status ValidateSamplerOptions(const SamplerOptions& options, uint32_t vocab_size);

}  // namespace rondo
