// What a model's tests cost at least: bytes that must be read, operations that must be done.
#pragma once

#include <cstdint>
#include <string>

#include "rondo/rondo.h"

namespace rondo::tools {

// Values in a model's matrices.
struct WeightCounts {
  double layers = 0;
  double head = 0;  // also where it is the embedding
};

// As the metadata of the file has them. Throws Error.
WeightCounts CountWeights(const std::string& path);

struct ModelCosts {
  WeightCounts weights;
  double weight_bytes = 0;        // of all layers and the head, as packed: what a pass reads
  double kv_bytes_per_token = 0;  // keys and values of one token
};

ModelCosts CostsOf(const WeightCounts& weights, const rondo_engine* engine);

// `tokens` passes of one row, the first one after `depth` tokens: the weights for each, and the
// keys and values of depth + tokens / 2 on average.
double DecodeBytes(const ModelCosts& costs, uint64_t depth, uint64_t tokens);

// The same for `sessions` sessions side by side, the weights once for all.
double SideBySideBytes(const ModelCosts& costs, uint64_t depth, uint64_t tokens, uint64_t sessions);

// One pass of `rows` rows after `depth` tokens.
double PassBytes(const ModelCosts& costs, uint64_t depth, uint64_t rows);

// Two for each weight and token, the head's for the last token alone. The attention's own are not
// counted.
double PrefillOperations(const ModelCosts& costs, uint64_t tokens);

}  // namespace rondo::tools
