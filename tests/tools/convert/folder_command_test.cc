// `rondo convert` of folders as a program: what changes no logit is told and not refused, and what
// does is not passed over.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/tools/convert/checkpoint_of.h"
#include "tests/tools/convert/random_checkpoint.h"
#include "tests/tools/run_tool.h"

namespace rondo::convert {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

class FolderCommand : public testing::Test {
 protected:
  FolderCommand() { WriteRandomCheckpoint(model_, {}); }

  void PatchJson(const std::string& file, const json& patch) {
    const fs::path path = fs::path(model_) / file;
    json object = fs::exists(path) ? json::parse(std::ifstream(path)) : json::object();
    object.merge_patch(patch);
    std::ofstream(path) << object;
  }

  ToolRunner tool_;
  const std::string model_ = tool_.Path("model"), out_ = tool_.Path("out.rondo");
};

TEST_F(FolderCommand, IdsThatAreNoTokenAreLeftOut) {
  PatchJson("generation_config.json", {{"eos_token_id", {2, 600}}});
  PatchJson("config.json", {{"bos_token_id", -1}});
  const ToolResult result = tool_("convert " + model_ + " -o " + out_);
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("eos_token_id holds 600, which is no token"),
                                HasSubstr("bos_token_id holds -1")));
}

TEST_F(FolderCommand, AnIndexMayNameFilesByOtherPaths) {
  CheckpointShape shape;
  shape.shard_bytes = 2000;
  fs::remove_all(model_);
  WriteRandomCheckpoint(model_, shape);
  const std::string kIndex = "model.safetensors.index.json";
  const json map = json::parse(tool_.Read("model/" + kIndex)).at("weight_map");
  for (const std::string before : {"./", "/home/me/model/", "../model/", "C:\\model\\"}) {
    for (const auto& [tensor, file] : map.items()) {
      PatchJson(kIndex, {{"weight_map", {{tensor, before + file.get<std::string>()}}}});
    }
    const ToolResult result = tool_("convert " + model_ + " -o " + out_);
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_THAT(result.out, HasSubstr("beside it is taken"));
  }
  PatchJson(kIndex, {{"weight_map", {{"model.norm.weight", "absent.safetensors"}}}});
  EXPECT_THAT(tool_("convert " + model_ + " -o " + out_).err,
              HasSubstr("lacks absent.safetensors"));
}

TEST_F(FolderCommand, ADraftHeadIsKeptWhereItIsAskedFor) {
  const char* const kConfig = R"({"architectures": ["Glm4MoeForCausalLM"], "vocab_size": 97,
      "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2, "head_dim": 16,
      "num_attention_heads": 4, "num_key_value_heads": 2, "max_position_embeddings": 400,
      "n_routed_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 24, "n_group": 1,
      "topk_group": 1, "n_shared_experts": 1, "first_k_dense_replace": 1,
      "num_nextn_predict_layers": 1})";
  WriteCheckpointWithDraftHead(tool_.Path("with"), kConfig);
  const std::string convert = "convert " + tool_.Path("with") + " -o " + out_;
  EXPECT_THAT(tool_(convert).out, HasSubstr("left out of the text's model: model.layers.2.*"));
  EXPECT_THAT(tool_("inspect " + out_).out, testing::Not(HasSubstr("draft head")));
  const ToolResult kept = tool_(convert + " --mtp");
  ASSERT_EQ(kept.code, 0) << kept.err;
  EXPECT_THAT(kept.out, testing::Not(HasSubstr("left out")));
  EXPECT_THAT(tool_("inspect " + out_).out, HasSubstr("draft head"));
}

TEST_F(FolderCommand, ADraftHeadThatIsNotThereIsRefused) {
  const std::string convert = "convert " + model_ + " -o " + out_ + " --mtp";
  EXPECT_THAT(tool_(convert).err, HasSubstr("no head of LlamaForCausalLM that predicts"));
  const json glm = {{"architectures", {"Glm4MoeForCausalLM"}},
                    {"model_type", "glm4_moe"},
                    {"num_nextn_predict_layers", nullptr},
                    {"n_group", 1},
                    {"topk_group", 1}};
  PatchJson("config.json", glm);
  EXPECT_THAT(tool_(convert).err, HasSubstr("num_nextn_predict_layers is absent or 0"));
  PatchJson("config.json", {{"num_nextn_predict_layers", 1}});
  EXPECT_EQ(tool_(convert).code, 1);
  EXPECT_FALSE(fs::exists(out_));
}

TEST_F(FolderCommand, AHeadThatIsNotTheTiedEmbeddingIsTaken) {
  const auto logits = [&] {
    const ToolResult result = tool_("convert " + model_ + " -o " + out_ + " --weights f32");
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(tool_("logits " + out_ + " --ids 1,2,3 -o " + tool_.Path("logits.npy")).code, 0);
    return std::pair(tool_.Read("logits.npy"), result.out);
  };
  const auto [untied, nothing] = logits();
  EXPECT_THAT(nothing, testing::Not(HasSubstr("head")));
  PatchJson("config.json", {{"tie_word_embeddings", true}});
  const auto [tied, told] = logits();
  EXPECT_EQ(tied, untied);
  EXPECT_THAT(told, HasSubstr("lm_head.weight is not the embedding"));
}

}  // namespace
}  // namespace rondo::convert
