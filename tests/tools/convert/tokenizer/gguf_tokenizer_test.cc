#include "tools/convert/tokenizer/gguf_tokenizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/temp_folder.h"
#include "tests/tools/convert/sources/gguf/gguf_writer.h"
#include "tools/convert/common/fail.h"
#include "tools/convert/sources/gguf/keys.h"

namespace rondo::convert {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class GgufTokenizerTest : public testing::Test {
 protected:
  static GgufWriter Model(const std::string& kind) {
    GgufWriter writer;
    writer.Key("general.architecture", std::string("llama")).Key("tokenizer.ggml.model", kind);
    return writer;
  }
  // Tokens 0 to 3, the last two of which are not text.
  static GgufWriter Bytes(const std::string& pre) {
    GgufWriter writer = Model("gpt2");
    writer.Key("tokenizer.ggml.pre", pre)
        .Array<std::string>("tokenizer.ggml.tokens", {"a", "aa", "<s>", "<think>"})
        .Array<int32_t>("tokenizer.ggml.token_type", {1, 1, 3, 4})
        .Array<std::string>("tokenizer.ggml.merges", {"a a"})
        .Key("tokenizer.ggml.bos_token_id", uint32_t{2});
    return writer;
  }
  static GgufWriter Pieces() {
    GgufWriter writer = Model("llama");
    writer.Array<std::string>("tokenizer.ggml.tokens", {"<unk>", "<s>", "<0x41>", "a", "aa"})
        .Array<int32_t>("tokenizer.ggml.token_type", {2, 3, 6, 1, 1})
        .Array<float>("tokenizer.ggml.scores", {0, 0, 0, -2, -1})
        .Key("tokenizer.ggml.bos_token_id", uint32_t{1});
    return writer;
  }
  json Read(const GgufWriter& writer) {
    const GgufFile file(writer.Save(folder_ / "model.gguf"));
    notes_.clear();
    return ReadGgufTokenizer(GgufKeys(file).all(), file.metadata(), "model.gguf", notes_);
  }
  std::string Refusal(const GgufWriter& writer) {
    try {
      Read(writer);
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("model.gguf"));
      return error.what();
    }
    return "";
  }

  TempFolder folder_;
  std::vector<std::string> notes_;
};

TEST_F(GgufTokenizerTest, BytePairsAsGpt2SplitsThem) {
  const json document = Read(Bytes("gpt-2"));
  EXPECT_THAT(notes_, IsEmpty());
  EXPECT_EQ(document.at("model"),
            json::parse(R"({"type": "BPE", "ignore_merges": false, "merges": ["a a"],
                            "vocab": {"a": 0, "aa": 1, "<s>": 2, "<think>": 3}})"));
  EXPECT_TRUE(document.at("normalizer").is_null());
  EXPECT_EQ(document.at("pre_tokenizer").at("pretokenizers").size(), 1u);
  EXPECT_EQ(document.at("pre_tokenizer").at("pretokenizers").at(0).at("use_regex"), true);
  ASSERT_EQ(document.at("added_tokens").size(), 2u);
  EXPECT_EQ(document.at("added_tokens").at(0).at("special"), true);
  EXPECT_EQ(document.at("added_tokens").at(1).at("content"), "<think>");
  EXPECT_EQ(document.at("added_tokens").at(1).at("special"), false);
  EXPECT_THAT(document.at("post_processor").dump(), testing::Not(HasSubstr("<s>")));
}

TEST_F(GgufTokenizerTest, NamesOfPatternsBringWhatBelongsToThem) {
  json document = Read(Bytes("llama-bpe"));
  EXPECT_EQ(document.at("model").at("ignore_merges"), true);
  EXPECT_THAT(document.at("pre_tokenizer").dump(), HasSubstr("{1,3}"));
  EXPECT_THAT(document.at("post_processor").dump(), HasSubstr("<s>"));
  document = Read(Bytes("qwen2"));
  EXPECT_EQ(document.at("normalizer").at("type"), "NFC");
  document = Read(Bytes("smollm"));
  EXPECT_EQ(document.at("pre_tokenizer").at("pretokenizers").at(0).at("type"), "Digits");
}

