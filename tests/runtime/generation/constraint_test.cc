// Constraint: a place in a text goes on without the text's begin and without what a grammar has
// forgotten, and going back reads few tokens again.
#include "runtime/generation/constraint.h"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "tests/runtime/grammar/words.h"

namespace rondo {
namespace {

using grammar::Grammar;
using grammar::GrammarKind;

// A vocabulary that counts how many tokens' texts are asked for.
struct CountedWords {
  grammar::Words words;
  mutable uint64_t asked = 0;

  Result<grammar::TokenTrie> Trie() const {
    const auto bytes = [](const void* context, uint32_t token) -> std::span<const uint8_t> {
      const auto& counted = *static_cast<const CountedWords*>(context);
      ++counted.asked;
      const std::string& text = counted.words.tokens[token];
      return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
    };
    return grammar::TokenTrie::Create(
        {static_cast<uint32_t>(words.tokens.size()), bytes, this, nullptr, nullptr});
  }
};

class ConstraintTest : public testing::Test {
 protected:
  struct End {
    void operator()(Grammar* grammar) const { std::destroy_at(grammar); }
  };
  struct alignas(64) Line {
    uint8_t bytes[64];
  };

  Grammar* Make(std::string_view text, GrammarKind kind, uint64_t bytes = 0) {
    const grammar::GrammarOptions options = {.kind = kind, .bytes = bytes};
    const uint64_t needed = Grammar::Bytes(options, text.size(), trie_.mask_words());
    memory_.push_back(std::make_unique<Line[]>(needed / 64 + 1));
    const Result<Grammar*> made =
        Grammar::Create(options, text, trie_, ends_, {memory_.back()[0].bytes, needed});
    EXPECT_TRUE(made.ok()) << made.status().message();
    grammars_.emplace_back(*made);
    return *made;
  }
  // A text that is written by chance, of which the last `held` tokens are remembered.
  struct Text {
    Text(const ConstraintTest& test, Grammar* grammar, size_t held, unsigned seed = 1)
        : memory(held), history({memory}), random(seed), words(test.words_.words) {
      ConstraintOptions options;
      options.grammar = grammar;
      options.ends = false;
      EXPECT_TRUE(constraint.Init(options, nullptr, 0).ok());
      mask.resize(grammar->mask_words());
    }
    std::vector<uint32_t> Allowed() {
      const Result<Constraint::Outlook> next = constraint.Next(history, {}, mask);
      EXPECT_TRUE(next.ok()) << next.status().message();
      std::vector<uint32_t> allowed;
      for (uint32_t token = 0; token < words.tokens.size(); ++token) {
        if ((mask[token / 32] >> token % 32 & 1) != 0) allowed.push_back(token);
      }
      return allowed;
    }
    Status Follow() { return constraint.Follow(history, 0); }
    void Append(uint32_t token) {
      const auto id = static_cast<int32_t>(token);
      history.Append({&id, 1});
    }
    void Write(size_t n) {
      for (; n > 0; --n) {
        const Status status = Follow();
        ASSERT_TRUE(status.ok()) << history.end() << ": " << status.message();
        const std::vector<uint32_t> allowed = Allowed();
        ASSERT_FALSE(allowed.empty()) << history.end();
        Append(allowed[random() % allowed.size()]);
      }
    }
    void Undo(uint64_t n) {
      history.Truncate(history.end() - n);
      constraint.BackTo(history.end());
    }

    std::vector<InputKey> memory;
    KeyHistory history;
    Constraint constraint;
    std::mt19937 random;
    const grammar::Words& words;
    std::vector<uint32_t> mask;
  };
  // Fills a grammar of brackets with states, until others are forgotten.
  static void FillUp(const ConstraintTest& test, Grammar* grammar, unsigned seed) {
    Text other(test, grammar, 4000, seed);
    for (size_t i = 0; i < 700; ++i) {
      other.Append("([{"[other.random() % 3]);
      ASSERT_TRUE(other.Follow().ok());
    }
  }

