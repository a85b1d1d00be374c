// LoRA adapters against the formula: a model with an adapter gives the logits of the checkpoint to
// whose weights scale * up down was added in plain loops; whatever the family's matrices are folded
// into, and whether it is added in the pass or by the converter.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <functional>

#include "tests/support/adapter_models.h"
#include "tests/support/test_model.h"
#include "tests/tools/convert/checkpoint_of.h"
#include "tests/tools/convert/checkpoint_tensors.h"
#include "tests/tools/convert/identities/scale_at_random.h"
#include "tools/convert/architectures/gguf_rules_of.h"
#include "tools/convert/identities/turn_stream.h"
#include "tools/convert/sources/source.h"

namespace rondo::adapter_model_test {
namespace {

namespace fs = std::filesystem;

struct Case {
  const char* name;
  const char* config;
  bool transposed = false;  // matrices are [inputs, outputs]
};

constexpr Case kCases[] = {
    {"llama", R"("architectures": ["LlamaForCausalLM"])"},
    {"qwen2", R"("architectures": ["Qwen2ForCausalLM"])"},
    {"qwen3", R"("architectures": ["Qwen3ForCausalLM"], "head_dim": 16)"},
    {"gemma2", R"("architectures": ["Gemma2ForCausalLM"], "head_dim": 16, "sliding_window": 20,
      "query_pre_attn_scalar": 12)"},
    {"gemma3", R"("architectures": ["Gemma3ForCausalLM"], "head_dim": 16, "sliding_window": 20)"},
    {"granite", R"("architectures": ["GraniteForCausalLM"], "attention_multiplier": 0.2,
      "embedding_multiplier": 6.0, "residual_multiplier": 0.5, "logits_scaling": 2.0)"},
    {"phi3", R"("architectures": ["Phi3ForCausalLM"], "partial_rotary_factor": 0.5)"},
    {"glm4", R"("architectures": ["Glm4ForCausalLM"], "head_dim": 16)"},
    {"cohere", R"("architectures": ["CohereForCausalLM"])"},
    {"gptj", R"("architectures": ["GPTJForCausalLM"], "n_embd": 32, "n_layer": 3, "n_head": 4,
      "n_positions": 400, "rotary_dim": 4)"},
    {"gpt_neox", R"("architectures": ["GPTNeoXForCausalLM"], "rotary_pct": 0.25)"},
    {"falcon_grouped", R"("architectures": ["FalconForCausalLM"], "num_kv_heads": 2,
      "new_decoder_architecture": true)"},
    {"gpt2", R"("architectures": ["GPT2LMHeadModel"], "n_embd": 32, "n_layer": 3, "n_head": 4,
      "n_positions": 400)",
     true},
    {"mixtral", R"("architectures": ["MixtralForCausalLM"], "num_local_experts": 4,
      "num_experts_per_tok": 2)"},
    {"qwen3_5", R"("architectures": ["Qwen3_5ForCausalLM"], "head_dim": 16,
      "layer_types": ["linear_attention", "full_attention", "linear_attention"],
      "linear_num_key_heads": 2, "linear_num_value_heads": 4, "linear_key_head_dim": 16,
      "linear_value_head_dim": 16)"},
    {"falcon_h1", R"("architectures": ["FalconH1ForCausalLM"], "mamba_d_ssm": 48,
      "mamba_n_heads": 2, "mamba_d_state": 8, "mamba_d_conv": 3, "mamba_rms_norm": true)"},
    {"lfm2", R"("architectures": ["Lfm2ForCausalLM"], "conv_bias": true, "conv_L_cache": 4,
      "layer_types": ["conv", "full_attention", "conv"])"},
    {"deepseek_v3", R"("architectures": ["DeepseekV3ForCausalLM"], "q_lora_rank": 24,
      "kv_lora_rank": 16, "num_key_value_heads": 4, "qk_nope_head_dim": 16, "qk_rope_head_dim": 8,
      "v_head_dim": 16, "n_routed_experts": 6, "num_experts_per_tok": 2,
      "moe_intermediate_size": 16, "first_k_dense_replace": 1, "n_group": 3, "topk_group": 2)"},
};

std::string ConfigOf(const Case& c) {
  const bool shares_keys = std::string_view(c.name).substr(0, 2) != "gp";
  std::string config = R"({"vocab_size": 97, "hidden_size": 32, "intermediate_size": 48,
      "num_hidden_layers": 3, "num_attention_heads": 4, "num_key_value_heads": )";
  config += shares_keys ? "2" : "4";
  config.append(R"(, "max_position_embeddings": 400, )").append(c.config).append("}");
  return config;
}

std::vector<int32_t> Ids(size_t n) {
  std::vector<int32_t> ids(n);
  for (size_t i = 0; i < n; ++i) ids[i] = static_cast<int32_t>(i * i * 7 % 97);
  return ids;
}

