// Thoughts and where grammars begin, through rondo.h: held to plain searches in the texts.
#include <algorithm>
#include <string>

#include "tests/c_api/tiny_model.h"

namespace rondo::abi_test::thinking_test {
namespace {

struct GrammarCloser {
  void operator()(rondo_grammar* grammar) const { rondo_grammar_close(grammar); }
};
using Grammar = std::unique_ptr<rondo_grammar, GrammarCloser>;

struct Said {
  std::vector<int32_t> tokens, channels;
  std::vector<std::string> bytes;
  std::string text;
  int32_t reason = RONDO_REASON_NONE;

  std::string All() const {
    std::string all;
    for (const std::string& piece : bytes) all += piece;
    return all;
  }
};

// What begins and ends a thought: words that the tiny model says, of several tokens.
constexpr const char* kBegin = " mom";
constexpr const char* kEnd = " day.\n";

// The channel of each token, by a search byte by byte.
std::vector<int32_t> Channels(const std::vector<std::string>& tokens, bool inside) {
  std::vector<int32_t> channels;
  std::string last;
  for (const std::string& token : tokens) {
    bool thought = inside;
    for (const char byte : token) {
      last += byte;
      if (!last.ends_with(inside ? "day." : "mom")) continue;
      inside = !inside;
      thought = true;
      last.clear();
    }
    channels.push_back(thought ? RONDO_CHANNEL_THINKING : RONDO_CHANNEL_TEXT);
  }
  return channels;
}

class ThinkingTest : public testing::Test {
 protected:
  static rondo_session_options Options(uint64_t seed, uint64_t most = 0) {
    rondo_session_options options = SessionOptions();
    options.temperature = 1;
    options.seed = seed;
    options.max_tokens = 160;
    options.thinking = 1;
    options.thinking_begin = kBegin;
    options.thinking_end = kEnd;
    options.thinking_tokens = most;
    return options;
  }
  Grammar Pattern(const std::string& text) {
    rondo_grammar_options options;
    rondo_grammar_options_init(&options, sizeof options);
    options.kind = RONDO_GRAMMAR_PATTERN;
    rondo_grammar* grammar = nullptr;
    char why[256];
    EXPECT_EQ(rondo_grammar_create(model_.get(), &options, text.data(), text.size(), nullptr, 0,
                                   &grammar, why, sizeof why),
              RONDO_STATUS_OK)
        << why;
    return Grammar(grammar);
  }
  static void Take(rondo_session* session, Said* said, size_t most = 1000) {
    rondo_event event = {};
    event.struct_size = sizeof event;
    for (size_t i = 0; i < most && event.reason == RONDO_REASON_NONE; ++i) {
      const int32_t status = rondo_session_next(session, &event);
      ASSERT_EQ(status, RONDO_STATUS_OK) << rondo_session_last_error(session);
      said->text.append(event.text, event.text_bytes);
      said->reason = event.reason;
      if (event.token < 0 || event.reason == RONDO_REASON_EOS) continue;
      said->tokens.push_back(event.token);
      said->channels.push_back(event.channel);
      said->bytes.emplace_back(event.bytes, event.bytes_count);
    }
  }
  Session Begin(const rondo_session_options& options, const char* prompt = "Once upon a time") {
    Session session = NewSession(engine_.get(), options);
    const std::vector<int32_t> ids = Ids(model_.get(), prompt);
    EXPECT_EQ(rondo_session_prefill(session.get(), ids.data(), ids.size()), RONDO_STATUS_OK);
    return session;
  }
  Said Say(const rondo_session_options& options, const char* prompt = "Once upon a time") {
    const Session session = Begin(options, prompt);
    Said said;
    Take(session.get(), &said);
    return said;
  }
  std::string Refusal(const rondo_session_options& options) {
    rondo_session* session = nullptr;
    char why[256] = "";
    EXPECT_EQ(rondo_session_open(engine_.get(), &options, &session, why, sizeof why),
              RONDO_STATUS_INVALID_ARGUMENT)
        << why;
    return why;
  }
  Engine MakeEngine() {
    rondo_engine_options options = EngineOptions();
    options.context = 512;
    options.max_sessions = 3;
    return NewEngine(model_.get(), options);
  }

