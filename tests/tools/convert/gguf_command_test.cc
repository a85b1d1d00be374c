// `rondo convert` of GGUF files as a program: what it makes is run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/tools/convert/small_gguf.h"
#include "tests/tools/run_tool.h"

namespace rondo::convert {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class GgufCommand : public testing::Test {
 protected:
  ToolResult Convert(const GgufWriter& writer) {
    writer.Save(tool_.Path("in.gguf"));
    return tool_("convert " + tool_.Path("in.gguf") + " -o " + out_);
  }
  ToolResult Run(const std::string& text) {
    return tool_("run " + out_ + " '" + text + "' --max-tokens 3");
  }
  ToolRunner tool_;
  const std::string out_ = tool_.Path("out.rondo");
};

TEST_F(GgufCommand, AModelInSeveralFilesIsConvertedAndRuns) {
  const auto part = [&](GgufWriter writer, uint16_t number, size_t first, size_t end) {
    writer.Key("split.no", number)
        .Key("split.count", uint16_t{2})
        .Key("split.tensors.count", int32_t{11});
    SmallGguf::AddTensors(writer, first, end);
    writer.Save(tool_.Path("m-0000" + std::to_string(number + 1) + "-of-00002.gguf"));
  };
  part(SmallGguf().Keys(), 0, 0, 5);
  part(GgufWriter(), 1, 5, 10);
  const ToolResult split = tool_("convert " + tool_.Path("m-00001-of-00002.gguf") + " -o " + out_);
  EXPECT_EQ(split.code, 0) << split.err;
  const ToolResult of_split = Run("ab");
  EXPECT_EQ(of_split.code, 0) << of_split.err;
  EXPECT_EQ(Convert(SmallGguf().Whole()).code, 0);
  EXPECT_EQ(Run("ab").out, of_split.out);
}

TEST_F(GgufCommand, ATokenizerMayHaveMoreIdsThanTheEmbeddingHasRows) {
  SmallGguf model;
  model.tokens.insert(model.tokens.end(), {"<more>", "<most>"});
  model.types.insert(model.types.end(), {4, 4});
  const ToolResult converted = Convert(model.Whole());
  EXPECT_EQ(converted.code, 0) << converted.err;
  EXPECT_THAT(converted.out, HasSubstr("text with the tokens above is refused"));
  EXPECT_EQ(tool_("inspect " + out_).code, 0);
  EXPECT_EQ(Run("ab").code, 0);
  const ToolResult refused = Run("ab<more>");
  EXPECT_EQ(refused.code, 1);
  EXPECT_THAT(refused.err, HasSubstr("8"));
}

TEST_F(GgufCommand, WhatItComputesWithIsThereOrIsTold) {
  SmallGguf model;
  model.epsilon = false;
  const ToolResult refused = Convert(model.Whole());
  EXPECT_EQ(refused.code, 1);
  EXPECT_THAT(refused.err, HasSubstr("key llama.attention.layer_norm_rms_epsilon is missing"));
  EXPECT_FALSE(fs::exists(out_));
  model.epsilon = true;
  model.rope_base = false;
  EXPECT_THAT(Convert(model.Whole()).out,
              HasSubstr("key llama.rope.freq_base is missing: assumed 10000"));
  model.rope_base = true;
  EXPECT_THAT(Convert(model.Whole()).out, Not(HasSubstr("assumed")));
}

TEST_F(GgufCommand, IdsThatAreNoTokenAreLeftOut) {
  const ToolResult converted =
      Convert(SmallGguf()
                  .Whole()
                  .Key("tokenizer.ggml.padding_token_id", uint32_t{0xffffffff})
                  .Key("tokenizer.ggml.seperator_token_id", int32_t{-1})
                  .Key("tokenizer.ggml.eot_token_id", uint32_t{8}));
  EXPECT_EQ(converted.code, 0) << converted.err;
  EXPECT_THAT(converted.out,
              AllOf(HasSubstr("padding_token_id holds 4294967295, which is no token"),
                    HasSubstr("seperator_token_id holds -1"), HasSubstr("eot_token_id holds 8")));
  EXPECT_EQ(Run("ab").code, 0);
}

// The config, the tokenizer and the chat all read it.
TEST_F(GgufCommand, AnIdThatIsNoTokenIsToldOnce) {
  SmallGguf model;
  model.bos = 0xffffffff;
  const std::string out = Convert(model.Whole().Key("tokenizer.ggml.add_bos_token", true)).out;
  const size_t first = out.find("bos_token_id");
  EXPECT_THAT(out, HasSubstr("tokenizer.ggml.bos_token_id holds 4294967295"));
  EXPECT_EQ(out.find("bos_token_id", first + 1), std::string::npos) << out;
}

TEST_F(GgufCommand, OnePieceTwiceIsTold) {
  SmallGguf model;
  model.tokens[7] = "ab";
  const ToolResult converted = Convert(model.Whole());
  EXPECT_EQ(converted.code, 0) << converted.err;
  EXPECT_THAT(converted.out, HasSubstr("(1, the first is 6), text becomes the other one"));
  EXPECT_EQ(Run("ab").code, 0);
  model.tokens[6] = model.tokens[7] = "";
  EXPECT_EQ(Convert(model.Whole()).code, 0);
  EXPECT_EQ(Run("ab").code, 0);
}

TEST_F(GgufCommand, KeysThatNobodyReadsMayBeAnything) {
  const ToolResult converted = Convert(SmallGguf()
                                           .Whole()
                                           .Key("general.author", std::string("Andr\xe9"))
                                           .Key("general.name", std::string("Mod\xe8le"))
                                           .Key("general.caf\xe9", uint32_t{1})
                                           .Array<std::string>("general.tags", {"\xff"}));
  EXPECT_EQ(converted.code, 0) << converted.err;
  EXPECT_EQ(Run("ab").code, 0);
}

}  // namespace
}  // namespace rondo::convert
