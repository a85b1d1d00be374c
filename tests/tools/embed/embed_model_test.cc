// `rondo embed`, `rondo rerank`, and what `rondo convert` takes of a folder for them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/tools/run_tool.h"

namespace rondo {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class EmbedTool : public testing::Test {
 protected:
  EmbedTool() {
    std::filesystem::copy(std::string(kTestData) + "/tiny", folder_,
                          std::filesystem::copy_options::recursive);
    Put("modules.json", {{{"path", ""}, {"type", "a.Transformer"}},
                         {{"path", "1_Pooling"}, {"type", "a.Pooling"}},
                         {{"path", "2_Normalize"}, {"type", "a.Normalize"}}});
    Put("1_Pooling/config.json", {{"pooling_mode", "lasttoken"}});
    Put("config_sentence_transformers.json",
        {{"prompts", {{"query", "Find: "}, {"document", ""}}}});
  }

  void Put(const std::string& name, const json& value) const {
    const std::filesystem::path path = std::filesystem::path(folder_) / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << value.dump();
  }
  std::string Refused(const std::string& arguments) const {
    const ToolResult result = tool_(arguments);
    EXPECT_EQ(result.code, 1) << arguments;
    EXPECT_EQ(result.out, "") << arguments;
    return result.err;
  }
  std::string Convert() const {
    return "convert '" + folder_ + "' -o '" + tool_.Path("e.rondo") + "' --weights q8 --force";
  }
  // Of each vector, by spaces.
  static std::vector<std::vector<float>> Vectors(const std::string& lines) {
    std::vector<std::vector<float>> vectors;
    std::istringstream all(lines);
    for (std::string line; std::getline(all, line);) {
      std::istringstream numbers(line);
      vectors.emplace_back(std::istream_iterator<float>(numbers), std::istream_iterator<float>());
    }
    return vectors;
  }