  const Model model_ = OpenTiny();
  const Engine engine_ = MakeEngine();
};

TEST_F(ThinkingTest, EventsSayWhatATokenBelongsTo) {
  size_t thoughts = 0;
  for (uint64_t seed = 0; seed < 30; ++seed) {
    const Said said = Say(Options(seed));
    EXPECT_EQ(said.channels, Channels(said.bytes, false)) << said.text;
    thoughts += said.All().find("mom") != std::string::npos;
    rondo_session_options plain = Options(seed);
    plain.thinking = 0;
    plain.thinking_begin = plain.thinking_end = nullptr;
    EXPECT_EQ(Say(plain).tokens, said.tokens);  // telling changes nothing
  }
  EXPECT_GT(thoughts, 3u);
}

TEST_F(ThinkingTest, APromptMayEndInsideOfAThought) {
  const Said inside = Say(Options(3), "Lily saw her mom");
  EXPECT_EQ(inside.channels, Channels(inside.bytes, true));
  EXPECT_EQ(inside.channels.at(0), RONDO_CHANNEL_THINKING);
  const Said outside = Say(Options(3), "Lily saw her mom one day. Then");
  EXPECT_EQ(outside.channels, Channels(outside.bytes, false));
}

// Up to its limit a thought is what it would be without; then comes its end, as it is written.
TEST_F(ThinkingTest, AThoughtHasABudget) {
  size_t ended = 0;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const Said free = Say(Options(seed), "Lily saw her mom");
    for (const uint64_t most : {1, 5, 17}) {
      const Said bound = Say(Options(seed, most), "Lily saw her mom");
      const auto first = std::find(free.channels.begin(), free.channels.end(), 0);
      if (static_cast<uint64_t>(first - free.channels.begin()) <= most) continue;
      ++ended;
      ASSERT_GE(bound.tokens.size(), most);
      EXPECT_TRUE(
          std::equal(bound.tokens.begin(), bound.tokens.begin() + long(most), free.tokens.begin()));
      std::string behind;
      for (size_t i = most; i < bound.bytes.size(); ++i) behind += bound.bytes[i];
      EXPECT_TRUE(behind.starts_with(kEnd)) << bound.text;
      EXPECT_EQ(bound.channels, Channels(bound.bytes, true));
    }
  }
  EXPECT_GT(ended, 20u);
}

TEST_F(ThinkingTest, UndoForksAndSnapshotsGoOnWithTheThought) {
  for (uint64_t seed = 0; seed < 10; ++seed) {
    const rondo_session_options options = Options(seed, 9);
    const Said plain = Say(options, "Lily saw her mom");
    const Session session = Begin(options, "Lily saw her mom");
    Said said;
    Take(session.get(), &said, 11);
    const uint64_t undone = 1 + seed % 9;
    ASSERT_EQ(rondo_session_undo(session.get(), undone), RONDO_STATUS_OK);
    size_t bytes = 0;
    rondo_session_save(session.get(), nullptr, 0, &bytes);
    std::vector<uint8_t> snapshot(bytes);
    ASSERT_EQ(rondo_session_save(session.get(), snapshot.data(), bytes, &bytes), RONDO_STATUS_OK);
    const std::vector<int32_t> rest(
        plain.tokens.begin() + static_cast<ptrdiff_t>(said.tokens.size() - undone),
        plain.tokens.end());
    Said again;
    Take(session.get(), &again);
    EXPECT_EQ(again.tokens, rest);
    const Session other = NewSession(engine_.get(), options);
    ASSERT_EQ(rondo_session_restore(other.get(), snapshot.data(), bytes), RONDO_STATUS_OK);
    Said restored;
    Take(other.get(), &restored);
    EXPECT_EQ(restored.tokens, rest);
    EXPECT_EQ(restored.channels, again.channels);
  }
}

// The end of a thought is known before it is sampled: passes verify it at once.
TEST_F(ThinkingTest, WhatMustComeTakesNoPassesOfItsOwn) {
  const Session session = Begin(Options(4, 5), "Lily saw her mom");
  Said said;
  Take(session.get(), &said, 30);
  rondo_session_counters counters = {};
  counters.struct_size = sizeof counters;
  ASSERT_EQ(rondo_session_stats(session.get(), &counters), RONDO_STATUS_OK);
  EXPECT_GE(counters.drafts_accepted, 2u);
  EXPECT_EQ(counters.drafts_accepted, counters.drafts_proposed);
}

// The text of a grammar may have the words, and is no thought for it.
TEST_F(ThinkingTest, AGrammarsTextHasNoThoughts) {
  const Grammar grammar = Pattern("a mom, a day[.] mom(, mom)*!");
  for (const int32_t begin : {RONDO_GRAMMAR_BEGIN_AT_ONCE, RONDO_GRAMMAR_BEGIN_AFTER_THINKING}) {
    rondo_session_options options = Options(1, 1);
    options.grammar = grammar.get();
    options.grammar_begin = begin;
    const Said said = Say(options, "Lily saw her mom one day.");
    EXPECT_EQ(said.reason, RONDO_REASON_GRAMMAR) << said.All();
    if (said.All().starts_with("mom")) continue;  // a thought came first
    EXPECT_TRUE(said.All().starts_with("a mom, a day. mom")) << said.All();
    EXPECT_EQ(std::count(said.channels.begin(), said.channels.end(), RONDO_CHANNEL_THINKING), 0);
  }
}

// With one row a pass there are no drafts.
TEST_F(ThinkingTest, WhatIsLikelyToComeChangesNothing) {
  const Grammar grammar =
      Pattern("(a dog named|the cat called) [A-Z][a-z]{2,6}, and so on(!|[.] The end)");
  rondo_engine_options engine_options = EngineOptions();
  engine_options.max_rows = 1;
  const Engine plain = NewEngine(model_.get(), engine_options);
  uint64_t accepted = 0;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    rondo_session_options options = Options(seed, 7);
    options.grammar = grammar.get();
    options.grammar_begin = RONDO_GRAMMAR_BEGIN_AFTER_THINKING;
    const Session session = Begin(options, "Lily saw her mom");
    const Session other = NewSession(plain.get(), options);
    const std::vector<int32_t> ids = Ids(model_.get(), "Lily saw her mom");
    ASSERT_EQ(rondo_session_prefill(other.get(), ids.data(), ids.size()), RONDO_STATUS_OK);
    Said said, expected;
    Take(session.get(), &said);
    Take(other.get(), &expected);
    EXPECT_EQ(said.tokens, expected.tokens);
    EXPECT_EQ(said.channels, expected.channels);
    EXPECT_EQ(said.text, expected.text);
    rondo_session_counters counters = {};
    counters.struct_size = sizeof counters;
    ASSERT_EQ(rondo_session_stats(other.get(), &counters), RONDO_STATUS_OK);
    EXPECT_EQ(counters.drafts_proposed, 0u);
    ASSERT_EQ(rondo_session_stats(session.get(), &counters), RONDO_STATUS_OK);
    accepted += counters.drafts_accepted;
  }
  EXPECT_GT(accepted, 50u);
}