TEST_F(GgufTokenizerTest, TheFileSaysWhatStandsAroundAText) {
  EXPECT_THAT(
      Read(Bytes("gpt-2").Key("tokenizer.ggml.add_bos_token", true)).at("post_processor").dump(),
      HasSubstr("<s>"));
  EXPECT_THAT(Read(Bytes("llama-bpe").Key("tokenizer.ggml.add_bos_token", false))
                  .at("post_processor")
                  .dump(),
              testing::Not(HasSubstr("<s>")));
}

TEST_F(GgufTokenizerTest, AbsentPatternsAreAssumedAloud) {
  EXPECT_FALSE(Read(Bytes("default")).is_null());
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("as GPT-2 does it is assumed")));
}

TEST_F(GgufTokenizerTest, PiecesWithScores) {
  const json document = Read(Pieces());
  EXPECT_EQ(document.at("model").at("byte_fallback"), true);
  EXPECT_EQ(document.at("model").at("merges"), json::parse(R"([["a", "a"]])"));
  EXPECT_EQ(document.at("model").at("unk_token"), "<unk>");
  EXPECT_THAT(document.at("post_processor").dump(), HasSubstr("<s>"));
  EXPECT_THAT(document.at("normalizer").dump(), HasSubstr("Prepend"));
  EXPECT_THAT(Read(Pieces().Key("tokenizer.ggml.add_space_prefix", false)).at("normalizer").dump(),
              testing::Not(HasSubstr("Prepend")));
}

TEST_F(GgufTokenizerTest, Unigram) {
  GgufWriter writer = Model("t5");
  writer.Array<std::string>("tokenizer.ggml.tokens", {"<unk>", "</s>", "a"})
      .Array<int32_t>("tokenizer.ggml.token_type", {2, 3, 1})
      .Array<float>("tokenizer.ggml.scores", {0, 0, -1})
      .Key("tokenizer.ggml.eos_token_id", uint32_t{1})
      .Array<uint8_t>("tokenizer.ggml.precompiled_charsmap", {1, 2, 255});
  const json document = Read(writer);
  EXPECT_EQ(document.at("model").at("type"), "Unigram");
  EXPECT_THAT(document.at("normalizer").dump(), HasSubstr("AQL/"));
  EXPECT_THAT(document.at("post_processor").dump(), HasSubstr("</s>"));
}

// The merges are the file's, spaces are written as SentencePiece does, and nothing splits the text.
TEST_F(GgufTokenizerTest, PiecesWithMerges) {
  const auto model = [](const std::string& kind) {
    GgufWriter writer = Model(kind);
    writer.Array<std::string>("tokenizer.ggml.tokens", {"<unk>", "<bos>", "<0x41>", "a", "aa"})
        .Array<int32_t>("tokenizer.ggml.token_type", {2, 3, 6, 1, 1})
        .Array<std::string>("tokenizer.ggml.merges", {"a a"})
        .Key("tokenizer.ggml.bos_token_id", uint32_t{1})
        .Key("tokenizer.ggml.add_bos_token", false);
    return writer;
  };
  const json document = Read(model("gemma4"));
  EXPECT_EQ(document.at("model").at("merges"), json::parse(R"(["a a"])"));
  EXPECT_EQ(document.at("model").at("byte_fallback"), true);
  EXPECT_TRUE(document.at("pre_tokenizer").is_null());
  EXPECT_EQ(document.at("normalizer").at("normalizers").size(), 1u);
  EXPECT_THAT(document.at("post_processor").dump(), HasSubstr("<bos>"));
  EXPECT_EQ(Read(model("gpt2").Key("tokenizer.ggml.pre", std::string("gemma4"))), document);
  EXPECT_THAT(Read(model("gpt2").Key("tokenizer.ggml.pre", std::string("sarvam-moe")))
                  .at("post_processor")
                  .dump(),
              testing::Not(HasSubstr("<bos>")));
}

