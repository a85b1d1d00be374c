// What a model's tests cost at least: bytes that must be read, operations that must be done.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "tools/bench/model_parts.h"

namespace rondo::tools {

struct ModelCosts {
  // Matrices of experts, of which a pass reads those that some row goes through.
  struct Experts {
    double bytes = 0;
    uint32_t used = 1, experts = 1;  // of one row
  };
  double weight_bytes = 0;  // of all other matrices, the head's among them, as they are packed
  std::vector<Experts> experts;
  double layer_products = 0;  // of one row and int8 weights; experts: of those it goes through
  double head_products = 0;
  std::vector<CachePart> caches;
  double state_bytes = 0;  // of one sequence: read before a pass, and written behind it
  double row_bytes = 0;    // of one row: layer embeddings
  double patch_products = 0, picture_row_products = 0;  // of what sees, and int8 weights
};

// `kernels`: the name of the kernel set, whose layout decides how large packed weights are. Throws
// Error where there is none of this name.
ModelCosts CostsOf(const ModelParts& parts, std::string_view kernels);

// Of a pass of so many rows, each of which chooses its experts by chance.
double WeightBytes(const ModelCosts& costs, uint64_t rows);

// What `tokens` rows of one sequence, the first one after `depth` tokens, see of keys and values
// together.
double CacheBytes(const ModelCosts& costs, uint64_t depth, uint64_t tokens);

// `tokens` passes of one row, the first one after `depth` tokens.
double DecodeBytes(const ModelCosts& costs, uint64_t depth, uint64_t tokens);

// The same for `sessions` sessions side by side, of which each pass has a row.
double SideBySideBytes(const ModelCosts& costs, uint64_t depth, uint64_t tokens, uint64_t sessions);

// One pass of `rows` rows of one sequence after `depth` tokens: keys and values once for all.
double PassBytes(const ModelCosts& costs, uint64_t depth, uint64_t rows);

// Two for each product, the head's for the last token alone. The attention's own are not counted,
// nor those of recurrences.
double PrefillOperations(const ModelCosts& costs, uint64_t tokens);

// The same of a picture's patches, which become so many rows.
double EncodeOperations(const ModelCosts& costs, uint64_t patches, uint64_t rows);

}  // namespace rondo::tools
