// Logits of a converted model by the engine with float32 keys and values, and how far they are from
// others.
#pragma once

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/test_model.h"

namespace rondo::convert {

struct LogitsDifference {
  double largest = 0;
  double divergence = 0;  // Kullback-Leibler, nats, mean over positions
};

inline std::vector<double> LogProbabilities(const float* logits, size_t vocab) {
  const double largest = *std::max_element(logits, logits + vocab);
  double sum = 0;
  for (size_t i = 0; i < vocab; ++i) sum += std::exp(logits[i] - largest);
  std::vector<double> result(vocab);
  for (size_t i = 0; i < vocab; ++i) result[i] = logits[i] - largest - std::log(sum);
  return result;
}

inline LogitsDifference Compare(const std::vector<float>& got, const std::vector<float>& expected,
                                size_t vocab) {
  EXPECT_EQ(got.size(), expected.size());
  LogitsDifference difference;
  const size_t positions = std::min(got.size(), expected.size()) / vocab;
  for (size_t p = 0; p < positions; ++p) {
    const auto q = LogProbabilities(got.data() + p * vocab, vocab);
    const auto e = LogProbabilities(expected.data() + p * vocab, vocab);
    for (size_t i = 0; i < vocab; ++i) {
      const double distance = double{got[p * vocab + i]} - double{expected[p * vocab + i]};
      difference.divergence += std::exp(e[i]) * (e[i] - q[i]) / static_cast<double>(positions);
      difference.largest = std::max(difference.largest, std::fabs(distance));
    }
  }
  return difference;
}

// Of prompt p70 of a reference.
inline std::vector<int32_t> PromptOf(const std::filesystem::path& reference) {
  return ReadTensor<int32_t>(reference / "reference.safetensors", "p70.ids");
}

// `model`: a folder or a GGUF file, converted to float32. [ids, vocab].
inline std::vector<float> FloatLogits(const std::filesystem::path& model,
                                      const std::vector<int32_t>& ids) {
  const TestModel converted(model, format::TensorFormat::F32);
  EngineOptions options;
  options.kv_format = KvFormat::kFloat32;
  options.threads = 1;
  const auto engine = converted.NewEngine(options);
  return AllLogits(*NewSession(*engine), ids);
}

}  // namespace rondo::convert
