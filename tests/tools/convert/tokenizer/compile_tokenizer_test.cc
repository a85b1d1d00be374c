// The tiny model's tokenizer, compiled: what it must know, and what a damaged file is told.
#include "tools/convert/tokenizer/compile_tokenizer.h"

#include <nlohmann/json.hpp>

#include "gtest/gtest.h"
#include "tests/runtime/text/compiled_tokenizer.h"
#include "tests/support/places.h"
#include "tests/tools/error_of.h"
#include "tools/convert/common/fail.h"

namespace rondo::convert::compile_tokenizer_test {
namespace {

using rondo::test::CompiledTokenizer;
using rondo::test::Decode;
using rondo::test::Encode;

TEST(CompileTokenizer, TinyRoundTrip) {
  const CompiledTokenizer compiled(std::filesystem::path(kTestData) / "tiny");
  const std::unique_ptr<Tokenizer> tokenizer = compiled.Create();
  ASSERT_NE(tokenizer, nullptr);
  EXPECT_EQ(tokenizer->vocab_size(), 2048u);
  EXPECT_EQ(tokenizer->AddedTokenId("<|eos|>"), 1);
  EXPECT_EQ(tokenizer->AddedTokenId("<|EOS|>"), -1);
  EXPECT_TRUE(tokenizer->IsSpecial(0));
  EXPECT_FALSE(tokenizer->IsSpecial(3));
  EXPECT_EQ(tokenizer->settings().golden()->size(), 12u);
  EXPECT_TRUE(tokenizer->CheckGolden().ok());

  const std::string text = "Today's weather is so\n  n\u00EFce, \u4F60\u597D 12345<|eos|>!";
  const std::vector<int32_t> ids = Encode(*tokenizer, text, /*add_special=*/true);
  EXPECT_EQ(ids.front(), 0);
  EXPECT_EQ(std::count(ids.begin(), ids.end(), 1), 1);
  EXPECT_EQ(Decode(*tokenizer, ids, /*skip_special=*/false), "<|bos|>" + text);
}

// A change to the tiny model's tokenizer.json, as JSON patch, and what the refusal must name.
struct Refused {
  const char* name;
  const char* patch;
  const char* key;
};

class CompileTokenizerRefuses : public ::testing::TestWithParam<Refused> {};

TEST_P(CompileTokenizerRefuses, NamingFileAndKey) {
  std::ifstream file(std::filesystem::path(kTestData) / "tiny" / "tokenizer.json");
  const nlohmann::json changed =
      nlohmann::json::parse(file).patch(nlohmann::json::parse(GetParam().patch));
  try {
    rondo::test::CompileJson(changed.dump());
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("tokenizer.json: "), std::string::npos)
        << error.what();
    EXPECT_NE(std::string(error.what()).find(GetParam().key), std::string::npos) << error.what();
  }
}

INSTANTIATE_TEST_SUITE_P(
    Tiny, CompileTokenizerRefuses,
    ::testing::Values(
        Refused{"NoModel", R"([{"op":"remove","path":"/model"}])", "model is missing"},
        Refused{"WordPiece", R"([{"op":"replace","path":"/model/type","value":"WordPiece"}])",
                "model is WordPiece after ByteLevel"},
        Refused{"UnknownModel", R"([{"op":"replace","path":"/model/type","value":"WordLevel"}])",
                "model.type is 'WordLevel'"},
        Refused{"Unigram", R"([{"op":"replace","path":"/model/type","value":"Unigram"}])",
                "model is Unigram after ByteLevel"},
        Refused{"NoVocab", R"([{"op":"remove","path":"/model/vocab"}])", "model.vocab is missing"},
        Refused{"NegativeId", R"([{"op":"add","path":"/model/vocab/zzz","value":-1}])",
                "model.vocab['zzz'] is -1"},
        Refused{"HugeId", R"([{"op":"add","path":"/model/vocab/zzz","value":4000000000}])",
                "model.vocab['zzz'] is 4000000000"},
        Refused{"IdTwice", R"([{"op":"add","path":"/model/vocab/zzz","value":7}])",
                "model.vocab gives id 7"},
        Refused{"MergeOfUnknown", R"([{"op":"add","path":"/model/merges/0","value":["q","zzz"]}])",
                "model.merges[0] needs 'zzz'"},
        Refused{"MergeTwice",
                R"([{"op":"copy","from":"/model/merges/3","path":"/model/merges/9"}])",
                "model.merges[9] is there a second time"},
        Refused{"MergeOfThree", R"([{"op":"add","path":"/model/merges/0","value":"a b c"}])",
                "model.merges[0] is 'a b c'"},
        Refused{"Dropout", R"([{"op":"replace","path":"/model/dropout","value":0.1}])",
                "model.dropout"},
        Refused{"UnknownUnk", R"([{"op":"replace","path":"/model/unk_token","value":"zzz"}])",
                "model.unk_token is 'zzz'"},
        Refused{"Normalizer", R"([{"op":"replace","path":"/normalizer","value":{"type":"Nmt"}}])",
                "normalizer.type is 'Nmt'"},
        Refused{"PreTokenizer",
                R"([{"op":"replace","path":"/pre_tokenizer","value":{"type":"UnicodeScripts"}}])",
                "pre_tokenizer.type is 'UnicodeScripts'"},
        Refused{
            "Pattern",
            R"([{"op":"replace","path":"/pre_tokenizer/pretokenizers/0/pattern/Regex","value":"\\b"}])",
            "pre_tokenizer.pretokenizers[0].pattern has '\\b'"},
        Refused{"PostProcessor",
                R"([{"op":"replace","path":"/post_processor","value":{"type":"Custom"}}])",
                "post_processor.type is 'Custom'"},
        Refused{
            "TemplateId",
            R"([{"op":"replace","path":"/post_processor/special_tokens/<|bos|>/ids/0","value":9999}])",
            "post_processor names id 9999"},
        Refused{"Decoder", R"([{"op":"replace","path":"/decoder","value":{"type":"CTC"}}])",
                "decoder.type is 'CTC'"},
        Refused{"AddedTwice",
                R"([{"op":"copy","from":"/added_tokens/1","path":"/added_tokens/2"}])",
                "added_tokens has '<|eos|>' twice"},
        Refused{"AddedElsewhere", R"([{"op":"replace","path":"/added_tokens/1/id","value":5}])",
                "added_tokens[1]"},
        Refused{"AddedOfWrongType",
                R"([{"op":"replace","path":"/added_tokens/1/lstrip","value":"no"}])",
                "added_tokens[1].lstrip is of type string, expected boolean"},
        Refused{"NormalizerText", R"([{"op":"replace","path":"/normalizer",
                "value":{"type":"Replace","pattern":{"String":""},"content":"x"}}])",
                "normalizer.pattern is empty"},
        Refused{"NormalizerPattern", R"([{"op":"replace","path":"/normalizer",
                "value":{"type":"Replace","pattern":{"Regex":"(?<a>"},"content":"x"}}])",
                "normalizer.pattern has"},
        Refused{"NormalizerFlag", R"([{"op":"replace","path":"/normalizer",
                "value":{"type":"Strip","strip_left":true}}])",
                "normalizer.strip_right is missing"},
        Refused{"Charsmap", R"([{"op":"replace","path":"/normalizer",
                "value":{"type":"Precompiled","precompiled_charsmap":"YWJjZA=="}}])",
                "normalizer.precompiled_charsmap says that"},
        Refused{"CharsmapText", R"([{"op":"replace","path":"/normalizer",
                "value":{"type":"Precompiled","precompiled_charsmap":"YWJ*"}}])",
                "normalizer.precompiled_charsmap is not base64"},
        Refused{
            "Behavior",
            R"([{"op":"replace","path":"/pre_tokenizer/pretokenizers/0/behavior","value":"x"}])",
            "pre_tokenizer.pretokenizers[0].behavior is 'x'"},
        Refused{"VocabOfNumbers", R"([{"op":"replace","path":"/model/vocab","value":7}])",
                "model.vocab is neither"},
        Refused{"IdOfWrongType", R"([{"op":"replace","path":"/added_tokens/0/id","value":[[1]]}])",
                "added_tokens[0].id is of type array"},
        Refused{"NotAnObject", R"([{"op":"replace","path":"","value":[1,2]}])",
                "the file is of type array"}),
    [](const auto& info) { return std::string(info.param.name); });

