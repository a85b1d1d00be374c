// Grammars through rondo.h: what sessions write parses; equal with drafts, forks, undo and
// snapshots; refused by name.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/c_api/tiny_model.h"

namespace rondo::abi_test::grammar_test {
namespace {

using nlohmann::json;

struct GrammarCloser {
  void operator()(rondo_grammar* grammar) const { rondo_grammar_close(grammar); }
};
using Grammar = std::unique_ptr<rondo_grammar, GrammarCloser>;

rondo_grammar_options Options(int32_t kind = RONDO_GRAMMAR_JSON_SCHEMA) {
  rondo_grammar_options options;
  EXPECT_EQ(rondo_grammar_options_init(&options, sizeof options), RONDO_STATUS_OK);
  options.kind = kind;
  return options;
}

constexpr const char* kPerson = R"({"type": "object", "additionalProperties": false,
    "properties": {"name": {"type": "string", "maxLength": 12},
                   "age": {"type": "integer", "minimum": 0, "maximum": 130},
                   "friends": {"type": "array", "maxItems": 3, "items": {"enum": ["Tim", "Lily"]}}},
    "required": ["name", "age"]})";

class GrammarTest : public testing::Test {
 protected:
  Grammar Make(const std::string& text, const rondo_grammar_options& options = Options()) {
    rondo_grammar* grammar = nullptr;
    char why[256];
    EXPECT_EQ(rondo_grammar_create(model_.get(), &options, text.data(), text.size(), nullptr, 0,
                                   &grammar, why, sizeof why),
              RONDO_STATUS_OK)
        << why;
    return Grammar(grammar);
  }
  Engine MakeEngine(uint32_t sessions = 2) {
    rondo_engine_options options = EngineOptions();
    options.context = 1024;
    options.max_sessions = sessions;
    return NewEngine(model_.get(), options);
  }
  static rondo_session_options Sampling(const Grammar& grammar, uint64_t seed) {
    rondo_session_options options = SessionOptions();
    options.temperature = 1.5f;
    options.seed = seed;
    options.max_tokens = 400;
    options.grammar = grammar.get();
    return options;
  }
  Generated Write(rondo_engine* engine, const rondo_session_options& options) {
    const Session session = NewSession(engine, options);
    EXPECT_EQ(rondo_session_prefill(session.get(), prompt_.data(), prompt_.size()),
              RONDO_STATUS_OK);
    return Generate(session.get());
  }
  static void ExpectPerson(const std::string& text) {
    const json person = json::parse(text, nullptr, false);
    ASSERT_TRUE(person.is_object()) << text;
    EXPECT_TRUE(person.at("name").is_string());
    EXPECT_LE(person.at("age").get<int>(), 130);
    for (const json& friend_of : person.value("friends", json::array())) {
      EXPECT_TRUE(friend_of == "Tim" || friend_of == "Lily");
    }
  }

  const Model model_ = OpenTiny();
  const std::vector<int32_t> prompt_ = Ids(model_.get(), "Once upon a time");
};

TEST_F(GrammarTest, WhatIsWrittenParses) {
  const Grammar grammar = Make(kPerson);
  const Engine engine = MakeEngine();
  for (uint64_t seed = 0; seed < 40; ++seed) {
    const Generated all = Write(engine.get(), Sampling(grammar, seed));
    EXPECT_TRUE(all.reason == RONDO_REASON_GRAMMAR || all.reason == RONDO_REASON_EOS) << all.text;
    ExpectPerson(all.text);
  }
  rondo_session_options greedy = Sampling(grammar, 0);
  greedy.temperature = 0;
  ExpectPerson(Write(engine.get(), greedy).text);
}

TEST_F(GrammarTest, PatternsAreTheWholeText) {
  const Grammar grammar = Make("(yes|no), [a-z]{2,8}!", Options(RONDO_GRAMMAR_PATTERN));
  const Engine engine = MakeEngine();
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const Generated all = Write(engine.get(), Sampling(grammar, seed));
    EXPECT_EQ(all.reason, RONDO_REASON_GRAMMAR);
    EXPECT_TRUE(all.text.starts_with("yes, ") || all.text.starts_with("no, ")) << all.text;
    EXPECT_TRUE(all.text.ends_with('!'));
  }
}

