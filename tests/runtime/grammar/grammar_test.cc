// Grammar: what a text's place allows; the same where memory is short and states are made again.
#include "runtime/grammar/grammar.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <thread>
#include <vector>

#include "tests/runtime/grammar/words.h"

namespace rondo::grammar::grammar_test {
namespace {

using testing::HasSubstr;

class GrammarTest : public testing::Test {
 protected:
  ~GrammarTest() override { Drop(); }

  Status Make(std::string_view text, const GrammarOptions& options = {}) {
    Drop();
    const uint64_t bytes = Grammar::Bytes(options, text.size(), trie_.mask_words());
    memory_.resize((bytes + 63) / 64);
    const Result<Grammar*> made = Grammar::Create(options, text, trie_, ends_,
                                                  {memory_[0].bytes, static_cast<size_t>(bytes)});
    if (made.ok()) grammar_ = *made;
    return made.status();
  }
  GrammarText TextOf(const std::vector<int32_t>& tokens) {
    const auto token = [](const void* context, uint64_t i) {
      return (*static_cast<const std::vector<int32_t>*>(context))[i];
    };
    return {token, &tokens, tokens.size(), 0};
  }
  std::vector<uint32_t> Allowed(const std::vector<int32_t>& tokens) {
    std::vector<uint32_t> mask(trie_.mask_words());
    const Status status = grammar_->Allowed(TextOf(tokens), &place_, mask).status();
    EXPECT_TRUE(status.ok()) << status.message();
    std::vector<uint32_t> allowed;
    for (uint32_t token = 0; token < words_.tokens.size(); ++token) {
      if ((mask[token / 32] >> token % 32 & 1) != 0) allowed.push_back(token);
    }
    return allowed;
  }
  bool IsComplete(const std::vector<int32_t>& tokens) {
    EXPECT_TRUE(grammar_->Read(TextOf(tokens), &place_).ok());
    return place_.is_complete;
  }
  std::vector<uint32_t> AllowedBehind(const std::vector<int32_t>& tokens) {
    place_ = {};
    return Allowed(tokens);
  }
  // Chosen by chance, up to the end token: the text. `most`: tokens.
  std::string Write(unsigned seed, size_t most = 4000) {
    std::mt19937 random(seed);
    std::vector<int32_t> tokens;
    std::string text;
    place_ = {};
    while (tokens.size() < most) {
      const std::vector<uint32_t> allowed = Allowed(tokens);
      if (allowed.empty()) {
        ADD_FAILURE() << "nothing may follow ";
        break;
      }
      const uint32_t next = allowed[random() % allowed.size()];
      if (next == words_.end()) break;
      tokens.push_back(static_cast<int32_t>(next));
      text += words_.tokens[next];
    }
    return text;
  }
  void Drop() {
    if (grammar_ != nullptr) std::destroy_at(grammar_);
    grammar_ = nullptr;
  }