std::vector<float> Logits(const ModelOnDisk& model, const AdapterFile* adapter,
                          EngineOptions options = {}) {
  options.threads = 2;
  options.context = 128;
  options.kv_format = KvFormat::kFloat32;
  const auto engine =
      model.NewEngine(options, adapter == nullptr ? 0 : static_cast<uint32_t>(adapter->rank()));
  SessionOptions session;
  session.adapter = adapter;
  return AllLogits(*NewSession(*engine, session), Ids(40));
}

// The largest difference, as a share of the largest logit.
double Difference(const std::vector<float>& a, const std::vector<float>& b) {
  double largest = 0, difference = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    largest = std::max<double>(largest, std::abs(a[i]));
    difference = std::max<double>(difference, std::abs(a[i] - b[i]));
  }
  return difference / largest;
}

// W + scale * up down, of each module that is there.
void Merge(const fs::path& from, const PeftModules& modules, double scale, bool transposed,
           const fs::path& to) {
  fs::create_directories(to);
  fs::copy_file(from / "config.json", to / "config.json");
  convert::CheckpointTensors tensors = convert::ReadTensors(from);
  for (const auto& [name, module] : modules) {
    std::vector<float>& weight = tensors.at(name + ".weight").values;
    for (size_t o = 0; o < module.outputs; ++o) {
      for (size_t i = 0; i < module.inputs; ++i) {
        double sum = 0;
        for (size_t j = 0; j < module.rank; ++j) {
          sum += double{module.up[o * module.rank + j]} * module.down[j * module.inputs + i];
        }
        float& w = weight[transposed ? i * module.outputs + o : o * module.inputs + i];
        w = static_cast<float>(w + scale * sum);
      }
    }
  }
  convert::WriteTensors(to, tensors);
}

class AdapterFormula : public testing::TestWithParam<Case> {};

TEST_P(AdapterFormula, LogitsAreThoseOfTheMergedWeights) {
  const Case& c = GetParam();
  const TempFolder folder;
  const fs::path checkpoint = folder / "checkpoint", peft = folder / "peft";
  convert::WriteCheckpointOf(checkpoint, ConfigOf(c));
  const ModelOnDisk model(checkpoint);
  const PeftModules modules = RandomModules(model.file(), 4, 1);
  ASSERT_GE(modules.size(), 3u);
  WritePeftFolder(peft, modules,
                  std::string(R"("r": 4, "lora_alpha": 2, "fan_in_fan_out": )") +
                      (c.transposed ? "true" : "false"));
  Merge(checkpoint, modules, 0.5, c.transposed, folder / "merged");
  const std::vector<float> expected = Logits(ModelOnDisk(folder / "merged"), nullptr);
  EXPECT_GT(Difference(expected, Logits(model, nullptr)), 0.05);

  const TestAdapter adapter(peft, model);
  EXPECT_EQ(adapter.report().modules, modules.size());
  EXPECT_LT(Difference(expected, Logits(model, &adapter.file())), 2e-5);
  const ModelOnDisk merged(checkpoint, format::TensorFormat::F32, peft);
  EXPECT_LT(Difference(expected, Logits(merged, nullptr)), 1e-6);
  // The scale is a power of two, and all values are bfloat16's.
  const TestAdapter narrow(peft, model, format::AdapterFormat::Bfloat16);
  EXPECT_EQ(Logits(model, &narrow.file()), Logits(model, &adapter.file()));
  // Of a model whose channels were scaled by powers of two, the adapter's are, too.
  const ModelOnDisk scaled(checkpoint, format::TensorFormat::F32, {},
                           std::bind_front(convert::ScaleAtRandom, 3));
  const TestAdapter of_scaled(peft, scaled);
  EXPECT_EQ(Logits(scaled, &of_scaled.file()), Logits(model, &adapter.file()));
  // Of one whose stream has another basis, likewise, but for float32's rounding.
  const convert::Source source = convert::OpenSource(checkpoint, convert::GgufRulesOf);
  std::string restriction;
  const ModelOnDisk turned(checkpoint, format::TensorFormat::F32, {},
                           [&](convert::DecoderSpec& spec) {
                             restriction = convert::TurnStream(*source.checkpoint, spec);
                           });
  const TestAdapter of_turned(peft, turned);
  EXPECT_LT(Difference(expected, Logits(turned, &of_turned.file())), 2e-5) << restriction;
  EXPECT_EQ(Logits(turned, nullptr) == Logits(model, nullptr), !restriction.empty());
}

INSTANTIATE_TEST_SUITE_P(Families, AdapterFormula, testing::ValuesIn(kCases),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace rondo::adapter_model_test
