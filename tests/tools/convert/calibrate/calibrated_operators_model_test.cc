// Calibration of operators that Llama does not have: experts that share, latent attention,
// recurrences, embeddings of each layer's own. On models of random weights, by what they predict on
// text that calibration has not seen.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/runtime/model/model_bytes.h"
#include "tests/support/places.h"
#include "tests/tools/convert/checkpoint_of.h"
#include "tests/tools/run_tool.h"
#include "tools/convert/calibrate/float_model.h"

namespace rondo::convert {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const fs::path kTiny = fs::path(kTestData) / "tiny";

struct Case {
  const char* name;
  const char* config;
};

// Shared layers read the keys and values of layer 0 and 1.
constexpr const char* kGemma4 = R"({"model_type": "gemma4_text", "num_hidden_layers": 4,
    "head_dim": 16, "global_head_dim": 32, "sliding_window": 32, "num_kv_shared_layers": 2,
    "layer_types": ["sliding_attention", "full_attention", "sliding_attention", "full_attention"],
    "hidden_size_per_layer_input": 16, "vocab_size_per_layer_input": 2048})";

constexpr Case kCases[] = {
    {"Experts", R"({"model_type": "qwen2_moe", "num_experts": 8, "num_experts_per_tok": 2,
        "moe_intermediate_size": 32, "shared_expert_intermediate_size": 48})"},
    {"Latent", R"({"model_type": "deepseek_v3", "num_key_value_heads": 4, "q_lora_rank": 32,
        "kv_lora_rank": 32, "qk_nope_head_dim": 16, "qk_rope_head_dim": 8, "v_head_dim": 16,
        "n_routed_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 32,
        "n_shared_experts": 1, "first_k_dense_replace": 1, "n_group": 1, "topk_group": 1})"},
    {"DeltaNet", R"({"model_type": "qwen3_5_text", "head_dim": 16, "linear_num_key_heads": 2,
        "linear_num_value_heads": 4, "linear_key_head_dim": 16, "linear_value_head_dim": 16,
        "full_attention_interval": 2})"},
    {"Mamba2", R"({"model_type": "granitemoehybrid", "num_local_experts": 0,
        "shared_intermediate_size": 96, "mamba_n_heads": 8, "mamba_d_head": 16,
        "mamba_n_groups": 1, "mamba_d_state": 16, "layer_types": ["mamba", "attention", "mamba"]})"},
    {"LayerEmbeddings", kGemma4},
    {"Sinks", R"({"model_type": "gpt_oss", "head_dim": 16, "sliding_window": 32,
        "num_local_experts": 4, "num_experts_per_tok": 2})"},
};

class CalibratedOperators : public testing::Test {
 protected:
  // With the tokenizer of the tiny model, and texts by it.
  void Make(const char* own) {
    json config = json::parse(R"({"vocab_size": 2048, "hidden_size": 64, "intermediate_size": 96,
        "num_hidden_layers": 3, "num_attention_heads": 4, "num_key_value_heads": 2,
        "max_position_embeddings": 128, "tie_word_embeddings": false})");
    config.update(json::parse(own));
    WriteCheckpointOf(tool_.Path("model"), config.dump());
    for (const char* file : {"tokenizer.json", "tokenizer_config.json"}) {
      fs::copy_file(kTiny / file, fs::path(tool_.Path("model")) / file);
    }
  }
  void WriteText() {
    const std::string teller = tool_.Convert(kTiny, "q8");
    const auto tell = [&](int first, int count) {
      std::string text;
      for (int seed = first; seed < first + count; ++seed) {
        text +=
            tool_("run " + teller + " 'Once upon a time' --temperature 1 --max-tokens 300 --seed " +
                  std::to_string(seed))
                .out;
      }
      return text;
    };
    tool_.Write("calibrate", tell(0, 12));
    tool_.Write("judge", tell(100, 6));
  }
  std::string Convert(const std::string& name, const std::string& options) {
    std::string path = tool_.Path(name + ".rondo");
    const ToolResult result =
        tool_("convert '" + tool_.Path("model") + "' -o '" + path + "' " + options);
    EXPECT_EQ(result.code, 0) << result.err;
    return path;
  }
  double Divergence(const std::string& model, const std::string& exact) {
    const ToolResult result = tool_("eval '" + model + "' --against '" + exact + "' --text '" +
                                    tool_.Path("judge") + "' --context 128 --json");
    EXPECT_EQ(result.code, 0) << result.err;
    return json::parse(result.out).at("kl").get<double>();
  }

  ToolRunner tool_;
};

// Of routers, and the gates and steps of recurrences.
void ExpectExactGates(const std::string& path) {
  const ModelBytes bytes{fs::path(path)};
  const Result<ModelFile> file = ModelFile::Open(bytes.bytes());
  ASSERT_TRUE(file.ok());
  for (const format::Tensor* tensor : *file->model().tensors()) {
    const std::string name = tensor->name()->str();
    if (!name.ends_with(".router") && !name.ends_with(".gates") && !name.ends_with(".dt")) continue;
    EXPECT_EQ(tensor->format(), format::TensorFormat::F32) << name;
  }
}

class CalibratedOperator : public CalibratedOperators, public testing::WithParamInterface<Case> {};

TEST_P(CalibratedOperator, LosesLessThanPlainRounding) {
  Make(GetParam().config);
  WriteText();
  const std::string exact = Convert("f32", "--weights f32");
  for (const std::string weights : {"q4", "q3"}) {
    const std::string options = "--weights " + weights;
    const double plain = Divergence(Convert("plain_" + weights, options), exact);
    const std::string best =
        Convert("best_" + weights, options + " --calibrate '" + tool_.Path("calibrate") + "'");
    const double calibrated = Divergence(best, exact);
    std::printf("%-16s %s %.4f, calibrated %.4f\n", GetParam().name, weights.c_str(), plain,
                calibrated);
    EXPECT_LT(calibrated, 0.97 * plain) << weights;
    EXPECT_GT(calibrated, 0);
    ExpectExactGates(best);
  }
}

INSTANTIATE_TEST_SUITE_P(All, CalibratedOperator, testing::ValuesIn(kCases),
                         [](const auto& param) { return std::string(param.param.name); });

// A layer that reads another's keys and values has those of its own chunk, whatever ran between.
TEST_F(CalibratedOperators, SharedKeysAreThoseOfTheChunk) {
  Make(kGemma4);
  FloatModel model(Convert("f32", "--weights f32"), 1);
  const TokenChunk one = {1, 5, 9, 14, 20, 27, 35, 44}, other = {7, 7, 300, 2, 88, 1000, 3, 4};
  const auto run = [&](const std::vector<TokenChunk>& chunks) {
    LayerState state;
    for (uint32_t layer = 0; layer < 4; ++layer) {
      model.RunLayer(layer, chunks, state, {}, [](size_t, const ChunkInputs&) {});
    }
    return state.hidden;
  };
  const std::vector<float> alone = run({one}), both = run({one, other});
  ASSERT_EQ(both.size(), 2 * alone.size());
  EXPECT_TRUE(std::equal(alone.begin(), alone.end(), both.begin()));
}

}  // namespace
}  // namespace rondo::convert