  struct alignas(64) Line {
    uint8_t bytes[64];
  };
  const Words words_;
  Result<TokenTrie> made_ = words_.Trie();
  const TokenTrie& trie_ = *made_;
  std::vector<uint32_t> ends_ = {words_.end()};
  std::vector<Line> memory_;
  Grammar* grammar_ = nullptr;
  GrammarPlace place_;
};

TEST_F(GrammarTest, EndsWhereATextMayEnd) {
  ASSERT_TRUE(Make("(ab)+", {.kind = GrammarKind::kPattern}).ok());
  EXPECT_THAT(Allowed({}), testing::ElementsAre('a', 260u));
  EXPECT_FALSE(IsComplete({}));
  EXPECT_THAT(Allowed({260}), testing::ElementsAre('a', 260u, words_.end()));
  EXPECT_FALSE(IsComplete({260}));
  ASSERT_TRUE(Make("abc?", {.kind = GrammarKind::kPattern}).ok());
  place_ = {};
  EXPECT_THAT(Allowed({261}), testing::ElementsAre(words_.end()));
  EXPECT_TRUE(IsComplete({261}));
  EXPECT_THAT(Allowed({261, 'a'}), testing::IsEmpty());
  EXPECT_THAT(Allowed({261, 'a', 'b'}), testing::IsEmpty());
}

// What is begun can be ended, whatever counts of members ask.
TEST_F(GrammarTest, CountsOfMembersLeaveAWay) {
  const std::string three = R"("type": "object", "additionalProperties": false, "properties":
      {"a": {"type": "boolean"}, "b": {"type": "boolean"}, "c": {"type": "boolean"}}, )";
  for (const bool any_order : {false, true}) {
    for (const char* const counts :
         {R"("minProperties": 2)", R"("minProperties": 3)",
          R"("required": ["c"], "maxProperties": 1)",
          R"("required": ["a", "c"], "maxProperties": 2, "minProperties": 2)"}) {
      SCOPED_TRACE(counts);
      ASSERT_TRUE(Make("{" + three + counts + "}", {.any_order = any_order}).ok());
      for (unsigned seed = 0; seed < 60; ++seed) {
        EXPECT_TRUE(Write(seed).ends_with('}'));
        if (HasFailure()) return;
      }
    }
    EXPECT_FALSE(Make("{" + three + R"("required": ["a", "b"], "maxProperties": 1})",
                      {.any_order = any_order})
                     .ok());
  }
}

constexpr const char* kSchema = R"({"type": "object", "additionalProperties": false,
    "properties": {"ab": {"type": "array", "maxItems": 4, "items": {"$ref": "#"}},
                   "abc": {"type": "string", "minLength": 300, "maxLength": 400, "pattern": "^[a-c]*$"},
                   "x": {"type": "integer", "minimum": 1, "maximum": 2000}},
    "required": ["x"]})";

// The texts, and so all masks, do not depend on what was forgotten between.
TEST_F(GrammarTest, SmallMemoryGivesTheSameTexts) {
  std::vector<std::string> texts;
  ASSERT_TRUE(Make(kSchema).ok());
  for (unsigned seed = 0; seed < 12; ++seed) texts.push_back(Write(seed));
  ASSERT_TRUE(Make(kSchema, {.bytes = Grammar::kLeastBytes}).ok());
  for (unsigned seed = 0; seed < 12; ++seed) EXPECT_EQ(Write(seed), texts[seed]);
  EXPECT_GT(place_.epoch, 1u) << "nothing was forgotten";
}

// Of members in any order each set that was written is remembered, until it is forgotten.
TEST_F(GrammarTest, ForgetsWhichMembersWereWritten) {
  std::string schema = R"({"type": "object", "additionalProperties": false, "properties": {)";
  std::string required;
  for (int i = 0; i < 60; ++i) {
    const std::string name = "\"" + std::to_string(i * 7919 % 1000 + 1000) + "\"";
    schema += (i > 0 ? "," : "") + name + R"(: {"enum": [12, true]})";
    required += (i > 0 ? "," : "") + name;
  }
  schema += "}, \"required\": [" + required + "]}";
  ASSERT_TRUE(Make(schema, {.spaces = Spaces::kNone, .any_order = true, .bytes = 16 << 20}).ok());
  const std::string text = Write(1);
  EXPECT_GT(text.size(), 60u * 9);
  ASSERT_TRUE(
      Make(schema, {.spaces = Spaces::kNone, .any_order = true, .bytes = Grammar::kLeastBytes})
          .ok());
  EXPECT_EQ(Write(1), text);
  EXPECT_GT(place_.epoch, 2u) << "little was forgotten";
}

// What derivatives join are new sets of bytes: here some for each two characters.
TEST_F(GrammarTest, ForgetsSetsOfBytes) {
  std::mt19937 random(3);
  std::string pattern = "(?:";
  for (char last = 'A'; last <= 'P'; ++last) {
    const auto some = [&] {
      std::string set = "[";
      for (char c = '!'; c <= '~'; ++c) {
        if (c != '[' && c != ']' && c != '\\' && c != '^' && c != '-' && random() % 2 == 0)
          set += c;
      }
      return set + "]";
    };
    pattern += (last > 'A' ? "|" : "") + some() + some() + last;
  }
  pattern += ")*";
  ASSERT_TRUE(Make(pattern, {.kind = GrammarKind::kPattern, .bytes = 4 << 20}).ok());
  std::vector<int32_t> tokens;
  for (unsigned i = 0; i < 900; ++i) {
    const std::vector<uint32_t> allowed = Allowed(tokens);
    ASSERT_FALSE(allowed.empty()) << i;
    tokens.push_back(static_cast<int32_t>(allowed[random() % allowed.size()]));
    if (tokens.back() == static_cast<int32_t>(words_.end())) tokens.pop_back();
  }
  EXPECT_GT(place_.epoch, 1u) << "nothing was forgotten";
}