  const CountedWords words_ = {};
  Result<grammar::TokenTrie> made_ = words_.Trie();
  const grammar::TokenTrie& trie_ = *made_;
  const std::vector<uint32_t> ends_ = {words_.words.end()};
  std::vector<std::unique_ptr<Line[]>> memory_;
  std::vector<std::unique_ptr<Grammar, End>> grammars_;
};

constexpr const char* kDeep = R"gbnf(root ::= ([a-z] | deep)*
deep ::= "(" deep* ")" | "[" deep* "]" | "{" deep* "}" | [a-z])gbnf";

TEST_F(ConstraintTest, ATextGoesOnWithoutItsBeginBesideOthers) {
  Grammar* const grammar = Make(kDeep, GrammarKind::kGbnf, Grammar::kLeastBytes);
  Text alone(*this, Make(kDeep, GrammarKind::kGbnf, 64 << 20), 1 << 16);
  Text text(*this, grammar, 256);
  for (unsigned i = 0; i < 40; ++i) {
    text.Write(50);
    alone.Write(50);
    if (HasFatalFailure()) return;
    FillUp(*this, grammar, i + 7);
  }
  for (uint64_t at = text.history.begin(); at < text.history.end(); ++at) {
    ASSERT_EQ(text.history[at], alone.history[at]) << at;
  }
}

// Also where the states that it is made of are gone, and under a grammar made anew of the same
// text.
TEST_F(ConstraintTest, IsSavedAndLoaded) {
  Grammar* const grammar = Make(kDeep, GrammarKind::kGbnf);
  Text text(*this, grammar, 256);
  text.Write(1000);
  std::vector<uint8_t> bytes(text.constraint.Save(text.history, 0, {}));
  ASSERT_GT(bytes.size(), 8u);
  EXPECT_EQ(text.constraint.Save(text.history, 0, bytes), bytes.size());
  Text other(*this, Make(kDeep, GrammarKind::kGbnf, 32 << 20), 256);
  other.history.CopyFrom(text.history);
  const uint64_t first = text.history.begin(), end = text.history.end();
  ASSERT_TRUE(other.constraint.CheckSaved(bytes, 0, first, end).ok());
  other.constraint.Load(bytes, 0, first, end);
  ASSERT_TRUE(other.Follow().ok());
  ASSERT_TRUE(text.Follow().ok());
  EXPECT_EQ(other.Allowed(), text.Allowed());
  other.Undo(100);
  text.Undo(100);
  ASSERT_TRUE(other.Follow().ok());
  ASSERT_TRUE(text.Follow().ok());
  EXPECT_EQ(other.Allowed(), text.Allowed());
  // Another grammar's say nothing.
  Text another(*this, Make("[a-z(){}]*", GrammarKind::kPattern), 256);
  another.history.CopyFrom(text.history);
  EXPECT_TRUE(another.constraint.CheckSaved(bytes, 0, first, end).ok());
  another.constraint.Load(bytes, 0, first, end);
  EXPECT_EQ(another.Follow().code(), StatusCode::kConstraint);
  // Whatever the bytes are, they are refused, or a place that some text may have.
  size_t refused = 0;
  for (size_t i = 0; i < 3000; ++i) {
    std::vector<uint8_t> wrong = bytes;
    const size_t at = 8 + text.random() % (wrong.size() - 8);
    wrong[at] = static_cast<uint8_t>(text.random());
    if (i % 5 == 0) wrong.resize(at);
    Text victim(*this, grammar, 256);
    victim.history.CopyFrom(text.history);
    if (!victim.constraint.CheckSaved(wrong, 0, first, end).ok()) {
      ++refused;
      continue;
    }
    victim.constraint.Load(wrong, 0, first, end);
    if (victim.Follow().ok())
      static_cast<void>(victim.constraint.Next(victim.history, {}, victim.mask));
  }
  EXPECT_GT(refused, 300u);
}

// The tokens that one step reads behind undo(1) are no more where the text is longer.
TEST_F(ConstraintTest, GoingBackReadsFewTokensAgain) {
  for (const char* const rules :
       {"root ::= (\"(\" [a-z]* \")\" | \"[\" [a-z]* \"]\" | [a-z])*", "root ::= [a-z ]{100000}"}) {
    Text text(*this, Make(rules, GrammarKind::kGbnf), 40000);
    for (const size_t length : {250, 1000, 4000, 16000}) {
      text.Write(length - text.history.end());
      ASSERT_TRUE(text.Follow().ok());
      for (const uint64_t undone : {1, 1, 1, 5}) {
        text.Undo(undone);
        words_.asked = 0;
        ASSERT_TRUE(text.Follow().ok());
        EXPECT_LE(words_.asked, 2 * KeptPlaces::kBlock) << length;
      }
      // Further back about as many as were dropped.
      const uint64_t far = length / 3;
      text.Undo(far);
      words_.asked = 0;
      ASSERT_TRUE(text.Follow().ok());
      EXPECT_LE(words_.asked, far + 2 * KeptPlaces::kBlock) << length;
      if (HasFailure()) return;
    }
  }
}

// What is nested deeper than a place has room for goes on while its begin is held, and then not,
// whatever else is at hand.
TEST_F(ConstraintTest, WhatNestsTooDeepIsToldOnItsOwn) {
  uint64_t ended[2] = {};
  for (const bool beside : {false, true}) {
    Grammar* const grammar = Make(kDeep, GrammarKind::kGbnf, Grammar::kLeastBytes);
    Text text(*this, grammar, 300);
    Status status;
    for (; status.ok() && text.history.end() < 700; status = text.Follow()) {
      text.Append("([{"[text.history.end() % 3]);
      if (beside && text.history.end() % 100 == 0) FillUp(*this, grammar, 3);
    }
    EXPECT_EQ(status.code(), StatusCode::kConstraint);
    EXPECT_NE(std::string(status.message()).find("nests too deep"), std::string::npos)
        << status.message();
    ended[beside] = text.history.end();
  }
  EXPECT_EQ(ended[0], ended[1]);
  EXPECT_GT(ended[0], 300u);
}

TEST(KeptPlaces, TheWayBackIsAboutAsLongAsWhatIsDropped) {
  KeptPlaces places;
  for (uint64_t position = KeptPlaces::kBlock; position < 3'000'000;
       position += KeptPlaces::kBlock) {
    places.Fresh(0).place.position = position;
    places.Keep();
    if (position % 4096 != 0) continue;
    for (uint64_t undone = 1; undone < position; undone += 1 + undone / 3) {
      const uint64_t to = position - undone;
      const KeptPlace* const kept = places.Latest(0, to, 0);
      const uint64_t from = kept == nullptr ? 0 : kept->place.position;
      ASSERT_LE(to - from, 2 * undone + KeptPlaces::kBlock) << undone << " of " << position;
    }
  }
}

}  // namespace
}  // namespace rondo