TEST_F(GrammarTest, MembersAreThoseThatAreNamed) {
  rondo_grammar_options options = Options();
  options.flags = RONDO_SCHEMA_ONE_SPACE | RONDO_SCHEMA_NAMED_ONLY;
  constexpr const char* kSchema = R"({"type": "object", "required": ["a"],
      "properties": {"a": {"type": "boolean"}, "b": {"type": "integer", "maximum": 99,
                                                     "minimum": 0}}})";
  rondo_grammar_options rules = options;
  rules.kind = RONDO_GRAMMAR_GBNF;
  const Engine engine = MakeEngine();
  for (const Grammar& grammar :
       {Make(kSchema, options), Make("root ::= %json " + std::string(kSchema), rules)}) {
    for (uint64_t seed = 0; seed < 20; ++seed) {
      const std::string text = Write(engine.get(), Sampling(grammar, seed)).text;
      const json object = json::parse(text, nullptr, false);
      ASSERT_TRUE(object.is_object()) << text;
      EXPECT_EQ(object.size(), object.count("a") + object.count("b")) << text;
      EXPECT_TRUE(text.starts_with("{\"a\": ")) << text;
    }
  }
}

TEST_F(GrammarTest, RulesAreTheWholeText) {
  rondo_grammar_options dense = Options(RONDO_GRAMMAR_GBNF);
  dense.flags = RONDO_SCHEMA_NO_SPACES;
  const Grammar grammar = Make("root ::= \"<\" %without \"e\" \"e\" more\nmore ::= \"\" | %json " +
                                   std::string(kPerson) + " \";\" more",
                               dense);
  const Engine engine = MakeEngine();
  size_t whole = 0;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const Generated all = Write(engine.get(), Sampling(grammar, seed));
    if (all.reason == RONDO_REASON_TOKEN_LIMIT) continue;
    ++whole;
    EXPECT_EQ(all.reason, RONDO_REASON_EOS);
    ASSERT_TRUE(all.text.starts_with('<')) << all.text;
    size_t at = all.text.find('e');
    ASSERT_NE(at, std::string::npos) << all.text;
    for (++at; at < all.text.size();) {
      const size_t end = all.text.find("};", at);
      ASSERT_NE(end, std::string::npos) << all.text;
      ExpectPerson(all.text.substr(at, end + 1 - at));
      at = end + 2;
    }
  }
  EXPECT_GT(whole, 3u);
}

// A special token comes where the grammar has it, and as one; its text is only text.
TEST_F(GrammarTest, SpecialTokensByTextAndNumber) {
  const Engine engine = MakeEngine();
  constexpr int32_t kPad = 2;
  for (const char* const rules : {"root ::= \"ab\" <|pad|> \"c\"", "root ::= \"ab\" <[2]> \"c\""}) {
    const Grammar grammar = Make(rules, Options(RONDO_GRAMMAR_GBNF));
    const Generated all = Write(engine.get(), Sampling(grammar, 1));
    EXPECT_EQ(all.reason, RONDO_REASON_GRAMMAR);
    EXPECT_EQ(std::count(all.tokens.begin(), all.tokens.end(), kPad), 1);
    EXPECT_NE(all.tokens.front(), kPad);
    EXPECT_NE(all.tokens.back(), kPad);
  }
  const Grammar text = Make("root ::= \"<|pad|>\"{10}", Options(RONDO_GRAMMAR_GBNF));
  const Generated all = Write(engine.get(), Sampling(text, 1));
  EXPECT_EQ(all.text.size(), 70u);
  EXPECT_EQ(std::count(all.tokens.begin(), all.tokens.end(), kPad), 0);
  // An end token, where it stands in the grammar, ends the generation.
  const Grammar end = Make("root ::= \"ab\" <|eos|> \"c\"", Options(RONDO_GRAMMAR_GBNF));
  const Generated ended = Write(engine.get(), Sampling(end, 1));
  EXPECT_EQ(ended.reason, RONDO_REASON_EOS);
  EXPECT_TRUE(ended.text.starts_with("ab")) << ended.text;
}