// Several texts go on in turn.
TEST_F(GrammarTest, TextsShareAGrammar) {
  ASSERT_TRUE(Make(kSchema, {.bytes = Grammar::kLeastBytes}).ok());
  std::vector<std::string> alone;
  for (unsigned seed = 0; seed < 4; ++seed) alone.push_back(Write(seed, 60));
  struct One {
    std::mt19937 random;
    std::vector<int32_t> tokens;
    std::string text;
    GrammarPlace place;
    bool ended = false;
  };
  std::vector<One> all(4);
  for (unsigned seed = 0; seed < 4; ++seed) all[seed].random.seed(seed);
  for (size_t step = 0; step < 60; ++step) {
    for (One& one : all) {
      if (one.ended) continue;
      std::swap(place_, one.place);
      const std::vector<uint32_t> allowed = Allowed(one.tokens);
      std::swap(place_, one.place);
      const uint32_t next = allowed[one.random() % allowed.size()];
      one.ended = next == words_.end();
      if (one.ended) continue;
      one.tokens.push_back(static_cast<int32_t>(next));
      one.text += words_.tokens[next];
    }
  }
  for (unsigned seed = 0; seed < 4; ++seed) EXPECT_EQ(all[seed].text, alone[seed]);
}

// As by one alone, also where all of them together need more memory than there is.
TEST_F(GrammarTest, ThreadsShareAGrammar) {
  ASSERT_TRUE(Make(kSchema, {.bytes = Grammar::kLeastBytes}).ok());
  std::vector<std::string> alone;
  for (unsigned seed = 0; seed < 12; ++seed) alone.push_back(Write(seed));
  std::vector<std::string> beside(alone.size());
  std::vector<std::thread> threads;
  for (unsigned seed = 0; seed < alone.size(); ++seed) {
    threads.emplace_back([&, seed] {
      std::mt19937 random(seed);
      std::vector<int32_t> tokens;
      std::vector<uint32_t> mask(trie_.mask_words());
      GrammarPlace place;
      while (tokens.size() < 4000) {
        if (!grammar_->Allowed(TextOf(tokens), &place, mask).ok()) return;
        std::vector<uint32_t> allowed;
        for (uint32_t token = 0; token < words_.tokens.size(); ++token) {
          if ((mask[token / 32] >> token % 32 & 1) != 0) allowed.push_back(token);
        }
        if (allowed.empty()) return;
        const uint32_t next = allowed[random() % allowed.size()];
        if (next == words_.end()) break;
        tokens.push_back(static_cast<int32_t>(next));
        beside[seed] += words_.tokens[next];
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(beside, alone);
  EXPECT_FALSE(AllowedBehind({}).empty());
  EXPECT_GT(place_.epoch, 1u) << "nothing was forgotten";
}

// An end token is never a part of the text, but where the grammar names it.
TEST_F(GrammarTest, EndTokensComeWhereATextMayEnd) {
  ASSERT_TRUE(Make("root ::= [a-z]+ | <true> <end>", {.kind = GrammarKind::kGbnf}).ok());
  const auto ends = [&](const std::vector<int32_t>& tokens, bool may) {
    std::vector<uint32_t> mask(trie_.mask_words());
    place_ = {};
    EXPECT_TRUE(grammar_->Allowed(TextOf(tokens), &place_, mask, {.ends = may}).ok());
    return (mask[words_.end() / 32] >> words_.end() % 32 & 1) != 0;
  };
  EXPECT_TRUE(ends({'a'}, true));
  EXPECT_FALSE(ends({'a'}, false));
  EXPECT_FALSE(ends({}, true));
  // One that is text like others.
  ends_ = {'z'};
  ASSERT_TRUE(Make("[a-z]+", {.kind = GrammarKind::kPattern}).ok());
  const auto allows_z = [&](const std::vector<int32_t>& tokens, bool may) {
    std::vector<uint32_t> mask(trie_.mask_words());
    place_ = {};
    EXPECT_TRUE(grammar_->Allowed(TextOf(tokens), &place_, mask, {.ends = may}).ok());
    return (mask['z' / 32] >> 'z' % 32 & 1) != 0;
  };
  EXPECT_FALSE(allows_z({}, true));
  EXPECT_TRUE(allows_z({'a'}, true));
  EXPECT_FALSE(allows_z({'a'}, false));
}

// A call that takes long gives up where it is told to, and nothing is lost by that.
TEST_F(GrammarTest, IsCancelled) {
  std::string schema = "{\"anyOf\":[";
  for (int i = 0; i < 600; ++i) {
    schema += std::string(i > 0 ? "," : "") + R"({"type":"object","properties":{"k)" +
              std::to_string(i) + R"(":{"type":"integer"}},"required":["k)" + std::to_string(i) +
              R"("],"additionalProperties":false})";
  }
  ASSERT_TRUE(Make(schema + "]}").ok());
  Cancellation cancel;
  cancel.Cancel();
  std::vector<uint32_t> mask(trie_.mask_words());
  const Result<bool> made = grammar_->Allowed(TextOf({'{'}), &place_, mask, {.cancel = &cancel});
  EXPECT_EQ(made.status().code(), StatusCode::kCancelled);
  EXPECT_FALSE(AllowedBehind({'{'}).empty());
}

