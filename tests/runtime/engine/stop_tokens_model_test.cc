// Stop strings that are the text of a special token.
#include "runtime/engine/session_text.h"

#include <gtest/gtest.h>

#include "tests/support/test_model.h"

namespace rondo::stop_tokens_model_test {
namespace {

const TestModel& Tiny() {
  static const TestModel model(TestData("tiny"), format::TensorFormat::Q8);
  return model;
}

class SessionTextTest : public testing::Test {
 protected:
  void Begin(std::vector<std::string_view> stops) {
    const size_t piece = StreamDecoder::MaxTextBytes(*Tiny().tokenizer());
    stop_memory_.resize(StopStrings::Bytes(piece));
    piece_.resize(piece);
    text_memory_.resize(SessionText::TextBytes(piece));
    ASSERT_TRUE(text_.Init(Tiny().tokenizer(), stops, {stop_memory_, piece_, text_memory_}).ok());
  }
  // What the tokens of `text` give; true: one of them was the end.
  bool Add(std::string_view text) {
    std::vector<int32_t> ids(text.size() + 1);
    size_t count = 0;
    EXPECT_TRUE(Tiny().tokenizer()->Encode(text, false, ids, &count).ok());
    for (size_t i = 0; i < count; ++i) {
      text_.BeginEvent();
      const bool stops = text_.Add(ids[i]);
      out_ += text_.text();
      if (stops) return true;
    }
    return false;
  }

  std::vector<std::byte> stop_memory_;
  std::vector<char> piece_, text_memory_;
  SessionText text_;
  std::string out_;
};

TEST_F(SessionTextTest, TheTextOfASpecialTokenStopsWhereItComes) {
  Begin({"<|pad|>"});
  EXPECT_TRUE(Add("One day<|pad|>more"));
  EXPECT_EQ(out_, "One day");
}

TEST_F(SessionTextTest, WhatWasHeldBackIsGivenOut) {
  Begin({"days of summer", "<|pad|>"});
  EXPECT_FALSE(Add("One day"));
  EXPECT_EQ(out_, "One ");  // "day" may become a stop string
  EXPECT_TRUE(Add("<|pad|>"));
  EXPECT_EQ(out_, "One day");
}

TEST_F(SessionTextTest, OtherSpecialTokensGoBy) {
  Begin({"<|pad|>", "day!"});
  EXPECT_FALSE(Add("<|eos|>One da<|eos|>y"));
  EXPECT_TRUE(Add("!"));
  EXPECT_EQ(out_, "One ");
}

}  // namespace
}  // namespace rondo::stop_tokens_model_test