  ToolRunner tool_;
  const std::string folder_ = tool_.Path("model");
};

TEST_F(EmbedTool, EmbedsTextsAndLines) {
  const std::string embed = "embed " + tool_.Convert(folder_, "q8") + " ";
  const ToolResult two = tool_(embed + "'a girl' 'Find: a girl'");
  ASSERT_EQ(two.code, 0) << two.err;
  const auto vectors = Vectors(two.out);
  ASSERT_EQ(vectors.size(), 2u);
  ASSERT_GT(vectors[0].size(), 8u);
  EXPECT_NE(vectors[0], vectors[1]);
  EXPECT_EQ(Vectors(tool_(embed + "--prompt query 'a girl'").out)[0], vectors[1]);
  EXPECT_EQ(Vectors(tool_(embed + "--prompt document 'a girl'").out)[0], vectors[0]);
  EXPECT_EQ(Vectors(tool_(embed + "--prompt '' 'a girl'").out)[0], vectors[0]);
  tool_.Write("lines.txt", "a girl\r\nFind: a girl\n");
  EXPECT_EQ(tool_(embed + "--batch 1 < '" + tool_.Path("lines.txt") + "'").out, two.out);
  const json all = json::parse(tool_(embed + "--json 'a girl' 'Find: a girl'").out);
  EXPECT_EQ(all.get<std::vector<std::vector<float>>>(), vectors);
  const auto cut = Vectors(tool_(embed + "--dimensions 3 'a girl'").out);
  EXPECT_EQ(cut[0].size(), 3u);
  EXPECT_THAT(tool_("inspect " + tool_.Convert(folder_, "q8")).out,
              HasSubstr("vectors of the last token, of length 1; prompts: document, query"));
  // Packed, too.
  const std::string packed = tool_.Path("packed.rondo");
  ASSERT_EQ(tool_("pack '" + tool_.Path("q8.rondo") + "' -o '" + packed + "'").code, 0);
  EXPECT_EQ(tool_("embed '" + packed + "' 'a girl' 'Find: a girl'").out, two.out);
}

// Brackets are CLI11's lists, and white space is what sentence-transformers strips.
TEST_F(EmbedTool, TakesTextsAsTheyWereTyped) {
  const std::string embed = "embed " + tool_.Convert(folder_, "q8") + " ";
  const std::vector<std::string> texts = {"[a, b]", "[]", "[x]", "a, b", "[1] see there [2]"};
  std::string lines;
  for (const std::string& text : texts) {
    const ToolResult typed = tool_(std::string(embed).append("'").append(text).append("'"));
    EXPECT_EQ(Vectors(typed.out).size(), 1u) << text << typed.err;
    tool_.Write("line", text + "\n");
    EXPECT_EQ(tool_(embed + "< '" + tool_.Path("line") + "'").out, typed.out) << text;
    lines += typed.out;
  }
  EXPECT_EQ(tool_(embed + "'[a, b]' '[]' '[x]' 'a, b' '[1] see there [2]'").out, lines);
  EXPECT_NE(tool_(embed + "'[x]'").out, tool_(embed + "x").out);
  const std::string plain = tool_(embed + "'a girl'").out;
  tool_.Write("spaces",
              " \t a girl \xe3\x80\x80\xc2\xa0\n\x1f"
              "a girl\v\n");
  EXPECT_EQ(tool_(embed + "< '" + tool_.Path("spaces") + "'").out, plain + plain);
  // Behind the prompt, whose own end is inside.
  EXPECT_EQ(tool_(embed + "--prompt query ' a girl '").out, tool_(embed + "'Find:  a girl'").out);
}

TEST_F(EmbedTool, CutsWhatIsTooLong) {
  Put("sentence_bert_config.json", {{"max_seq_length", 8}});
  const std::string embed = "embed " + tool_.Convert(folder_, "q8") + " ";
  const std::string text = "Once upon a time there was a little girl who lived in a village.";
  const ToolResult cut = tool_(embed + "'a girl' '" + text + "' 'a girl'");
  EXPECT_EQ(cut.code, 0);
  EXPECT_EQ(Vectors(cut.out).size(), 3u);
  EXPECT_THAT(cut.err, testing::ContainsRegex("note: text 2 has [0-9]+ tokens, the model takes 8"));
  tool_.Write("lines", "a girl\n" + text + "\na girl\n");
  const ToolResult lines = tool_(embed + "< '" + tool_.Path("lines") + "'");
  EXPECT_EQ(lines.out, cut.out);
  EXPECT_THAT(lines.err, HasSubstr("note: line 2 has "));
  EXPECT_EQ(tool_(embed + "'a girl'").err, "");
  EXPECT_THAT(Refused(embed + "--too-long refuse 'a girl' '" + text + "'"),
              HasSubstr("text 2 has "));
  // What is kept is the begin.
  const ToolResult longer = tool_(embed + "'" + text + " And then?'");
  EXPECT_EQ(longer.out, tool_(embed + "'" + text + "'").out);
}

// The longest text by whatever says it, in the order in which sentence-transformers looks.
TEST_F(EmbedTool, FollowsEachConfigOfTheLongestText) {
  const std::string text = "'Once upon a time there was a little girl who lived in a village.'";
  const auto takes = [&] {
    EXPECT_EQ(tool_(Convert()).code, 0);
    return tool_("embed '" + tool_.Path("e.rondo") + "' " + text).err;
  };
  Put("tokenizer_config.json", {{"model_max_length", 9}, {"bos_token", "<|bos|>"}});
  EXPECT_THAT(takes(), HasSubstr("the model takes 9:"));
  Put("sentence_roberta_config.json", {{"max_seq_length", 7}});
  EXPECT_THAT(takes(), HasSubstr("the model takes 7:"));
  Put("sentence_bert_config.json", {{"max_seq_length", 6}});
  EXPECT_THAT(takes(), HasSubstr("the model takes 6:"));
  std::filesystem::remove(std::filesystem::path(folder_) / "sentence_bert_config.json");
  for (const char* name :
       {"roberta", "distilbert", "camembert", "albert", "xlm-roberta", "xlnet"}) {
    const std::string file = std::string("sentence_") + name + "_config.json";
    Put(file, {{"do_lower_case", true}});
    EXPECT_THAT(Refused(Convert()), HasSubstr(file + ": key do_lower_case is true")) << name;
    std::filesystem::remove(std::filesystem::path(folder_) / file);
  }
  Put("tokenizer_config.json", {{"model_max_length", 0}});
  EXPECT_THAT(Refused(Convert()), HasSubstr("model_max_length is 0, expected an integer from 1"));
}

TEST_F(EmbedTool, TakesTextsOrIds) {
  const std::string embed = "embed " + tool_.Convert(folder_, "q8") + " ";
  for (const char* both : {"--ids 5,6 a", "--ids 5,6 --prompt query", "--bench a",
                           "--bench --ids 5", "--bench --prompt query a"}) {
    const ToolResult result = tool_(embed + both);
    EXPECT_EQ(result.code, 2) << both;
    EXPECT_EQ(result.out, "") << both;
    EXPECT_THAT(result.err, HasSubstr("excludes")) << both;
  }
  EXPECT_EQ(Vectors(tool_(embed + "--ids 5,6").out).size(), 1u);
}

TEST_F(EmbedTool, SaysWhatIsWrong) {
  const std::string model = tool_.Convert(folder_, "q8");
  EXPECT_THAT(Refused("embed " + model + " --prompt other a"),
              HasSubstr("the model has no prompt \"other\"; it has document, query"));
  EXPECT_THAT(Refused("embed " + model + " --dimensions 100000 a"),
              HasSubstr("dimensions is 100000; the model's vectors have "));
  EXPECT_THAT(Refused("embed " + model + " < /dev/null"), HasSubstr("there is no text"));
  EXPECT_THAT(Refused("rerank " + model + " --query a b"), HasSubstr("use `rondo embed`"));
  EXPECT_THAT(Refused("run " + model + " a"), HasSubstr("predicts no tokens"));
  EXPECT_THAT(Refused("bench " + model), HasSubstr("`rondo embed --bench` measures that"));
  std::filesystem::remove(std::filesystem::path(folder_) / "modules.json");
  const ToolRunner other;
  const std::string predicts = other.Convert(folder_, "q8");
  EXPECT_THAT(Refused("embed " + predicts + " a"), HasSubstr("the model predicts tokens"));
  EXPECT_THAT(Refused("rerank " + predicts + " --query a b"), HasSubstr("predicts tokens"));
}

TEST_F(EmbedTool, ConvertRefusesWhatItDoesNotKnow) {
  Put("1_Pooling/config.json", {{"pooling_mode_max_tokens", true}});
  EXPECT_THAT(Refused(Convert()), HasSubstr("pooling_mode_max_tokens is true"));
  Put("1_Pooling/config.json",
      {{"pooling_mode_mean_tokens", true}, {"pooling_mode_cls_token", true}});
  EXPECT_THAT(Refused(Convert()), HasSubstr("is true beside another pooling"));
  Put("1_Pooling/config.json", {{"pooling_mode_mean_tokens", false}});
  EXPECT_THAT(Refused(Convert()), HasSubstr("as are all other poolings"));
  Put("1_Pooling/config.json", {{"pooling_mode", "mean"}, {"include_prompt", false}});
  EXPECT_THAT(Refused(Convert()), HasSubstr("include_prompt is false"));
  Put("1_Pooling/config.json", {{"pooling_mode", "mean"}});
  Put("config_sentence_transformers.json",
      {{"prompts", {{"a", "b"}}}, {"default_prompt_name", "c"}});
  EXPECT_THAT(Refused(Convert()), HasSubstr("default_prompt_name is c, which is none"));
  Put("config_sentence_transformers.json", {{"prompts", {{"a", 3}}}});
  EXPECT_EQ(tool_(Convert()).code, 1);
  Put("config_sentence_transformers.json", json::object());
  Put("modules.json",
      {{{"path", ""}, {"type", "a.Transformer"}}, {{"path", ""}, {"type", "a.WK"}}});
  EXPECT_THAT(Refused(Convert()), HasSubstr("module 1 is a WK; known: Transformer, Pooling"));
  Put("modules.json", {{{"path", ""}, {"type", "a.Transformer"}},
                       {{"path", "../1_Pooling"}, {"type", "a.Pooling"}}});
  EXPECT_THAT(Refused(Convert()), HasSubstr("leads out of the folder"));
  Put("modules.json",
      {{{"path", "1_Pooling"}, {"type", "a.Pooling"}}, {{"path", ""}, {"type", "a.Transformer"}}});
  EXPECT_THAT(Refused(Convert()), HasSubstr("is not in its place"));
  Put("modules.json", {{{"path", ""}, {"type", "a.Transformer"}}});
  EXPECT_THAT(Refused(Convert()), HasSubstr("with Pooling or LogitScore behind it"));
  Put("sentence_bert_config.json", {{"do_lower_case", true}});
  Put("modules.json",
      {{{"path", ""}, {"type", "a.Transformer"}}, {{"path", "1_Pooling"}, {"type", "a.Pooling"}}});
  EXPECT_THAT(Refused(Convert()), HasSubstr("do_lower_case is true, but the tokenizer keeps"));
  Put("sentence_bert_config.json", {{"do_lower_case", false}});
  Put("modules.json", json::object());
  EXPECT_THAT(Refused(Convert()), HasSubstr("is not a list of modules"));
  Put("modules.json", {{{"path", ""}, {"type", "a.Transformer"}},
                       {{"path", "1_Pooling"}, {"type", "a.LogitScore"}}});
  Put("1_Pooling/config.json", {{"true_token_id", 5}});
  EXPECT_THAT(Refused(Convert()), HasSubstr("no other model that scores pairs by the logits"));
}

}  // namespace
}  // namespace rondo