TEST_F(GrammarTest, RefusesByName) {
  EXPECT_THAT(Make("{").message(), HasSubstr("not well-formed JSON at byte 1"));
  EXPECT_THAT(Make("false").message(), HasSubstr("no text fits"));
  EXPECT_THAT(Make("root ::= a", {.kind = GrammarKind::kGbnf}).message(), HasSubstr("line 1: "));
  EXPECT_THAT(Make("root ::= \"x\" root", {.kind = GrammarKind::kGbnf}).message(),
              HasSubstr("no text fits"));
  EXPECT_THAT(Make("a[", {.kind = GrammarKind::kPattern}).message(), HasSubstr("not closed"));
  const Status large = Make("(a{1000}){1000}(b|a{50000})*", {.kind = GrammarKind::kPattern});
  EXPECT_TRUE(large.ok()) << large.message();
  std::string optional;
  for (int i = 0; i < 500; ++i) optional += "a?b?";
  EXPECT_TRUE(Make(optional, {.kind = GrammarKind::kPattern}).ok());
  const Status deep = Make(optional + optional, {.kind = GrammarKind::kPattern});
  EXPECT_EQ(deep.code(), StatusCode::kUnsupported);
  EXPECT_THAT(deep.message(), HasSubstr("over 1024 deep"));
  EXPECT_THAT(Make("a{2000000}", {.kind = GrammarKind::kPattern}).message(),
              HasSubstr("over 1048576 at byte 10"));
  std::string wide = R"({"properties": {"a": {"enum": [)";
  for (int i = 0; i < 20000; ++i)
    wide += (i > 0 ? ",\"v" : "\"v") + std::to_string(i * 7919) + "\"";
  const Status status = Make(wide + "]}}}", {.bytes = Grammar::kLeastBytes});
  EXPECT_EQ(status.code(), StatusCode::kOutOfMemory);
  EXPECT_THAT(status.message(),
              HasSubstr("#/properties/a: here the grammar takes more than its memory"));
}

