// Recurrent sublayers against the forward pass in plain loops, over several KV blocks.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "tests/runtime/model/model_bytes.h"
#include "tests/runtime/model/plain_forward.h"
#include "tests/runtime/model/sublayers.h"
#include "tests/support/test_model.h"
#include "tests/temp_folder.h"
#include "tests/tools/convert/checkpoint_of.h"

namespace rondo::recurrence_test {
namespace {

struct Case {
  const char* name;
  const char* config;
  void (*change)(format::ModelT& model) = nullptr;  // what no config says
};

// Groups, a norm before and behind the gate or none, limits of steps, heads that are no multiple of
// 16, biases, attention beside, steps that may turn a state's sign.
const Case kCases[] = {
    {"Delta", R"("architectures": ["Qwen3_5ForCausalLM"], "head_dim": 16,
      "layer_types": ["linear_attention", "linear_attention"], "linear_num_key_heads": 2,
      "linear_num_value_heads": 4, "linear_key_head_dim": 16, "linear_value_head_dim": 24)"},
    {"DeltaByKeyHead", R"("architectures": ["Qwen3NextForCausalLM"], "head_dim": 16,
      "layer_types": ["linear_attention", "linear_attention"], "linear_num_key_heads": 2,
      "linear_num_value_heads": 4, "linear_key_head_dim": 8, "linear_value_head_dim": 16,
      "linear_conv_kernel_dim": 3, "mlp_only_layers": [0, 1])"},
    {"DeltaOfNegativeEigenvalues", R"("architectures": ["Qwen3_5ForCausalLM"], "head_dim": 16,
      "layer_types": ["linear_attention", "linear_attention"], "linear_num_key_heads": 4,
      "linear_num_value_heads": 4, "linear_key_head_dim": 8, "linear_value_head_dim": 16)",
     [](format::ModelT& model) {
       for (size_t i = 0; i < 2; ++i) SublayerAt(model, i, 0).op.AsGatedDeltaNet()->beta_scale = 2;
     }},
    {"Mamba2", R"("architectures": ["Mamba2ForCausalLM"], "num_heads": 4, "head_dim": 16,
      "n_groups": 2, "state_size": 24, "use_bias": true, "conv_kernel": 2,
      "time_step_limit": [0.3, 0.9])"},
    {"NarrowHeads", R"("architectures": ["Mamba2ForCausalLM"], "num_heads": 8, "head_dim": 8,
      "n_groups": 1, "state_size": 16, "use_conv_bias": false)"},
    {"Beside", R"("architectures": ["FalconH1ForCausalLM"], "mamba_d_ssm": 48, "mamba_n_heads": 2,
      "mamba_d_state": 16, "ssm_multipliers": [0.5, 2.0, 1.5, 0.7, 1.2], "ssm_in_multiplier": 1.3,
      "ssm_out_multiplier": 0.6, "attention_in_multiplier": 0.9, "key_multiplier": 1.4,
      "attention_out_multiplier": 0.8, "mlp_multipliers": [1.1, 0.9])"},
    {"NormThenGate", R"("architectures": ["FalconH1ForCausalLM"], "mamba_d_ssm": 64,
      "mamba_n_heads": 4, "mamba_n_groups": 2, "mamba_d_state": 8, "mamba_rms_norm": true)"},
    {"GateThenNorm", R"("architectures": ["FalconH1ForCausalLM"], "mamba_d_ssm": 64,
      "mamba_n_heads": 4, "mamba_n_groups": 2, "mamba_d_state": 8, "mamba_rms_norm": true,
      "mamba_norm_before_gate": false)"},
};

class Recurrences : public testing::TestWithParam<Case> {};

TEST_P(Recurrences, EqualPlainLoops) {
  const TempFolder folder;
  const std::string json = std::string(R"({"vocab_size": 97, "hidden_size": 32,
      "intermediate_size": 48, "num_hidden_layers": 2, "num_attention_heads": 4,
      "num_key_value_heads": 2, "max_position_embeddings": 400, )") +
                           GetParam().config + "}";
  convert::WriteCheckpointOf(folder / "model", nlohmann::json::parse(json).dump());
  convert::ConvertOptions convert;
  convert.directory = folder / "model";
  convert.output = folder / "model.rondo";
  convert.weights = convert.embedding = format::TensorFormat::F32;
  convert::Convert(convert, [](uint64_t, uint64_t) {});
  ModelBytes bytes(convert.output);
  if (GetParam().change != nullptr) bytes = Rewrite(bytes, GetParam().change);
  const Result<ModelFile> file = ModelFile::Open(bytes.bytes());
  ASSERT_TRUE(file.ok()) << file.status().message();
  std::vector<int32_t> ids(150);
  for (size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<int32_t>(i * i % 97);
  const std::vector<double> expected =
      PlainForward(*file).Logits(std::vector<uint32_t>(ids.begin(), ids.end()));
  for (const KernelSet* set : AllKernelSets()) {
    if (!set->available()) continue;
    EngineOptions options;
    options.max_rows = 40;
    options.threads = 2;
    options.kv_format = KvFormat::kFloat32;
    options.kernels = set->name;
    const auto engine = Engine::Create(*file, nullptr, options, nullptr, 0);
    ASSERT_TRUE(engine.ok()) << engine.status().message();
    const std::vector<float> logits = AllLogits(*NewSession(**engine), ids);
    ASSERT_EQ(logits.size(), expected.size());
    double largest = 0, difference = 0;
    for (size_t i = 0; i < expected.size(); ++i) {
      largest = std::max(largest, std::abs(expected[i]));
      difference = std::max(difference, std::abs(expected[i] - logits[i]));
    }
    EXPECT_GT(largest, 0.01);
    EXPECT_LT(difference / largest, 2e-5) << set->name;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Recurrences, testing::ValuesIn(kCases),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace rondo::recurrence_test
