// The tokens that end a chat though no eos_token_id names them.
#include "tools/convert/end_tokens.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/chat/chat.h"

namespace rondo::convert {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;

json Added(uint32_t id, const char* text, bool special = true) {
  return {{"id", id}, {"content", text}, {"special", special}};
}

class EndTokens : public testing::Test {
 protected:
  EndTokens() {
    source_.tokenizer = {{"model", {{"vocab", {{"a", 0}, {"</s>", 2}}}}},
                         {"added_tokens", json::array()}};
  }
  void Add(const json& token) { source_.tokenizer["added_tokens"].push_back(token); }
  std::vector<uint32_t> Find(std::vector<uint32_t> known = {}) {
    DecoderSpec spec;
    spec.vocab_size = 100;
    spec.eos_tokens = std::move(known);
    AddEndTokens(source_, spec, notes_);
    return spec.eos_tokens;
  }

  SourceText source_;
  std::vector<std::string> notes_;
};

TEST_F(EndTokens, TheTokenizersEosToken) {
  source_.chat.tokens = {{"bos_token", "a"}, {"eos_token", "</s>"}};
  EXPECT_THAT(Find({7}), ElementsAre(7, 2));
  EXPECT_THAT(notes_, ElementsAre("end tokens that no eos_token_id names: </s> (2, the tokenizer's "
                                  "eos_token)"));
  Add(Added(9, "<stop>", false));
  source_.chat.tokens = {{"eos_token", "<stop>"}};
  EXPECT_THAT(Find({7}), ElementsAre(7, 9));
  EXPECT_THAT(Find({9}), ElementsAre(9));
  source_.chat.tokens = {{"eos_token", "<none such>"}};
  EXPECT_THAT(Find({7}), ElementsAre(7));
}

TEST_F(EndTokens, BehindAnAnswerOfTheChatTemplate) {
  if (!HasChat()) GTEST_SKIP() << "built without chat templates";
  Add(Added(4, "<|turn|>"));
  Add(Added(5, "<|over|>", false));
  source_.chat.templates = {
      {"default",
       "{% for m in messages %}<|turn|>{{ m.role }}: {{ m.content }} <|over|>\n{% endfor %}"}};
  EXPECT_THAT(Find({1}), ElementsAre(1, 5));
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("<|over|> (5, the chat template's end of a turn)")));
  source_.chat.templates = {{"default", "{{ raise_exception('no') }}"}};
  EXPECT_THAT(Find({1}), ElementsAre(1));
  source_.chat.templates = {{"default", "{{ messages[1].content }} and <|over|>"}};
  EXPECT_THAT(Find({1}), ElementsAre(1));  // text lies between
}

TEST_F(EndTokens, KnownByTheirText) {
  Add(Added(10, "<|im_end|>"));
  Add(Added(11, "<|im_start|>"));
  Add(Added(12, "<|eot_id|>", false));
  Add(Added(13, "<end_of_turn>"));
  Add(Added(200, "<|end|>"));      // no row of the embedding
  Add(Added(14, "<eos>", false));  // a text like others, as </s> is
  source_.tokenizer["model"]["vocab"]["<|eom_id|>"] = 15;
  EXPECT_THAT(Find({13}), ElementsAre(13, 10, 12, 15));
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("<|im_end|> (10, by its text), <|eot_id|> (12")));
}

TEST_F(EndTokens, OfHarmonyNotTheEndOfAMessage) {
  for (const auto& [id, text] :
       {std::pair(20u, "<|return|>"), {21u, "<|end|>"}, {22u, "<|call|>"}, {23u, "<|channel|>"}}) {
    Add(Added(id, text));
  }
  EXPECT_THAT(Find(), ElementsAre(20, 22));
}

TEST_F(EndTokens, NoneIsTold) {
  EXPECT_THAT(Find(), ElementsAre());
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("no end token is known")));
  notes_.clear();
  source_.tokenizer = nullptr;  // ids only: nothing says what they mean
  EXPECT_THAT(Find(), ElementsAre());
  EXPECT_THAT(notes_, ElementsAre());
}

}  // namespace
}  // namespace rondo::convert