// A Unigram model, and what is wrong with others like it.
TEST(CompileTokenizer, RefusesUnigramModels) {
  const auto message = [](const std::string& model) -> std::string {
    return SentenceOf([&] {
      rondo::test::CompileJson(R"({"decoder": {"type": "Fuse"}, "model": )" + model + "}");
    });
  };
  const auto refused = [&](const std::string& model, const char* key) {
    EXPECT_NE(message(model).find(key), std::string::npos) << message(model);
  };
  EXPECT_EQ(message(R"({"unk_id": 0, "vocab": [["u", 0], ["a", -1.5]]})"), "");
  EXPECT_EQ(message(R"({"unk_id": 0, "vocab": [["u", 0], ["a", 0], ["a", 1]]})"), "");
  refused(R"({"type": "Unigram"})", "model.vocab is missing");
  refused(R"({"type": "Unigram", "vocab": {"a": 0}})", "model.vocab is not a list");
  refused(R"({"type": "Unigram", "vocab": []})", "model.vocab is empty");
  refused(R"({"vocab": [["a", 0, 1]]})", "model.vocab[0] is not a text and its score");
  refused(R"({"vocab": [["a", "b"]]})", "model.vocab[0][1] is of type string");
  refused(R"({"vocab": [[1, 2]]})", "model.vocab[0][0] is of type number");
  refused(R"({"unk_id": 1, "vocab": [["a", 0]]})", "model.unk_id is 1");
  refused(R"({"byte_fallback": true, "vocab": [["a", 0]]})", "model.byte_fallback is set");
}

// Steps inside of steps inside of steps: no stack is deep enough for all that a file can hold.
TEST(CompileTokenizer, RefusesEndlessNesting) {
  std::string normalizer;
  std::string end;
  for (int i = 0; i < 100'000; ++i) {
    normalizer += R"({"type": "Sequence", "normalizers": [)";
    end += "]}";
  }
  try {
    rondo::test::CompileJson(R"({"normalizer": )" + normalizer + end + "}");
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("is nested more than 16 deep"), std::string::npos);
  }
  const std::string brackets(100'000, '[');
  const std::string closing(100'000, ']');
  EXPECT_THROW(rondo::test::CompileJson(R"({"decoder": {"type": "Fuse"},
      "model": {"vocab": {"a": )" + brackets +
                                        closing + "}}}"),
               Error);
}

TEST(CompileTokenizer, NamesAFileThatIsNotThereOrNotJson) {
  EXPECT_TRUE(FindTokenizer("/nowhere").empty());
  try {
    ReadFolderTokenizer("/nowhere/tokenizer.json");
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("/nowhere/tokenizer.json"), std::string::npos);
  }
  EXPECT_THROW(rondo::test::CompileJson("{\"model\": "), Error);
  EXPECT_THROW(rondo::test::CompileJson(""), Error);
}

}  // namespace
}  // namespace rondo::convert::compile_tokenizer_test