TEST_F(ThinkingTest, AGrammarBeginsBehindAThought) {
  const Grammar grammar = Pattern("(yes|no), [a-z]{2,8}!");
  const auto answer = [](const std::string& all) {
    const size_t end = all.find("day.");
    return end == all.npos ? std::string() : all.substr(end + 4);
  };
  for (uint64_t seed = 0; seed < 20; ++seed) {
    rondo_session_options options = Options(seed, 20);
    options.grammar = grammar.get();
    options.grammar_begin = RONDO_GRAMMAR_BEGIN_AFTER_THINKING;
    // Inside of a thought already: it ends, and the answer is the grammar's.
    const Said said = Say(options, "Lily saw her mom");
    EXPECT_EQ(said.reason, RONDO_REASON_GRAMMAR) << said.All();
    const std::string text = answer(said.All());
    EXPECT_TRUE(text.starts_with("\nyes, ") || text.starts_with("\nno, ")) << said.All();
    EXPECT_TRUE(text.ends_with('!'));
    // Else the answer, or a thought first.
    const Said either = Say(options);
    EXPECT_EQ(either.reason, RONDO_REASON_GRAMMAR) << either.All();
    const std::string all = either.All();
    EXPECT_TRUE(all.starts_with("yes, ") || all.starts_with("no, ") || all.starts_with("mom"))
        << all;
  }
  rondo_session_options options = Options(0, 20);
  options.grammar = grammar.get();
  options.grammar_begin = RONDO_GRAMMAR_BEGIN_AFTER_THINKING;
  std::vector<rondo_logit_bias> bias;
  for (const int32_t id : Ids(model_.get(), "mom")) bias.push_back({id, 100});
  options.logit_bias = bias.data();
  options.n_logit_bias = bias.size();
  const Said thought = Say(options);
  EXPECT_TRUE(thought.All().starts_with("mom")) << thought.All();
  EXPECT_TRUE(thought.All().ends_with('!')) << thought.All();
  EXPECT_EQ(thought.reason, RONDO_REASON_GRAMMAR);
}