TEST_F(GgufTokenizerTest, NoTokenizerIsSaid) {
  for (const char* kind : {"none", "no_vocab"}) {
    EXPECT_TRUE(Read(Model(kind)).is_null());
    EXPECT_THAT(notes_, ElementsAre(HasSubstr("token ids only")));
  }
}

TEST_F(GgufTokenizerTest, RefusesWhatItCannotMeet) {
  EXPECT_THAT(Refusal(Model("rwkv")),
              HasSubstr("key tokenizer.ggml.model is rwkv; known: gpt2, gemma4, llama, t5, none"));
  EXPECT_THAT(Refusal(Model("gpt2")), HasSubstr("key tokenizer.ggml.tokens is missing"));
  EXPECT_THAT(Refusal(Model("gpt2").Array<std::string>("tokenizer.ggml.tokens", {})),
              HasSubstr("key tokenizer.ggml.tokens has 0 elements"));
  EXPECT_THAT(Refusal(Model("gpt2").Array<uint32_t>("tokenizer.ggml.tokens", {1})),
              HasSubstr("key tokenizer.ggml.tokens is not an array of strings"));
  EXPECT_THAT(Refusal(Bytes("wild")), AllOf(HasSubstr("key tokenizer.ggml.pre is wild"),
                                            HasSubstr("known: default, gpt-2")));
  EXPECT_THAT(Refusal(Model("gpt2").Array<std::string>("tokenizer.ggml.tokens", {"a"})),
              HasSubstr("key tokenizer.ggml.merges is missing"));
  EXPECT_THAT(Refusal(Model("llama").Array<std::string>("tokenizer.ggml.tokens", {"a"})),
              HasSubstr("key tokenizer.ggml.scores is missing"));
  EXPECT_THAT(
      Refusal(Model("llama")
                  .Array<std::string>("tokenizer.ggml.tokens", {"a", "b"})
                  .Array<float>("tokenizer.ggml.scores", {1})),
      HasSubstr("key tokenizer.ggml.scores has 1 elements, expected one for each of the 2"));
  EXPECT_THAT(Refusal(Model("gpt2")
                          .Array<std::string>("tokenizer.ggml.tokens", {"a"})
                          .Array<int32_t>("tokenizer.ggml.token_type", {9})),
              HasSubstr("key tokenizer.ggml.token_type holds 9"));
  EXPECT_THAT(Refusal(Bytes("gpt-2").Key("tokenizer.ggml.add_eos_token", true)),
              HasSubstr("key tokenizer.ggml.eos_token_id is missing"));
}

TEST_F(GgufTokenizerTest, AnIdThatIsNoTokenIsToldAndLeftOut) {
  const json document = Read(Bytes("gpt-2")
                                 .Key("tokenizer.ggml.add_eos_token", true)
                                 .Key("tokenizer.ggml.eos_token_id", uint32_t{4}));
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("key tokenizer.ggml.eos_token_id holds 4")));
  EXPECT_EQ(document.at("post_processor"), Read(Bytes("gpt-2")).at("post_processor"));
}

TEST_F(GgufTokenizerTest, EveryTokenHasItsTextThoughAnotherHasItToo) {
  GgufWriter writer = Model("llama");
  writer.Array<std::string>("tokenizer.ggml.tokens", {"<unk>", "<s>", "a", "a", "<s>"})
      .Array<int32_t>("tokenizer.ggml.token_type", {2, 3, 1, 1, 1})
      .Array<float>("tokenizer.ggml.scores", {0, 0, -1, -1, -1})
      .Key("tokenizer.ggml.bos_token_id", uint32_t{1});
  const json document = Read(writer);
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("(2, the first is 2)")));
  // The last of two, but one that is found before anything is split.
  EXPECT_EQ(document.at("model").at("vocab"), json::parse(R"({"<unk>": 0, "<s>": 1, "a": 3})"));
  EXPECT_EQ(document.at("repeated"), json::parse(R"([[2, "a"], [4, "<s>"]])"));
}

}  // namespace
}  // namespace rondo::convert
