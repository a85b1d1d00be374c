#include "tools/bench/costs.h"

#include <cstring>

#include "tools/common/library.h"

namespace rondo::tools {
namespace {

// The plan names the block of a head that is also the embedding so.
constexpr const char* kTiedHead = "output head and embedding";

bool IsTied(const rondo_engine* engine) {
  rondo_memory_block block = {};
  block.struct_size = sizeof block;
  for (uint32_t i = 0; rondo_engine_memory_block(engine, i, &block) == RONDO_STATUS_OK; ++i) {
    if (std::strcmp(block.name, kTiedHead) == 0) return true;
    block.struct_size = sizeof block;
  }
  return false;
}

}  // namespace

ModelCosts CostsOf(const rondo_model* model, const rondo_engine* engine) {
  const rondo_model_facts facts = Facts(model);
  const rondo_memory_plan plan = Memory(engine);
  const double vocabulary = static_cast<double>(facts.vocab_size) * facts.hidden_size;
  const double norms = (2.0 * facts.n_layers + 1) * facts.hidden_size;
  ModelCosts costs;
  costs.weight_bytes = static_cast<double>(plan.weights_bytes);
  costs.kv_bytes_per_token = static_cast<double>(plan.kv_bytes_per_token);
  costs.head_weights = vocabulary;
  costs.layer_weights =
      static_cast<double>(facts.parameters) - norms - vocabulary * (IsTied(engine) ? 1 : 2);
  return costs;
}

double DecodeBytes(const ModelCosts& costs, uint64_t depth, uint64_t tokens) {
  const auto n = static_cast<double>(tokens);
  return n * (costs.weight_bytes + costs.kv_bytes_per_token * (static_cast<double>(depth) + n / 2));
}

double PassBytes(const ModelCosts& costs, uint64_t depth, uint64_t rows) {
  return costs.weight_bytes +
         costs.kv_bytes_per_token * (static_cast<double>(depth) + static_cast<double>(rows) / 2);
}

double PrefillOperations(const ModelCosts& costs, uint64_t tokens) {
  return 2 * (costs.layer_weights * static_cast<double>(tokens) + costs.head_weights);
}

}  // namespace rondo::tools
