// Heads whose channels are no multiple of 8: the model's logits are those of one whose heads have
// the zeros from the beginning, of which only as many channels turn.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "tests/runtime/engine/plain_loops.h"
#include "tests/tools/convert/architectures/read_config.h"
#include "tests/tools/convert/checkpoint_of.h"
#include "tests/tools/convert/checkpoint_tensors.h"
#include "tests/tools/error_of.h"

namespace rondo::convert {
namespace {

constexpr size_t kDim = 20, kPadded = 24;

std::string ConfigOf(const std::string& architecture, const std::string& dims) {
  return R"({"architectures": [")" + architecture + R"("], "vocab_size": 97, "hidden_size": 32,
      "intermediate_size": 48, "num_hidden_layers": 2, "num_attention_heads": 4,
      "num_key_value_heads": 2, "max_position_embeddings": 64, "rms_norm_eps": 1e-12,
      "attention_bias": true, )" +
         dims + "}";
}

// Of [heads * dim, cols]: zeros behind each head; all is multiplied by `factor`.
TensorValues PaddedRows(const TensorValues& from, float factor) {
  const size_t cols = from.shape.size() == 1 ? 1 : from.shape[1], heads = from.shape[0] / kDim;
  TensorValues to{from.shape, std::vector<float>(heads * kPadded * cols)};
  to.shape[0] = heads * kPadded;
  for (size_t i = 0; i < from.values.size(); ++i) {
    const size_t row = i / cols;
    to.values[(row / kDim * kPadded + row % kDim) * cols + i % cols] = factor * from.values[i];
  }
  return to;
}

TensorValues PaddedCols(const TensorValues& from) {
  const size_t cols = from.shape[1], heads = cols / kDim, rows = from.shape[0];
  TensorValues to{{rows, heads * kPadded}, std::vector<float>(rows * heads * kPadded)};
  for (size_t i = 0; i < from.values.size(); ++i) {
    const size_t col = i % cols;
    to.values[i / cols * heads * kPadded + col / kDim * kPadded + col % kDim] = from.values[i];
  }
  return to;
}

class PaddedHeads : public testing::TestWithParam<const char*> {};

TEST_P(PaddedHeads, ComputesTheSame) {
  const TempFolder folder;
  WriteCheckpointOf(folder / "own", ConfigOf(GetParam(), R"("head_dim": 20)"));
  WriteCheckpointOf(folder / "padded", ConfigOf(GetParam(), R"("head_dim": 24,
      "partial_rotary_factor": 0.83334)"));
  CheckpointTensors tensors = ReadTensors(folder / "own");
  // Scores are divided by the root of other numbers; a norm divides by that of another mean.
  const float scale = std::sqrt(static_cast<float>(kPadded) / kDim);
  const bool is_normed = std::string(GetParam()) == "Qwen3ForCausalLM";
  for (auto& [name, tensor] : tensors) {
    const auto is = [&, &name = name](const char* part) {
      return name.find(part) != std::string::npos;
    };
    if (is("o_proj.weight")) {
      tensor = PaddedCols(tensor);
    } else if (is("q_norm")) {
      tensor = PaddedRows(tensor, 1);
    } else if (is("k_norm")) {
      tensor = PaddedRows(tensor, 1 / scale);
    } else if (is("q_proj") || is("k_proj") || is("v_proj")) {
      tensor = PaddedRows(tensor, is("q_proj") && !is_normed ? scale : 1);
    }
  }
  WriteTensors(folder / "padded", tensors);
  const TestModel own(folder / "own", format::TensorFormat::F32);
  const TestModel padded(folder / "padded", format::TensorFormat::F32);
  const std::vector<int32_t> ids = {3, 1, 4, 1, 5, 9, 2, 6, 5, 31, 5, 8, 9, 7, 9, 3, 2, 3, 8, 4};
  const auto expected = LogitsOf(padded.file(), FormOptions(4, KvFormat::kFloat32), ids);
  const auto logits = LogitsOf(own.file(), FormOptions(4, KvFormat::kFloat32), ids);
  ASSERT_EQ(logits.size(), expected.size());
  float largest = 0, difference = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    largest = std::max(largest, std::abs(expected[i]));
    difference = std::max(difference, std::abs(expected[i] - logits[i]));
  }
  EXPECT_LT(difference / largest, 1e-5);
  ExpectPlainLoops(own.file());
}

INSTANTIATE_TEST_SUITE_P(Families, PaddedHeads,
                         testing::Values("LlamaForCausalLM", "Qwen3ForCausalLM"),
                         [](const auto& info) { return std::string(info.param); });

TEST(PadHeads, RefusesLayerNormsOfHeads) {
  EXPECT_NE(SentenceOf([] {
              Read("PersimmonForCausalLM", R"({"head_dim": null, "hidden_size": 48,
                                    "num_key_value_heads": null, "qk_layernorm": true})");
            }).find("heads of 12 channels, which are no multiple of 8, have a LayerNorm"),
            std::string::npos);
}

}  // namespace
}  // namespace rondo::convert
