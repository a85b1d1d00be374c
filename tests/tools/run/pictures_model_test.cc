// Pictures on the command line: `rondo run`, `logits`, `inspect`, `bench` and `convert` of a model
// that sees, held to what transformers makes of the same.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/support/npz.h"
#include "tests/support/reference_data.h"
#include "tests/tools/run_tool.h"
#include "tools/common/library.h"

namespace rondo::tools::pictures_model_test {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;
using Json = nlohmann::json;

const std::filesystem::path kMedia = SharedData("media");
const std::filesystem::path kReference = kMedia / "smolvlm" / "a";

std::string PictureFile(const std::string& name) {
  return (kMedia / "pictures" / (name + ".png")).string();
}

std::string ImagesOf(const Json& test) {
  std::string flags;
  for (const Json& name : test.at("pictures")) {
    flags += " --image '" + PictureFile(name.get<std::string>()) + "'";
  }
  return flags;
}

class Pictures : public testing::Test {
 protected:
  void SetUp() override {
    RONDO_SKIP_WITHOUT(kReference);
    std::ifstream file(kReference / "cases.json");
    cases_ = Json::parse(file).at("cases");
    model_ = tool_.Convert(kReference.string(), "f32");
  }
  // The text of a prompt goes through a file: it has line ends.
  ToolResult Run(const std::string& prompt, const std::string& flags) {
    tool_.Write("prompt", prompt);
    return tool_("run " + model_ + " - --raw --greedy --ignore-eos --max-tokens 1 --kv f32 " +
                 flags + " < '" + tool_.Path("prompt") + "'");
  }
  std::string Text(int32_t token) const {
    const Model model = OpenModel(tool_.Path("f32.rondo"));
    return model.Detokenize({&token, 1});
  }

