// What a model's tests cost at least: bytes that must be read, operations that must be done.
#pragma once

#include <cstdint>

#include "rondo/rondo.h"

namespace rondo::tools {

struct ModelCosts {
  double weight_bytes = 0;        // packed weights of all layers and the head: what a pass reads
  double kv_bytes_per_token = 0;  // keys and values of one token
  double layer_weights = 0;       // values in the matrices of all layers
  double head_weights = 0;        // values in the output head
};

// From what the library tells about the model and its engine.
ModelCosts CostsOf(const rondo_model* model, const rondo_engine* engine);

// `tokens` passes of one row, the first one after `depth` tokens: the weights for each, and the
// keys and values of depth + tokens / 2 on average.
double DecodeBytes(const ModelCosts& costs, uint64_t depth, uint64_t tokens);

// One pass of `rows` rows after `depth` tokens.
double PassBytes(const ModelCosts& costs, uint64_t depth, uint64_t rows);

// Two for each weight and token, the head's for the last token alone. The attention's own are not
// counted.
double PrefillOperations(const ModelCosts& costs, uint64_t tokens);

}  // namespace rondo::tools