// What the grammar leaves no choice of is proposed, be it text or not.
TEST_F(GrammarTest, SpecialTokensThatMustComeAreProposed) {
  const Engine engine = MakeEngine();
  const Grammar grammar =
      Make("root ::= (\"ab\" <|pad|> <|pad|> <|pad|>){12}", Options(RONDO_GRAMMAR_GBNF));
  const Session session = NewSession(engine.get(), Sampling(grammar, 1));
  ASSERT_EQ(rondo_session_prefill(session.get(), prompt_.data(), prompt_.size()), RONDO_STATUS_OK);
  rondo_event event = {};
  event.struct_size = sizeof event;
  while (event.reason == RONDO_REASON_NONE) {
    ASSERT_EQ(rondo_session_next(session.get(), &event), RONDO_STATUS_OK);
  }
  EXPECT_EQ(event.reason, RONDO_REASON_GRAMMAR);
  rondo_session_counters counters = {};
  counters.struct_size = sizeof counters;
  ASSERT_EQ(rondo_session_stats(session.get(), &counters), RONDO_STATUS_OK);
  EXPECT_GT(counters.drafts_accepted, 10u);
}

TEST_F(GrammarTest, DraftsChangeNothing) {
  const Grammar grammar = Make(kPerson);
  const Engine engine = MakeEngine();
  uint64_t accepted = 0;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    rondo_session_options options = Sampling(grammar, seed);
    const Generated plain = Write(engine.get(), options);
    const Session session = NewSession(engine.get(), options);
    ASSERT_EQ(rondo_session_prefill(session.get(), prompt_.data(), prompt_.size()),
              RONDO_STATUS_OK);
    // Drafts that are right, wrong, and no tokens of the grammar.
    Generated drafted;
    rondo_event event = {};
    event.struct_size = sizeof event;
    for (size_t i = 0; event.reason == RONDO_REASON_NONE; ++i) {
      std::vector<int32_t> drafts;
      for (size_t k = i + 1; k < plain.tokens.size() && drafts.size() < 3; ++k) {
        drafts.push_back(k % 5 == 4 ? 7 : plain.tokens[k]);
      }
      if (drafts.empty()) drafts = {3, 4};
      ASSERT_EQ(rondo_session_propose(session.get(), drafts.data(), drafts.size()),
                RONDO_STATUS_OK);
      ASSERT_EQ(rondo_session_next(session.get(), &event), RONDO_STATUS_OK);
      if (event.token >= 0) drafted.tokens.push_back(event.token);
      drafted.text.append(event.text, event.text_bytes);
    }
    EXPECT_EQ(drafted.text, plain.text);
    EXPECT_EQ(event.reason, plain.reason);
    rondo_session_counters counters = {};
    counters.struct_size = sizeof counters;
    ASSERT_EQ(rondo_session_stats(session.get(), &counters), RONDO_STATUS_OK);
    accepted += counters.drafts_accepted;
  }
  EXPECT_GT(accepted, 20u);
}

