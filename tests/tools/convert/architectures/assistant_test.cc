// Checkpoints that only draft for another model: what they must be, and what is left out of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/temp_folder.h"
#include "tests/tools/convert/checkpoint_of.h"
#include "tools/convert/architectures/architecture.h"
#include "tools/convert/convert.h"

namespace rondo::convert::assistant_test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

const json kConfig = json::parse(R"({"model_type": "gemma4_assistant", "backbone_hidden_size": 48,
    "text_config": {"vocab_size": 97, "hidden_size": 16, "intermediate_size": 24,
    "num_hidden_layers": 2, "num_attention_heads": 2, "num_key_value_heads": 1, "head_dim": 8,
    "hidden_size_per_layer_input": 0, "layer_types": ["sliding_attention", "full_attention"]}})");

DecoderSpec Read(const json& config) {
  const TempFolder folder;
  std::ofstream(folder / "config.json") << config.dump();
  return ReadArchitecture(Config::Load(folder / "config.json"));
}

TEST(AssistantConfig, SaysWhatStandsBeside) {
  for (const char* type : {"gemma4_assistant", "gemma4_unified_assistant"}) {
    json config = kConfig;
    config["model_type"] = type;
    config["text_config"]["final_logit_softcapping"] = 30;  // of the model, not of its assistant
    const DecoderSpec spec = Read(config);
    ASSERT_TRUE(spec.assistant);
    EXPECT_EQ(spec.assistant->other_hidden_size, 48u);
    EXPECT_EQ(spec.assistant->n_tokens, 97u);
    EXPECT_EQ(spec.logit_soft_cap, 0);
    EXPECT_EQ(spec.head.weight, spec.embedding);
    EXPECT_THAT(spec.left_out, testing::Contains("masked_embedding."));
    for (const format::LayerT& layer : spec.layers) {
      EXPECT_EQ(layer.sublayers[0]->op.AsAttention()->kv_layer, -2);
    }
  }
}

TEST(AssistantConfig, RefusesWhatAnAssistantIsNot) {
  const auto refused = [](const char* pointer, const json& value) -> std::string {
    json config = kConfig;
    config[json::json_pointer(pointer)] = value;
    try {
      Read(config);
    } catch (const std::exception& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(refused("/text_config", nullptr), HasSubstr("text_config"));
  EXPECT_THAT(refused("/text_config/enable_moe_block", true), HasSubstr("enable_moe_block"));
  EXPECT_THAT(refused("/text_config/use_double_wide_mlp", true), HasSubstr("use_double_wide_mlp"));
  EXPECT_THAT(refused("/text_config/hidden_size_per_layer_input", 8),
              HasSubstr("hidden_size_per_layer_input"));
  EXPECT_THAT(refused("/text_config/num_kv_shared_layers", 1), HasSubstr("num_kv_shared_layers"));
  EXPECT_THAT(refused("/backbone_hidden_size", 0), HasSubstr("backbone_hidden_size"));
}

TEST(AssistantConfig, IsNotCalibrated) {
  const TempFolder folder;
  WriteCheckpointOf(folder / "model", kConfig.dump());
  std::ofstream(folder / "text") << "text";
  ConvertOptions options;
  options.directory = folder / "model";
  options.output = folder / "model.rondo";
  options.weights = format::TensorFormat::Q4;
  options.calibration = folder / "text";
  try {
    Convert(options, [](uint64_t, uint64_t) {});
    FAIL() << "was calibrated";
  } catch (const std::exception& error) {
    EXPECT_THAT(error.what(), HasSubstr("beside its model alone"));
  }
  EXPECT_FALSE(std::filesystem::exists(options.output));
}

}  // namespace
}  // namespace rondo::convert::assistant_test