TEST_F(ThinkingTest, NoEndTokenComesInAThoughtBeforeAGrammar) {
  const Grammar grammar = Pattern("(yes|no), [a-z]{2,8}!");
  rondo_logit_bias bias = {0, 100};
  ASSERT_EQ(rondo_model_eos_token(model_.get(), 0, &bias.token), RONDO_STATUS_OK);
  for (uint64_t seed = 0; seed < 5; ++seed) {
    rondo_session_options options = Options(seed, 20);
    options.logit_bias = &bias;
    options.n_logit_bias = 1;
    EXPECT_EQ(Say(options, "Lily saw her mom").reason, RONDO_REASON_EOS);
    options.grammar = grammar.get();
    options.grammar_begin = RONDO_GRAMMAR_BEGIN_AFTER_THINKING;
    const Said said = Say(options, "Lily saw her mom");
    EXPECT_EQ(said.reason, RONDO_REASON_GRAMMAR) << said.All();
    EXPECT_TRUE(said.All().ends_with('!')) << said.All();
  }
}

TEST_F(ThinkingTest, AGrammarBeginsBehindAToken) {
  const Grammar grammar = Pattern("=(yes|no);");
  const int32_t the = Ids(model_.get(), "see the").back();
  size_t found = 0;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    rondo_session_options options = SessionOptions();
    options.temperature = 1;
    options.seed = seed;
    options.max_tokens = 100;
    options.grammar = grammar.get();
    options.grammar_begin = RONDO_GRAMMAR_BEGIN_AFTER_TOKEN;
    options.grammar_token = the;
    for (const uint32_t goes_on : {0u, 1u}) {
      options.grammar_goes_on = goes_on;
      const Said said = Say(options);
      size_t here = 0;
      for (size_t i = 0; i < said.tokens.size(); ++i) {
        if (said.tokens[i] != the) continue;
        std::string behind;
        for (size_t k = i + 1; k < said.bytes.size(); ++k) behind += said.bytes[k];
        ++here;
        if (said.reason == RONDO_REASON_TOKEN_LIMIT && behind.size() < 5) continue;
        EXPECT_TRUE(behind.starts_with("=yes;") || behind.starts_with("=no;")) << said.All();
      }
      const bool whole = said.reason == RONDO_REASON_GRAMMAR;
      EXPECT_EQ(whole, goes_on == 0 && here == 1) << said.All();
      found += here;
    }
  }
  EXPECT_GT(found, 20u);
}

TEST_F(ThinkingTest, RefusesByName) {
  const auto has = [](const std::string& text, const char* words) {
    EXPECT_NE(text.find(words), std::string::npos) << text;
  };
  const auto with = [&](auto change) {
    rondo_session_options options = Options(0);
    change(&options);
    return Refusal(options);
  };
  const Grammar grammar = Pattern("a");
  has(with([](auto* o) { o->thinking = 2; }), "thinking is 2");
  has(with([](auto* o) { o->thinking = 0; }), "thinking is 0");
  has(with([](auto* o) { o->thinking_begin = " \n"; }), "thinking_begin has 0 bytes");
  const std::string lengthy(65, 'x');
  has(with([&](auto* o) { o->thinking_end = lengthy.c_str(); }), "thinking_end has 65 bytes");
  std::string spaces = "day.";
  for (int i = 0; i < 80; ++i) spaces += "\n\t";
  has(with([&](auto* o) { o->thinking_end = spaces.c_str(); }), "tokens, at most 128");
  has(with([](auto* o) { o->grammar_begin = 1; }), "grammar is NULL");
  has(with([&](auto* o) { o->grammar = grammar.get(), o->grammar_begin = 3; }),
      "grammar_begin is 3");
  has(with([&](auto* o) { o->grammar = grammar.get(), o->grammar_token = 3; }),
      "grammar_token is 3");
  has(with([&](auto* o) {
        o->grammar = grammar.get(), o->grammar_begin = 1, o->grammar_token = 1 << 20;
      }),
      "no such token");
  has(with([&](auto* o) {
        o->grammar = grammar.get(), o->grammar_begin = 2, o->thinking = 0;
        o->thinking_begin = o->thinking_end = nullptr;
      }),
      "needs thinking");
  has(with([&](auto* o) { o->grammar = grammar.get(), o->grammar_goes_on = 2; }),
      "grammar_goes_on is 2");
}

}  // namespace
}  // namespace rondo::abi_test::thinking_test