  ToolRunner tool_;
  std::string model_;
  Json cases_;
};

TEST_F(Pictures, TheNextTokenIsThatOfTransformers) {
  const Npz expected(kReference / "expected.npz");
  for (const Json& test : cases_) {
    const std::string name = test.at("name");
    SCOPED_TRACE(name);
    const int16_t next = expected.At(name + ".logits_argmax").As<int16_t>().back();
    const ToolResult result = Run(test.at("prompt"), ImagesOf(test));
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(result.out, Text(next) + "\n");
    EXPECT_EQ(result.err, "");
  }
}

TEST_F(Pictures, LogitsAreThoseOfTransformers) {
  const Npz expected(kReference / "expected.npz");
  const std::string out = tool_.Path("logits.npy");
  for (const Json& test : cases_) {
    const std::string name = test.at("name");
    SCOPED_TRACE(name);
    const NpyArray theirs = expected.At(name + ".logits");
    const size_t vocab = theirs.shape.back();
    // Quotes of the shell keep the prompt's line ends.
    const ToolResult result =
        tool_("logits " + model_ + " --prompt '" + test.at("prompt").get<std::string>() + "'" +
              ImagesOf(test) + " --kv f32 -o '" + out + "'");
    ASSERT_EQ(result.code, 0) << result.err;
    const std::string bytes = tool_.Read("logits.npy");
    std::vector<float> ours(vocab);
    const size_t row = vocab * sizeof(float);
    ASSERT_GT(bytes.size(), row);
    std::memcpy(ours.data(), bytes.data() + bytes.size() - row, row);
    const std::vector<float> all = theirs.As<float>();
    double largest = 0;
    for (size_t i = 0; i < vocab; ++i) {
      largest = std::max(largest, std::abs(double{ours[i]} - all[all.size() - vocab + i]));
    }
    EXPECT_LT(largest, 5e-3) << "their deviation is 2.4";
    const size_t tokens = test.at("tokens"), media = test.at("media_tokens");
    EXPECT_EQ((bytes.size() - 128) % row, 0u);
    EXPECT_LT((bytes.size() - 128) / row, tokens - media) << "pictures have no rows";
  }
}

TEST_F(Pictures, StandWhereThePromptHasThemOrInFront) {
  const std::string picture = " --image '" + PictureFile("p160x20") + "'";
  const ToolResult placed = Run("<image> the wide one", picture);
  EXPECT_EQ(Run(" the wide one", picture).out, placed.out);
  EXPECT_EQ(placed.code, 0) << placed.err;
  const ToolResult two = Run("<image><image> the wide one", picture);
  EXPECT_EQ(two.code, 1);
  EXPECT_THAT(two.err, HasSubstr("has <image> (token 283) 2 times, but there is 1 picture"));
  const ToolResult one = Run("<image> the wide one", picture + picture);
  EXPECT_EQ(one.code, 1);
  EXPECT_THAT(one.err, HasSubstr("1 time, but there are 2 pictures"));
}

TEST_F(Pictures, APlaceWithoutOneIsRefused) {
  const std::string npy = tool_.Path("x.npy");
  for (const ToolResult& result :
       {Run("a <image> b", ""), tool_("logits " + model_ + " --ids 5,283,7 -o '" + npy + "'")}) {
    EXPECT_EQ(result.code, 1);
    EXPECT_THAT(result.err, HasSubstr("has <image> (token 283) 1 time, but no picture is given"));
    EXPECT_EQ(result.out, "");
  }
}

TEST_F(Pictures, OneTileIsLess) {
  const std::string picture = " --image '" + PictureFile("p160x20") + "'";
  const std::string whole = tool_("inspect " + model_ + " --image 160x20 --one-tile").out;
  EXPECT_THAT(whole, ContainsRegex("rows +4\n"));
  EXPECT_THAT(whole, Not(HasSubstr("tiles")));
  EXPECT_EQ(Run("<image> the wide one", picture + " --one-tile").code, 0);
  const ToolResult budget = Run("<image>", picture + " --image-tokens 8");
  EXPECT_EQ(budget.code, 2);
  EXPECT_THAT(budget.err, HasSubstr("--image-tokens: 8, but the number of rows of this model's"));
  for (const char* const flag : {"--one-tile", "--image-tokens 8"}) {
    EXPECT_EQ(Run("x", flag).code, 2) << flag;
  }
}

TEST_F(Pictures, WhatIsNoneIsRefused) {
  tool_.Write("text.png", "no picture");
  const ToolResult text = Run("", "--image '" + tool_.Path("text.png") + "'");
  EXPECT_EQ(text.code, 1);
  EXPECT_THAT(text.err, HasSubstr("it is neither JPEG, PNG nor WebP"));
  const ToolResult none = Run("", "--image '" + tool_.Path("none.png") + "'");
  EXPECT_EQ(none.code, 1);
  EXPECT_THAT(none.err, HasSubstr("none.png"));
  const std::string blind = tool_.Convert(std::string(kTestData) + "/tiny", "q8");
  for (const std::string& command : {"run " + blind + " x", "logits " + blind + " --prompt x -o '" +
                                                                tool_.Path("x.npy") + "'"}) {
    const ToolResult result = tool_(command + " --image '" + PictureFile("p48x48") + "'");
    EXPECT_EQ(result.code, 1) << command;
    EXPECT_THAT(result.err, HasSubstr("this model reads texts alone; if its checkpoint sees"));
  }
}

TEST_F(Pictures, InspectTellsWhatSees) {
  const std::string facts = tool_("inspect " + model_).out;
  EXPECT_THAT(facts, ContainsRegex("sees +f32\n"));
  EXPECT_THAT(facts,
              ContainsRegex("sight +2 layers of [0-9]+, [0-9,]+ weights of matrices in f32\n"));
  EXPECT_THAT(facts, ContainsRegex("pictures +scaled to a longer side of .* tiles of 64 x 64"));
  // The case "odd": 28 rows in 58 positions, with two texts around the picture.
  const std::string picture = tool_("inspect " + model_ + " --image 123x77").out;
  EXPECT_THAT(picture, ContainsRegex("rows +28\n"));
  EXPECT_THAT(picture, ContainsRegex("tiles +3 x 2 of 64 x 64 pixels\n"));
  for (const char* const size : {"123", "123x", "x77", "0x5", "1x70000"}) {
    EXPECT_EQ(tool_("inspect " + model_ + " --image " + size).code, 2) << size;
  }
  EXPECT_EQ(tool_("inspect " + model_ + " --image 123X77").out, picture);
  EXPECT_THAT(facts, HasSubstr("token 283 (<image>)"));
  const std::string plan = tool_("inspect " + model_ + " --plan --image-rows 100").out;
  EXPECT_THAT(plan, HasSubstr("sight: canvas"));
  EXPECT_THAT(tool_("inspect " + model_ + " --plan").out, Not(HasSubstr("sight:")));
  EXPECT_EQ(tool_("inspect " + model_ + " --plan --image 123x77").out,
            tool_("inspect " + model_ + " --plan --image-rows 28").out);
  EXPECT_EQ(tool_("inspect " + model_ + " --check --image 123x77").code, 2);
  EXPECT_EQ(tool_("inspect " + model_ + " --image-rows 100").code, 2);
}

TEST_F(Pictures, ConversionSaysWhatSees) {
  const std::string out = " -o '" + tool_.Path("other.rondo") + "'";
  const ToolResult small =
      tool_("convert '" + kReference.string() + "'" + out + " --weights q4 --media-weights q4");
  EXPECT_EQ(small.code, 0) << small.err;
  EXPECT_THAT(small.out, HasSubstr("; sees pictures, by weights in q4\n"));
  EXPECT_THAT(tool_("inspect '" + tool_.Path("other.rondo") + "'").out,
              ContainsRegex("sees +q4\n"));
  const ToolResult usual = tool_("convert '" + kReference.string() + "'" + out);
  EXPECT_THAT(usual.out, HasSubstr("; sees pictures, by weights in q8\n"));

  const ToolResult blind = tool_("convert '" + kReference.string() + "'" + out + " --text-only");
  EXPECT_EQ(blind.code, 0) << blind.err;
  EXPECT_THAT(blind.out, Not(HasSubstr("sees")));
  EXPECT_THAT(blind.out, HasSubstr("model.vision_model.* (37 tensors)"));
  const std::string facts = tool_("inspect '" + tool_.Path("other.rondo") + "'").out;
  EXPECT_THAT(facts, Not(HasSubstr("sight")));
  EXPECT_EQ(tool_("convert x -o y --text-only --media-weights q8").code, 2);

  // A family whose tower is not known converts as a text's model.
  const std::string folder = tool_.Path("unknown");
  std::filesystem::copy(kReference, folder);
  Json config = Json::parse(tool_.Read("unknown/config.json"));
  config["vision_config"]["model_type"] = "third_eye";
  config["model_type"] = "llava";
  config["architectures"] = {"LlavaForConditionalGeneration"};
  config["text_config"]["model_type"] = "llama";
  tool_.Write("unknown/config.json", config.dump());
  const ToolResult unknown = tool_("convert '" + folder + "'" + out);
  EXPECT_EQ(unknown.code, 0) << unknown.err;
  EXPECT_THAT(unknown.out, HasSubstr("note: the model will not see: what sees in a llava with "
                                     "third_eye is of a family that is not known\n"));
}

TEST_F(Pictures, BenchEncodesThem) {
  const ToolResult result = tool_("bench " + model_ + " --image 123x77 --reps 1 -t 1,2 --json");
  ASSERT_EQ(result.code, 0) << result.err;
  const Json all = Json::parse(result.out);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].at("test"), "encode");
  EXPECT_EQ(all[0].at("tokens"), 28);
  EXPECT_EQ(all[0].at("patches"), 7 * 16);
  EXPECT_GT(all[0].at("positions"), 28);
  EXPECT_EQ(all[1].at("threads"), 2);
  EXPECT_TRUE(all[0].at("limit").is_null()) << "weights in float32";
  EXPECT_EQ(tool_("bench " + model_ + " --image 9x9 -p 5").code, 2);
  EXPECT_EQ(tool_("bench " + model_ + " --one-tile").code, 2);
  const std::string integers = tool_.Convert(kReference.string(), "q8");
  const std::string table = tool_("bench " + integers + " --image 123x77 --reps 1 -t 1").out;
  EXPECT_THAT(table, ContainsRegex("encode .*28 .* %.*OP/s, [0-9]+ positions, 112 patches, .*ms"));
}

}  // namespace
}  // namespace rondo::tools::pictures_model_test
