// The engine against the forward pass in plain loops, and against itself however its rows are cut.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "tests/runtime/model/plain_forward.h"
#include "tests/support/test_model.h"

namespace rondo {

inline EngineOptions FormOptions(uint32_t max_rows, KvFormat kv) {
  EngineOptions options;
  options.max_rows = max_rows;
  options.threads = 2;
  options.kv_format = kv;
  return options;
}

inline std::vector<float> LogitsOf(const ModelFile& file, const EngineOptions& options,
                                   const std::vector<int32_t>& ids) {
  const auto engine = Engine::Create(file, nullptr, options, nullptr, 0);
  if (!engine.ok()) throw std::runtime_error(engine.status().message());
  return AllLogits(*NewSession(**engine), ids);
}

// Float32 throughout: near the plain loops; and the same bits for other cuts.
inline void ExpectPlainLoops(const ModelFile& file) {
  // One of them is beyond the table of layer embeddings.
  const std::vector<int32_t> ids = {3, 1, 4, 1, 5, 9, 2, 6, 5, 31, 5, 8, 9, 7, 9, 3, 2, 3, 8, 4};
  const auto expected = PlainForward(file).Logits({ids.begin(), ids.end()});
  const auto logits = LogitsOf(file, FormOptions(4, KvFormat::kFloat32), ids);
  ASSERT_EQ(logits.size(), expected.size());
  double largest = 0, difference = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    largest = std::max(largest, std::abs(expected[i]));
    difference = std::max(difference, std::abs(expected[i] - logits[i]));
  }
  EXPECT_GT(largest, 0.01);
  EXPECT_LT(difference / largest, 2e-5);
  for (const KvFormat kv : {KvFormat::kFloat32, KvFormat::kInt8}) {
    const auto whole = LogitsOf(file, FormOptions(20, kv), ids);
    for (const uint32_t rows : {1u, 3u}) {
      const auto cut = LogitsOf(file, FormOptions(rows, kv), ids);
      EXPECT_EQ(std::memcmp(cut.data(), whole.data(), whole.size() * sizeof(float)), 0) << rows;
    }
  }
}

}  // namespace rondo