// What a session has written it writes again, wherever it goes back to.
TEST_F(GrammarTest, UndoForkAndSnapshotGoOnWithTheText) {
  const Grammar grammar = Make(kPerson);
  const Engine engine = MakeEngine(3);
  for (uint64_t seed = 0; seed < 10; ++seed) {
    const rondo_session_options options = Sampling(grammar, seed);
    const Generated plain = Write(engine.get(), options);
    const Session session = NewSession(engine.get(), options);
    ASSERT_EQ(rondo_session_prefill(session.get(), prompt_.data(), prompt_.size()),
              RONDO_STATUS_OK);
    const size_t half = plain.tokens.size() / 2;
    std::string text = Generate(session.get(), half).text;
    ASSERT_EQ(rondo_session_undo(session.get(), half / 2), RONDO_STATUS_OK);
    size_t bytes = 0;
    rondo_session_save(session.get(), nullptr, 0, &bytes);
    std::vector<uint8_t> snapshot(bytes);
    ASSERT_EQ(rondo_session_save(session.get(), snapshot.data(), bytes, &bytes), RONDO_STATUS_OK);
    const Generated rest = Generate(session.get());
    EXPECT_EQ(std::vector<int32_t>(plain.tokens.begin() + static_cast<long>(half - half / 2),
                                   plain.tokens.end()),
              rest.tokens);
    const Session again = NewSession(engine.get(), options);
    ASSERT_EQ(rondo_session_restore(again.get(), snapshot.data(), bytes), RONDO_STATUS_OK);
    EXPECT_EQ(Generate(again.get()).tokens, rest.tokens);
  }
  // A fork begins a text of its own.
  const Session session = NewSession(engine.get(), Sampling(grammar, 1));
  ASSERT_EQ(rondo_session_prefill(session.get(), prompt_.data(), prompt_.size()), RONDO_STATUS_OK);
  const Generated begun = Generate(session.get(), 3);
  rondo_session* fork = nullptr;
  const rondo_session_options options = Sampling(grammar, 2);
  ASSERT_EQ(rondo_session_fork(session.get(), &options, &fork, nullptr, 0), RONDO_STATUS_OK);
  const Session owned(fork);
  ExpectPerson(Generate(fork).text);
  ExpectPerson(begun.text + Generate(session.get()).text);
}

// Its begin has slid away, and beside it another session fills the grammar's memory with states.
TEST_F(GrammarTest, ATextGoesOnWithoutItsBegin) {
  rondo_grammar_options small = Options(RONDO_GRAMMAR_GBNF);
  small.memory_bytes = 1 << 20;
  const Grammar grammar = Make(
      "root ::= [a-z .,]* | \"#\" deep\n"
      "deep ::= \"(\" deep \")\" | \"[\" deep \"]\" | \"{\" deep \"}\" | [a-z]\n",
      small);
  rondo_engine_options sliding = EngineOptions();
  sliding.context = 128;
  sliding.max_rows = 64;
  sliding.max_sessions = 3;
  sliding.context_policy = RONDO_POLICY_SLIDE;
  const Engine engine = NewEngine(model_.get(), sliding);
  rondo_session_options options = Sampling(grammar, 5);
  options.max_tokens = 0;
  options.ignore_eos = 1;
  const Session session = NewSession(engine.get(), options);
  const Session other = NewSession(engine.get(), options);
  const Session again = NewSession(engine.get(), options);
  ASSERT_EQ(rondo_session_prefill(session.get(), prompt_.data(), prompt_.size()), RONDO_STATUS_OK);
  ASSERT_EQ(Generate(session.get(), 6000).tokens.size(), 6000u);
  unsigned random = 1;
  for (int run = 0; run < 20; ++run) {
    rondo_session_reset(other.get());
    ASSERT_EQ(rondo_session_prefill(other.get(), prompt_.data(), prompt_.size()), RONDO_STATUS_OK);
    std::string deep = "#";
    for (int i = 0; i < 300; ++i) {
      random = random * 1103515245 + 12345;
      deep += "([{"[(random >> 16) % 3];
    }
    const std::vector<int32_t> ids = Ids(model_.get(), deep);
    for (size_t i = 1; i < ids.size(); ++i) {  // the first is the space before
      rondo_session_accept(other.get(), ids[i]);
    }
    Generate(other.get(), 1);
    ASSERT_EQ(rondo_session_undo(session.get(), 3), RONDO_STATUS_OK);
    size_t bytes = 0;
    rondo_session_save(session.get(), nullptr, 0, &bytes);
    std::vector<uint8_t> snapshot(bytes);
    ASSERT_EQ(rondo_session_save(session.get(), snapshot.data(), bytes, &bytes), RONDO_STATUS_OK);
    ASSERT_EQ(rondo_session_restore(again.get(), snapshot.data(), bytes), RONDO_STATUS_OK);
    const std::vector<int32_t> tokens = Generate(session.get(), 20).tokens;
    ASSERT_EQ(tokens.size(), 20u) << rondo_session_last_error(session.get());
    EXPECT_EQ(Generate(again.get(), 20).tokens, tokens);
  }
}

