// `rondo rerank` with heads of one number, and what `rondo convert` says of others.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/tools/convert/classifier_of.h"
#include "tests/tools/run_tool.h"

namespace rondo {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class RerankTool : public testing::Test {
 protected:
  void Write(const json& config) const { convert::WriteClassifierOf(folder_, config); }
  std::string Convert() const {
    return "convert '" + folder_ + "' -o '" + tool_.Path("r.rondo") + "' --weights f32 --force";
  }
  std::string Refused(const json& config) const {
    Write(config);
    const ToolResult result = tool_(Convert());
    EXPECT_EQ(result.code, 1);
    return result.err;
  }
  // Of one document.
  double Score(const std::string& arguments) const {
    const ToolResult result =
        tool_("rerank '" + tool_.Path("r.rondo") + "' --kv f32 --json " + arguments);
    EXPECT_EQ(result.code, 0) << result.err;
    return json::parse(result.out).at(0).at("score").get<double>();
  }

  ToolRunner tool_;
  const std::string folder_ = tool_.Path("model");
};

// What CrossEncoder makes of a logit, by the keys of all its releases.
TEST_F(RerankTool, FollowsTheActivation) {
  constexpr const char* kIdentity = "torch.nn.modules.linear.Identity";
  json config = convert::BertClassifier();
  const auto score = [&] {
    Write(config);
    EXPECT_EQ(tool_(Convert()).code, 0);
    return Score("--query why because");
  };
  const double usual = score();
  EXPECT_GT(usual, 0);
  EXPECT_LT(usual, 1);
  const double logit = std::log(usual / (1 - usual));
  config["sbert_ce_default_activation_function"] = kIdentity;
  EXPECT_NEAR(score(), logit, 1e-5);
  EXPECT_THAT(tool_("inspect '" + tool_.Path("r.rondo") + "'").out, HasSubstr(", as logits"));
  config["sbert_ce_default_activation_function"] = nullptr;
  config["sentence_transformers"] = {{"activation_fn", kIdentity}, {"version", "5.2.0"}};
  EXPECT_NEAR(score(), logit, 1e-5);
  config["sentence_transformers"] = {{"activation_fn", "torch.nn.modules.activation.Tanh"}};
  EXPECT_NEAR(score(), std::tanh(logit), 1e-5);
  config["sentence_transformers"] = {{"version", "5.2.0"}};
  EXPECT_NEAR(score(), usual, 1e-7);
  std::ofstream(folder_ + "/config_sentence_transformers.json")
      << json{{"activation_fn", kIdentity}};
  EXPECT_NEAR(score(), logit, 1e-5);
  config["sentence_transformers"] = {{"activation_fn", "torch.nn.modules.activation.GELU"}};
  EXPECT_THAT(Refused(config), HasSubstr("activation_fn is torch.nn.modules.activation.GELU"));
}

// Whichever text is longer loses its last tokens: 64 of a pair, of which three are special.
TEST_F(RerankTool, CutsTheLongerText) {
  Write(convert::BertClassifier());
  ASSERT_EQ(tool_(Convert()).code, 0);
  const auto of = [](const char* text, size_t n) { return "'" + std::string(n, *text) + "'"; };
  const auto score = [&](size_t query, size_t document) {
    return Score("--query " + of("q", query) + " " + of("d", document));
  };
  EXPECT_EQ(score(10, 80), score(10, 51));
  EXPECT_EQ(score(80, 10), score(51, 10));
  EXPECT_EQ(score(100, 90), score(31, 30));
  EXPECT_EQ(score(90, 100), score(30, 31));
  EXPECT_NE(score(10, 51), score(10, 50));
  const std::string rerank = "rerank '" + tool_.Path("r.rondo") + "' --query why ";
  const ToolResult cut = tool_(rerank + "no " + of("d", 80) + " '[yes, no]'");
  EXPECT_THAT(
      cut.err,
      HasSubstr("note: document 1 with the query has 86 tokens, the model takes 64: it is cut"));
  EXPECT_THAT(cut.out, HasSubstr("[yes, no]"));
  EXPECT_EQ(std::ranges::count(cut.out, '\n'), 3);
  const ToolResult refused = tool_(rerank + "--too-long refuse no " + of("d", 80));
  EXPECT_EQ(refused.code, 1);
  EXPECT_EQ(refused.out, "");
}

// A bias moves all logits alike; to a float 1 / (1 + e^-30) is 1.
void MoveLogits(const std::string& file, float by) {
  std::fstream tensors(file, std::ios::in | std::ios::out | std::ios::binary);
  uint64_t size = 0;
  tensors.read(reinterpret_cast<char*>(&size), sizeof size);
  std::string header(size, ' ');
  tensors.read(header.data(), static_cast<std::streamsize>(size));
  const json bias = json::parse(header).at("classifier.bias");
  ASSERT_EQ(bias.at("dtype"), "F32");
  tensors.seekp(static_cast<std::streamoff>(8 + size + bias.at("data_offsets").at(0).get<int>()));
  tensors.write(reinterpret_cast<const char*>(&by), sizeof by);
}

TEST_F(RerankTool, ScoresThatAreAllOneKeepTheirOrder) {
  const auto order = [&] {
    EXPECT_EQ(tool_(Convert()).code, 0);
    const ToolResult result = tool_("rerank '" + tool_.Path("r.rondo") +
                                    "' --kv f32 --json --query why no yes maybe never because");
    json documents = json::array();
    for (const json& one : json::parse(result.out)) documents.push_back(one.at("document"));
    return std::pair(documents, json::parse(result.out).at(4).at("score").get<double>());
  };
  Write(convert::BertClassifier());
  const auto [usual, score] = order();
  EXPECT_LT(score, 0.99);
  MoveLogits(folder_ + "/model.safetensors", 30);
  EXPECT_EQ(order(), std::pair(usual, 1.0));
}

TEST_F(RerankTool, ConvertRefusesWhatItDoesNotKnow) {
  json config = convert::BertClassifier();
  config["id2label"] = {{"0", "a"}, {"1", "b"}};
  EXPECT_THAT(Refused(config), HasSubstr("id2label has not one label"));
  config.erase("id2label");
  EXPECT_THAT(Refused(config), HasSubstr("num_labels is not 1"));
  config["num_labels"] = 1;
  Write(config);
  EXPECT_EQ(tool_(Convert()).code, 0);
  config = convert::ModernBertClassifier();
  config["classifier_activation"] = "relu";
  EXPECT_THAT(Refused(config), HasSubstr("classifier_activation is relu; known: gelu"));
  config["classifier_activation"] = "gelu";
  config["classifier_pooling"] = "max";
  EXPECT_THAT(Refused(config), HasSubstr("classifier_pooling is max; known: cls, mean"));
  Write(convert::BertClassifier());
  for (const char* type : {"electra", "distilbert", "deberta-v2"}) {
    json other = convert::BertClassifier();
    other["model_type"] = type;
    std::ofstream(folder_ + "/config.json") << other;
    const ToolResult result = tool_(Convert());
    EXPECT_EQ(result.code, 1);
    EXPECT_THAT(result.err, HasSubstr(std::string("model_type is ") + type + "; of models that"));
  }
  Write(convert::BertClassifier());
  std::filesystem::remove(folder_ + "/tokenizer.json");
  EXPECT_THAT(tool_(Convert()).err, HasSubstr("says how a pair of texts is made one"));
  // A type that changes elsewhere than behind the one token between the texts.
  Write(convert::BertClassifier());
  std::ifstream in(folder_ + "/tokenizer.json");
  json tokenizer = json::parse(in);
  tokenizer["post_processor"]["pair"][2]["SpecialToken"]["type_id"] = 1;
  std::ofstream(folder_ + "/tokenizer.json") << tokenizer;
  EXPECT_THAT(tool_(Convert()).err, HasSubstr("types of a pair's tokens"));
}

}  // namespace
}  // namespace rondo
