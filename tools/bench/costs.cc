#include "tools/bench/costs.h"

#include <cmath>
#include <string>

#include "runtime/model/tensor_format.h"
#include "tools/common/library.h"

namespace rondo::tools {
namespace {

const PackedLayout& LayoutOf(std::string_view kernels) {
  for (const NamedLayout& named : NamedLayouts()) {
    if (named.kernels == kernels) return named.layout;
  }
  throw Error("the kernels " + std::string(kernels) + " have no layout");
}

double PackedBytesOf(const MatrixPart& matrix, const PackedLayout& layout) {
  const FormatRule& rule = RuleOf(matrix.format);
  const uint64_t inputs = rule.Padded(matrix.cols, matrix.block).value();
  return static_cast<double>(rule.PackedBytes(layout, matrix.rows, inputs, matrix.block).value());
}

double Int8Products(const MatrixPart& matrix) {
  if (RuleOf(matrix.format).is_float()) return 0;
  return static_cast<double>(matrix.rows) * static_cast<double>(matrix.cols);
}

// The positions that those before `end` see, one after another, half of its own counted: an
// integral, so that sums of rows are differences.
double Seen(const CachePart& cache, double end) {
  const auto window = static_cast<double>(cache.window);
  if (window == 0 || end < window) return end * end / 2;
  if (!cache.chunked) return window * window / 2 + (end - window) * window;
  const double chunks = std::floor(end / window), rest = end - chunks * window;
  return chunks * window * window / 2 + rest * rest / 2;
}

}  // namespace

ModelCosts CostsOf(const ModelParts& parts, std::string_view kernels) {
  const PackedLayout& layout = LayoutOf(kernels);
  ModelCosts costs;
  for (const MatrixPart& matrix : parts.layers) {
    const double bytes = PackedBytesOf(matrix, layout);
    costs.layer_products += Int8Products(matrix) * matrix.used / matrix.experts;
    if (matrix.experts == 1) {
      costs.weight_bytes += bytes;
    } else {
      costs.experts.push_back({bytes, matrix.used, matrix.experts});
    }
  }
  costs.weight_bytes += PackedBytesOf(parts.head, layout);
  costs.head_products = Int8Products(parts.head);
  costs.caches = parts.caches;
  costs.state_bytes = parts.state_bytes;
  costs.row_bytes = parts.row_bytes;
  for (const MatrixPart& matrix : parts.of_patches) costs.patch_products += Int8Products(matrix);
  for (const MatrixPart& matrix : parts.of_picture_rows) {
    costs.picture_row_products += Int8Products(matrix);
  }
  return costs;
}

double WeightBytes(const ModelCosts& costs, uint64_t rows) {
  double bytes = costs.weight_bytes;
  for (const ModelCosts::Experts& e : costs.experts) {
    const double unused = std::pow(1 - static_cast<double>(e.used) / e.experts, rows);
    bytes += (1 - unused) * e.bytes;
  }
  return bytes;
}

double CacheBytes(const ModelCosts& costs, uint64_t depth, uint64_t tokens) {
  double bytes = 0;
  for (const CachePart& cache : costs.caches) {
    bytes += cache.bytes * (Seen(cache, static_cast<double>(depth + tokens)) -
                            Seen(cache, static_cast<double>(depth)));
  }
  return bytes;
}

double DecodeBytes(const ModelCosts& costs, uint64_t depth, uint64_t tokens) {
  return SideBySideBytes(costs, depth, tokens, 1);
}

double SideBySideBytes(const ModelCosts& costs, uint64_t depth, uint64_t tokens,
                       uint64_t sessions) {
  const auto passes = static_cast<double>(tokens);
  const double of_session =
      CacheBytes(costs, depth, tokens) + passes * (2 * costs.state_bytes + costs.row_bytes);
  return passes * WeightBytes(costs, sessions) + static_cast<double>(sessions) * of_session;
}

double PassBytes(const ModelCosts& costs, uint64_t depth, uint64_t rows) {
  const double cache = CacheBytes(costs, depth, rows) / static_cast<double>(rows);
  return WeightBytes(costs, rows) + cache + 2 * costs.state_bytes +
         static_cast<double>(rows) * costs.row_bytes;
}

double PrefillOperations(const ModelCosts& costs, uint64_t tokens) {
  return 2 * (costs.layer_products * static_cast<double>(tokens) + costs.head_products);
}

double EncodeOperations(const ModelCosts& costs, uint64_t patches, uint64_t rows) {
  return 2 * (costs.patch_products * static_cast<double>(patches) +
              costs.picture_row_products * static_cast<double>(rows));
}

}  // namespace rondo::tools