// With ignore_eos, too; where only they may follow, or are forbidden, the text ends.
TEST_F(GrammarTest, EndTokensAreNoPartOfAText) {
  rondo_grammar_options pattern = Options(RONDO_GRAMMAR_PATTERN);
  const Grammar grammar = Make("[a-z]{1,60}", pattern);
  const Grammar one = Make("(cat|dog)?", pattern);
  const Engine engine = MakeEngine();
  for (uint64_t seed = 0; seed < 60; ++seed) {
    rondo_session_options options = Sampling(grammar, seed);
    options.temperature = 3;
    options.ignore_eos = 1;
    options.max_tokens = 80;
    const Generated written = Write(engine.get(), options);
    EXPECT_TRUE(written.reason == RONDO_REASON_GRAMMAR || written.tokens.size() == 80);
    EXPECT_LE(written.text.size(), 60u);
    EXPECT_EQ(written.text.find_first_not_of("abcdefghijklmnopqrstuvwxyz"), std::string::npos);
  }
  rondo_session_options options = Sampling(one, 1);
  options.ignore_eos = 1;
  EXPECT_EQ(Write(engine.get(), options).reason, RONDO_REASON_GRAMMAR);
}

// Each turn is a text.
TEST_F(GrammarTest, EachGenerationIsAText) {
  const Grammar grammar = Make(kPerson);
  const Engine engine = MakeEngine();
  const Session session = NewSession(engine.get(), Sampling(grammar, 5));
  for (int turn = 0; turn < 3; ++turn) {
    ASSERT_EQ(rondo_session_prefill(session.get(), prompt_.data(), prompt_.size()),
              RONDO_STATUS_OK);
    ExpectPerson(Generate(session.get()).text);
  }
}

TEST_F(GrammarTest, MemoryOfTheCallersIsUsedExactly) {
  const rondo_grammar_options options = Options();
  uint64_t bytes = 0;
  ASSERT_EQ(rondo_grammar_plan(model_.get(), &options, std::strlen(kPerson), &bytes, nullptr, 0),
            RONDO_STATUS_OK);
  const size_t rounded = (bytes + 63) / 64 * 64;
  const std::unique_ptr<unsigned char, decltype(&std::free)> memory(
      static_cast<unsigned char*>(std::aligned_alloc(64, rounded + 64)), std::free);
  std::memset(memory.get(), 0xa7, rounded + 64);
  rondo_grammar* made = nullptr;
  char why[256];
  EXPECT_EQ(rondo_grammar_create(model_.get(), &options, kPerson, std::strlen(kPerson),
                                 memory.get(), bytes - 1, &made, why, sizeof why),
            RONDO_STATUS_ARENA_TOO_SMALL);
  EXPECT_EQ(rondo_grammar_create(model_.get(), &options, kPerson, std::strlen(kPerson),
                                 memory.get() + 1, bytes, &made, why, sizeof why),
            RONDO_STATUS_ARENA_MISALIGNED);
  ASSERT_EQ(rondo_grammar_create(model_.get(), &options, kPerson, std::strlen(kPerson),
                                 memory.get(), bytes, &made, why, sizeof why),
            RONDO_STATUS_OK)
      << why;
  Grammar grammar(made);
  const Engine engine = MakeEngine();
  Session session = NewSession(engine.get(), Sampling(grammar, 3));
  grammar.reset();  // the session keeps it
  ASSERT_EQ(rondo_session_prefill(session.get(), prompt_.data(), prompt_.size()), RONDO_STATUS_OK);
  ExpectPerson(Generate(session.get()).text);
  session.reset();
  for (size_t i = rounded; i < rounded + 64; ++i) EXPECT_EQ(memory.get()[i], 0xa7);
}