// Each special token is itself, and no text; a text that is written so is none.
TEST_F(GrammarTest, SpecialTokens) {
  const uint32_t think = words_.IdOf("<think>"), call = words_.IdOf("[CALL]");
  const std::string grammar = "root ::= <think> %without \"c\" <[" + std::to_string(call) +
                              "]> | <[CALL]> \"12\" <end> \"a\" | \"<think>!\"";
  ASSERT_TRUE(Make(grammar, {.kind = GrammarKind::kGbnf}).ok());
  EXPECT_THAT(AllowedBehind({}), testing::ElementsAre('<', think, call));
  const auto id = [](uint32_t token) { return static_cast<int32_t>(token); };
  EXPECT_THAT(AllowedBehind({'<'}), testing::ElementsAre('t'));
  EXPECT_THAT(AllowedBehind({id(call)}), testing::ElementsAre('1', words_.IdOf("12")));
  // An end token that the grammar names, which is not the end.
  EXPECT_THAT(AllowedBehind({id(call), '1', '2'}), testing::ElementsAre(words_.end()));
  EXPECT_THAT(AllowedBehind({id(call), '1', '2', id(words_.end())}), testing::ElementsAre('a'));
  EXPECT_THAT(AllowedBehind({id(call), '1', '2', id(words_.end()), 'a'}),
              testing::ElementsAre(words_.end()));
  // Any character, but c; no byte that UTF-8 has not, and no special token but the one.
  const std::vector<uint32_t> inside = AllowedBehind({id(think), 'a'});
  for (uint32_t token = 0; token < words_.tokens.size(); ++token) {
    const std::string& text = words_.tokens[token];
    const auto first = static_cast<unsigned char>(text[0]);
    const bool is = token >= words_.first_special
                        ? token == call
                        : (first < 0x80 || (first >= 0xc2 && first <= 0xf4)) &&
                              text.find('c') == std::string::npos;
    EXPECT_EQ(std::count(inside.begin(), inside.end(), token), is ? 1 : 0) << token;
  }
  EXPECT_THAT(AllowedBehind({id(think), 'a', 0xff}), testing::IsEmpty());
  EXPECT_THAT(AllowedBehind({id(words_.IdOf("<think>!"))}), testing::IsEmpty());
}

// What is not written as one token stays what it is by its text.
TEST_F(GrammarTest, OrdinaryTokensByNumberAreTheirText) {
  ASSERT_TRUE(Make("root ::= <[" + std::to_string(words_.IdOf("abc")) + "]> <true>",
                   {.kind = GrammarKind::kGbnf})
                  .ok());
  EXPECT_THAT(AllowedBehind({'a', 'b', 'c'}), testing::ElementsAre('t', words_.IdOf("true")));
}

// More classes of bytes than is usual: all characters one by one.
TEST_F(GrammarTest, ManyClassesOfBytes) {
  std::string grammar = "root ::= (\"\"";
  for (int code = 0x21; code < 0x180; ++code) {
    char escape[16];
    snprintf(escape, sizeof escape, " | \"\\u%04x%d\"", code, code % 7);
    grammar += escape;
  }
  const Status status = Make(grammar + ")*", {.kind = GrammarKind::kGbnf});
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_THAT(AllowedBehind({0xc3, 0xa9}), testing::ElementsAre('0' + 0xe9 % 7));
}

constexpr const char* kRules = R"gbnf(root ::= expr
expr ::= term | term "+" expr | term "ab" expr | expr-list
expr-list ::= "[" (expr ("," expr)*)? "]" | "{" expr "," expr-list "}"
term ::= "(" expr ")" | [0-9]+ | "(" expr ")" "!" | %json {"enum": [true, {"a": 12}]}
       | "{" %without "}" "}" | "-" [a-c]{200,300} "-" [a-c]{200,300} term)gbnf";

TEST_F(GrammarTest, SmallMemoryGivesTheSameTextsByRules) {
  std::vector<std::string> texts;
  ASSERT_TRUE(Make(kRules, {.kind = GrammarKind::kGbnf}).ok());
  for (unsigned seed = 0; seed < 12; ++seed) texts.push_back(Write(seed, 600));
  ASSERT_TRUE(Make(kRules, {.kind = GrammarKind::kGbnf, .bytes = Grammar::kLeastBytes}).ok());
  for (unsigned seed = 0; seed < 12; ++seed) EXPECT_EQ(Write(seed, 600), texts[seed]);
  EXPECT_GT(place_.epoch, 1u) << "nothing was forgotten";
}

