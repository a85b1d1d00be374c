#include "tools/bench/costs.h"

#include <cstring>

#include "platforms/file_map.h"
#include "runtime/model/linears.h"
#include "runtime/model/model_file.h"
#include "tools/common/library.h"

namespace rondo::tools {

WeightCounts CountWeights(const std::string& path) {
  FileMap map;
  if (const int error = FileMap::OpenPath(path.c_str(), &map)) {
    throw Error("cannot open " + path + ": " + std::strerror(error));
  }
  const Result<ModelFile> file = ModelFile::Open(map.bytes());
  if (!file.ok()) throw Error(file.status().message());
  const format::Model& model = file->model();
  const auto values = [&model](const format::Linear& linear) {
    const format::Tensor* tensor = model.tensors()->Get(linear.weight());
    return static_cast<double>(tensor->rows()) * static_cast<double>(tensor->cols());
  };
  WeightCounts counts;
  for (const format::Layer* layer : *model.layers()) {
    ForEachLinear(*layer, [&](const format::Linear& linear) { counts.layers += values(linear); });
  }
  if (model.layer_embeddings() != nullptr) {
    counts.layers += values(*model.layer_embeddings()->projection());
  }
  counts.head = values(*model.head());
  return counts;
}

ModelCosts CostsOf(const WeightCounts& weights, const rondo_engine* engine) {
  const rondo_memory_plan plan = Memory(engine);
  // One of the two is 0: a packed file is read where it lies.
  return {weights, static_cast<double>(plan.weights_bytes + plan.mapped_bytes),
          static_cast<double>(plan.kv_bytes_per_token)};
}

double DecodeBytes(const ModelCosts& costs, uint64_t depth, uint64_t tokens) {
  const auto n = static_cast<double>(tokens);
  return n * (costs.weight_bytes + costs.kv_bytes_per_token * (static_cast<double>(depth) + n / 2));
}

double SideBySideBytes(const ModelCosts& costs, uint64_t depth, uint64_t tokens,
                       uint64_t sessions) {
  const double weights = costs.weight_bytes * static_cast<double>(tokens);
  return weights + static_cast<double>(sessions) * (DecodeBytes(costs, depth, tokens) - weights);
}

double PassBytes(const ModelCosts& costs, uint64_t depth, uint64_t rows) {
  return costs.weight_bytes +
         costs.kv_bytes_per_token * (static_cast<double>(depth) + static_cast<double>(rows) / 2);
}

double PrefillOperations(const ModelCosts& costs, uint64_t tokens) {
  return 2 * (costs.weights.layers * static_cast<double>(tokens) + costs.weights.head);
}

}  // namespace rondo::tools