TEST_F(GrammarTest, RefusesByName) {
  const auto refuse = [&](const rondo_grammar_options& options, const std::string& text,
                          int32_t expected, const char* words) {
    auto* grammar = reinterpret_cast<rondo_grammar*>(1);
    char why[256] = "";
    EXPECT_EQ(rondo_grammar_create(model_.get(), &options, text.data(), text.size(), nullptr, 0,
                                   &grammar, why, sizeof why),
              expected);
    EXPECT_EQ(grammar, nullptr);
    EXPECT_NE(std::string(why).find(words), std::string::npos) << why;
  };
  refuse(Options(), "{", RONDO_STATUS_INVALID_ARGUMENT, "JSON at byte 1");
  refuse(Options(), "false", RONDO_STATUS_INVALID_ARGUMENT, "no text fits");
  refuse(Options(), R"({"properties": {"a": {"uniqueItems": true}}})", RONDO_STATUS_UNSUPPORTED,
         "#/properties/a/uniqueItems");
  refuse(Options(3), "", RONDO_STATUS_INVALID_ARGUMENT, "kind is 3");
  refuse(Options(-1), "", RONDO_STATUS_INVALID_ARGUMENT, "kind is -1");
  refuse(Options(RONDO_GRAMMAR_GBNF), "root ::=\n \"a\" b", RONDO_STATUS_INVALID_ARGUMENT,
         "line 2: there is no rule named b");
  refuse(Options(RONDO_GRAMMAR_GBNF), "root ::= %json {\"uniqueItems\": true}",
         RONDO_STATUS_UNSUPPORTED, "line 1: %json: #/uniqueItems");
  refuse(Options(RONDO_GRAMMAR_GBNF), "root ::= " + std::string(60000, '.'),
         RONDO_STATUS_OUT_OF_MEMORY, "line 1: ");
  refuse(Options(RONDO_GRAMMAR_PATTERN), "(", RONDO_STATUS_INVALID_ARGUMENT, "not closed");
  rondo_grammar_options options = Options(RONDO_GRAMMAR_PATTERN);
  options.flags = RONDO_SCHEMA_NO_SPACES;
  refuse(options, "a", RONDO_STATUS_INVALID_ARGUMENT, "flags is 1");
  options = Options(RONDO_GRAMMAR_JSON_SCHEMA);
  options.flags = RONDO_SCHEMA_NO_SPACES | RONDO_SCHEMA_ONE_SPACE;
  refuse(options, "{}", RONDO_STATUS_INVALID_ARGUMENT, "flags is 5");
  options.flags = 16;
  refuse(options, "{}", RONDO_STATUS_INVALID_ARGUMENT, "flags is 16");
  options = Options();
  options.memory_bytes = 1000;
  refuse(options, "true", RONDO_STATUS_INVALID_ARGUMENT, "memory_bytes is 1000");

  const Grammar grammar = Make("true");
  const Model other = OpenTiny();
  const Engine engine = NewEngine(other.get());
  const rondo_session_options session_options = Sampling(grammar, 0);
  rondo_session* session = nullptr;
  char why[256];
  EXPECT_EQ(rondo_session_open(engine.get(), &session_options, &session, why, sizeof why),
            RONDO_STATUS_INVALID_ARGUMENT);
  EXPECT_STREQ(why, "the grammar is of another model");
}

// A token that the caller chose, and the grammar has not: nothing can follow.
TEST_F(GrammarTest, SaysWhereNothingMayFollow) {
  const Grammar grammar = Make("abc", Options(RONDO_GRAMMAR_PATTERN));
  const Engine engine = MakeEngine();
  const Session session = NewSession(engine.get(), Sampling(grammar, 0));
  ASSERT_EQ(rondo_session_prefill(session.get(), prompt_.data(), prompt_.size()), RONDO_STATUS_OK);
  const std::vector<int32_t> other = Ids(model_.get(), "zzz");
  ASSERT_EQ(rondo_session_accept(session.get(), other.back()), RONDO_STATUS_OK);
  rondo_event event = {};
  event.struct_size = sizeof event;
  EXPECT_EQ(rondo_session_next(session.get(), &event), RONDO_STATUS_CONSTRAINT);
  EXPECT_NE(std::string(rondo_session_last_error(session.get())).find("grammar"),
            std::string::npos);
  ASSERT_EQ(rondo_session_undo(session.get(), 1), RONDO_STATUS_OK);
  EXPECT_EQ(Generate(session.get()).text, "abc");
}

}  // namespace
}  // namespace rondo::abi_test::grammar_test