// What one state or one mask takes is far less than all of them together, which is forgotten on the
// way.
TEST_F(GrammarTest, WhatCompilesWrites) {
  struct Case {
    const char* name;
    GrammarOptions options;
    std::string text;
  };
  const auto list = [](int n, const char* between, const auto& one) {
    std::string text;
    for (int i = 0; i < n; ++i) text += (i > 0 ? between : "") + one(std::to_string(i), i);
    return text;
  };
  const auto optional = [&](int n, const char* rest) {
    const auto member = [](const std::string& i, int) {
      return "\"p" + i + R"(":{"type":"integer"})";
    };
    return R"({"type":"object","properties":{)" + list(n, ",", member) + "}" + rest + "}";
  };
  const auto alternative = [](const std::string& i, int) {
    return R"({"type":"object","properties":{"k":{"const":"t)" + i + R"("},"v)" + i +
           R"(":{"type":"integer"}},"required":["k"],"additionalProperties":false})";
  };
  const auto word = [](const std::string& i, int n) {
    return "\"w" + std::to_string(n * 7919 % 100003) + "x" + i + "\"";
  };
  const auto rule = [](const std::string& i, int) { return "\"k" + i + "\" item? \"e\""; };
  const char* const closed = R"(,"additionalProperties":false)";
  const Case cases[] = {
      {"500 optional", {}, optional(500, closed)},
      {"1000 optional", {}, optional(1000, closed)},
      {"500 optional and others", {}, optional(500, "")},
      {"1000 in any order", {.any_order = true}, optional(1000, closed)},
      {"anyOf 400", {}, "{\"anyOf\":[" + list(400, ",", alternative) + "]}"},
      {"enum 2000", {}, "{\"enum\":[" + list(2000, ",", word) + "]}"},
      {"enum 3000", {.bytes = 12 << 20}, "{\"enum\":[" + list(3000, ",", word) + "]}"},
      {"1000 alternatives",
       {.kind = GrammarKind::kGbnf},
       "root ::= item*\nitem ::= " + list(1000, " | ", rule)},
  };
  for (const Case& one : cases) {
    SCOPED_TRACE(one.name);
    const Status status = Make(one.text, one.options);
    ASSERT_TRUE(status.ok()) << status.message();
    for (unsigned seed = 0; seed < 6; ++seed) Write(seed, 60);
  }
}

// A grammar is refused where what it is made of leaves its texts no room, with the memory that they
// need; in that it is read, and writes.
TEST_F(GrammarTest, SaysHowMuchMemoryItsTextsNeed) {
  bool refused = false;
  for (int n = 100; n < 4000; n += 4) {
    std::string text = R"({"enum": ["")";
    for (int i = 0; i < n; ++i) {
      text += ",\"w" + std::to_string(i * 7919 % 100003) + "x" + std::to_string(i) + "\"";
    }
    text += "]}";
    const Status status = Make(text, {.bytes = Grammar::kLeastBytes});
    const std::string message = status.message();
    if (status.ok()) {
      for (unsigned seed = 0; seed < 2; ++seed) Write(seed, 60);
    } else if (message.find("memory_bytes must be 2097152") != std::string::npos) {
      refused = true;
      EXPECT_EQ(status.code(), StatusCode::kOutOfMemory);
      ASSERT_TRUE(Make(text, {.bytes = 2 << 20}).ok());
      for (unsigned seed = 0; seed < 3; ++seed) Write(seed, 60);
    } else {
      break;  // it cannot be read
    }
    if (HasFailure()) return;
  }
  EXPECT_TRUE(refused);
}

// A text whose begin is not known any more, when states were forgotten.
TEST_F(GrammarTest, SaysWhereATextCannotBeReadAgain) {
  ASSERT_TRUE(Make(kSchema).ok());
  const std::vector<int32_t> tokens = {256};
  std::vector<uint32_t> mask(trie_.mask_words());
  GrammarText text = TextOf(tokens);
  text.first_held = 1;
  const Status status = grammar_->Allowed(text, &place_, mask).status();
  EXPECT_EQ(status.code(), StatusCode::kConstraint);
  EXPECT_THAT(status.message(), HasSubstr("not held any more"));
}

}  // namespace
}  // namespace rondo::grammar::grammar_test
