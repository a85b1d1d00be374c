// Types of which mlx-lm lays tensors out otherwise than transformers: written so they have the
// logits that transformers gave of its own layout.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "tests/support/test_model.h"
#include "tests/tools/convert/checkpoint_of.h"
#include "tests/tools/convert/families/golden.h"
#include "tests/tools/convert/families/mlx_layout.h"
#include "tests/tools/error_of.h"

namespace rondo::convert::mlx_families_model_test {
namespace {

std::vector<float> LogitsOf(const std::filesystem::path& folder,
                            const std::vector<int32_t>& tokens) {
  const TestModel model(folder, format::TensorFormat::F32);
  EngineOptions options;
  options.threads = 1;
  options.kv_format = KvFormat::kFloat32;
  const std::unique_ptr<Engine> engine = model.NewEngine(options);
  return AllLogits(*NewSession(*engine), tokens);
}

class MlxFamilies : public testing::TestWithParam<const char*> {};

TEST_P(MlxFamilies, GiveTheLogitsOfTransformers) {
  const std::string type = GetParam();
  for (const GoldenModel& golden : ReadGoldens(TestData("families/" + type + ".json"))) {
    // One of each type; of Gemma 4, that with experts.
    if (golden.label != (type == "gemma4_text" ? "enable_moe_block=True" : "as it is")) continue;
    const TempFolder folder;
    WriteCheckpoint(folder / "model", golden);
    const CheckpointTensors theirs = ReadTensors(folder / "model");
    const CheckpointTensors mlx = AsMlx(theirs, type);
    EXPECT_TRUE(std::ranges::any_of(mlx, [&](const auto& one) {
      const auto found = theirs.find(one.first);
      return found == theirs.end() || found->second.shape != one.second.shape;
    }));
    WriteTensors(folder / "model", mlx);
    const std::vector<float> logits = LogitsOf(folder / "model", GoldenTokens(golden));
    EXPECT_LE(GoldenDifference(golden.logits, logits), kGoldenTolerance);
  }
}

INSTANTIATE_TEST_SUITE_P(Types, MlxFamilies,
                         testing::Values("afmoe", "deepseek_v3", "gemma4_text", "glm4_moe_lite",
                                         "gpt_oss", "granitemoehybrid", "lfm2_moe", "llama4_text",
                                         "mamba2", "minimax_m2", "mixtral", "nemotron_h",
                                         "qwen3_5_moe_text", "qwen3_5_moe_whole", "qwen3_moe",
                                         "qwen3_next"),
                         [](const auto& type) { return std::string(type.param); });

// Without experts Granite's hybrids have an MLP of usual names.
TEST(MlxFamilies, GranitesDenseHybrid) {
  const TempFolder folder;
  WriteCheckpointOf(folder / "model", R"({"architectures": ["GraniteMoeHybridForCausalLM"],
      "vocab_size": 40, "hidden_size": 32, "shared_intermediate_size": 48, "num_hidden_layers": 2,
      "num_attention_heads": 4, "num_key_value_heads": 2, "num_local_experts": 0,
      "layer_types": ["mamba", "attention"], "mamba_n_heads": 4, "mamba_d_head": 16,
      "mamba_d_state": 8, "mamba_n_groups": 1, "mamba_expand": 2,
      "embedding_multiplier": 1, "attention_multiplier": 0.25})");
  const std::vector<int32_t> tokens = {3, 9, 27, 1};
  const std::vector<float> theirs = LogitsOf(folder / "model", tokens);
  const CheckpointTensors mlx = AsMlx(ReadTensors(folder / "model"), "granitemoehybrid");
  EXPECT_TRUE(mlx.contains("model.layers.0.mlp.gate_proj.weight"));
  WriteTensors(folder / "model", mlx);
  EXPECT_EQ(LogitsOf(folder / "model", tokens), theirs);
}

// Its multipliers are in the weights already.
TEST(MlxFamilies, FalconH1IsRefused) {
  const TempFolder folder;
  const GoldenModel golden = ReadGoldens(TestData("families/falcon_h1.json")).front();
  WriteCheckpoint(folder / "model", golden);
  WriteTensors(folder / "model", AsMlx(ReadTensors(folder / "model"), "falcon_h1"));
  EXPECT_THAT(SentenceOf([&] { LogitsOf(folder / "model", GoldenTokens(golden)); }),
              testing::HasSubstr("model_type is falcon_h1, into whose weights MLX"));
}

}  // namespace
}  // namespace rondo::convert::mlx_families_model_test
