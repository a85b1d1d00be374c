// Drafts through rondo.h: what is proposed changes when tokens come, and no token.
#include <algorithm>
#include <cstring>

#include "tests/c_api/many_sessions.h"

namespace rondo::abi_test {
namespace {

class SpeculationTest : public testing::Test {
 protected:
  static constexpr uint64_t kTokens = 60;

  SpeculationTest() {
    options_ = SessionOptions();
    options_.ignore_eos = 1;
    options_.max_tokens = kTokens;
    plain_ = Generate(Prefilled(options_).get());
  }

  Session Prefilled(const rondo_session_options& options) {
    Session session = NewSession(engine_.get(), options);
    EXPECT_EQ(rondo_session_prefill(session.get(), ids_.data(), ids_.size()), RONDO_STATUS_OK);
    return session;
  }

  rondo_session_counters Counters(const Session& session) {
    rondo_session_counters counters = {};
    counters.struct_size = sizeof counters;
    EXPECT_EQ(rondo_session_stats(session.get(), &counters), RONDO_STATUS_OK);
    return counters;
  }

  // Proposes up to `n` of the tokens that come behind the first `done` ones.
  void Propose(const Session& session, size_t done, size_t n) {
    n = std::min(n, plain_.tokens.size() - done);
    ASSERT_EQ(rondo_session_propose(session.get(), plain_.tokens.data() + done, n), RONDO_STATUS_OK)
        << rondo_session_last_error(session.get());
  }

  void Step(const Session& session) {
    rondo_session* const stepped = session.get();
    char error[256] = "";
    ASSERT_EQ(rondo_engine_step(engine_.get(), &stepped, 1, error, sizeof error), RONDO_STATUS_OK)
        << error;
  }

  // Asks for an event, which adds to `all`; false where it had no token.
  bool TakeEvent(const Session& session, Generated* all) {
    rondo_event event = {};
    event.struct_size = sizeof event;
    EXPECT_EQ(rondo_session_event(session.get(), &event), RONDO_STATUS_OK);
    all->text.append(event.text, event.text_bytes);
    all->reason = event.reason;
    if (event.token >= 0) all->tokens.push_back(event.token);
    return event.token >= 0;
  }

  void ExpectPlain(const Generated& all) {
    EXPECT_EQ(all.tokens, plain_.tokens);
    EXPECT_EQ(all.text, plain_.text);
    EXPECT_EQ(all.reason, RONDO_REASON_TOKEN_LIMIT);
  }

  Model model_ = OpenTiny();
  Engine engine_ = NewEngine(model_.get());
  const std::vector<int32_t> ids_ = Ids(model_.get(), "Once upon a time");
  rondo_session_options options_;
  Generated plain_;
};

TEST_F(SpeculationTest, AStepBringsSeveralEvents) {
  const Session session = Prefilled(options_);
  const uint64_t passes = Counters(session).passes;
  Generated all;
  size_t most = 0;
  while (all.reason == RONDO_REASON_NONE) {
    // Behind the token that the next pass evaluates.
    Propose(session, all.tokens.size(), 7);
    Step(session);
    const size_t before = all.tokens.size();
    while (all.reason == RONDO_REASON_NONE && TakeEvent(session, &all)) {
    }
    most = std::max(most, all.tokens.size() - before);
  }
  ExpectPlain(all);
  EXPECT_EQ(most, 8u);
  const rondo_session_counters counters = Counters(session);
  EXPECT_GE(counters.drafts_accepted, kTokens * 3 / 4);
  EXPECT_GE(counters.drafts_proposed, counters.drafts_accepted);
  EXPECT_EQ(counters.tokens_generated, kTokens);
  // The first token comes from the prompt's logits, and each of the others of a pass or a draft.
  EXPECT_EQ(counters.passes - passes + counters.drafts_accepted, kTokens - 1);
  rondo_engine_counters of_all = {};
  of_all.struct_size = sizeof of_all;
  ASSERT_EQ(rondo_engine_stats(engine_.get(), &of_all), RONDO_STATUS_OK);
  EXPECT_EQ(of_all.drafts_accepted, counters.drafts_accepted);
  EXPECT_EQ(of_all.drafts_proposed, counters.drafts_proposed);
}

TEST_F(SpeculationTest, WhatIsNotAskedForComesWithoutAPass) {
  const Session session = Prefilled(options_);
  Generated all;
  Step(session);
  ASSERT_TRUE(TakeEvent(session, &all));
  Propose(session, 1, 7);
  Step(session);
  ASSERT_TRUE(TakeEvent(session, &all));
  const uint64_t passes = Counters(session).passes;
  while (Counters(session).passes == passes) {
    const Generated next = Generate(session.get(), 1);
    all.tokens.insert(all.tokens.end(), next.tokens.begin(), next.tokens.end());
    all.text += next.text;
  }
  EXPECT_GT(all.tokens.size(), 4u);
  const Generated rest = Generate(session.get());
  all.tokens.insert(all.tokens.end(), rest.tokens.begin(), rest.tokens.end());
  all.text += rest.text;
  all.reason = rest.reason;
  ExpectPlain(all);
}

TEST_F(SpeculationTest, FewerAtMost) {
  options_.max_drafts = 2;
  const Session session = Prefilled(options_);
  Generated all;
  while (all.reason == RONDO_REASON_NONE) {
    Propose(session, all.tokens.size(), 7);
    Step(session);
    const size_t before = all.tokens.size();
    while (all.reason == RONDO_REASON_NONE && TakeEvent(session, &all)) {
    }
    EXPECT_LE(all.tokens.size() - before, 3u);
  }
  ExpectPlain(all);
  EXPECT_GT(Counters(session).drafts_accepted, 0u);
}

TEST_F(SpeculationTest, PromptLookup) {
  // A story that the model just told is the best guess of what it tells again.
  rondo_session_options options = options_;
  const std::vector<int32_t> twice = [&] {
    std::vector<int32_t> ids = ids_;
    ids.insert(ids.end(), plain_.tokens.begin(), plain_.tokens.end());
    ids.insert(ids.end(), ids_.begin(), ids_.end());
    return ids;
  }();
  Generated all[2];
  for (const int32_t kind : {RONDO_SPECULATION_NONE, RONDO_SPECULATION_PROMPT_LOOKUP}) {
    options.speculation = kind;
    const Session session = NewSession(engine_.get(), options);
    ASSERT_EQ(rondo_session_prefill(session.get(), twice.data(), twice.size()), RONDO_STATUS_OK);
    all[kind] = Generate(session.get());
    EXPECT_EQ(Counters(session).drafts_proposed > 0, kind != RONDO_SPECULATION_NONE);
  }
  EXPECT_EQ(all[0].tokens, all[1].tokens);
  EXPECT_EQ(all[0].text, all[1].text);
}

TEST_F(SpeculationTest, CancelledBetweenEvents) {
  const Session session = Prefilled(options_);
  Generated all;
  Step(session);
  ASSERT_TRUE(TakeEvent(session, &all));
  Propose(session, 1, 7);
  Step(session);
  ASSERT_TRUE(TakeEvent(session, &all));
  ASSERT_EQ(rondo_session_cancel(session.get()), RONDO_STATUS_OK);
  Step(session);
  rondo_event event = {};
  event.struct_size = sizeof event;
  EXPECT_EQ(rondo_session_event(session.get(), &event), RONDO_STATUS_CANCELLED);
  ASSERT_EQ(rondo_session_event(session.get(), &event), RONDO_STATUS_OK);
  EXPECT_EQ(event.token, -1);
  while (all.reason == RONDO_REASON_NONE) {
    Step(session);
    while (all.reason == RONDO_REASON_NONE && TakeEvent(session, &all)) {
    }
  }
  ExpectPlain(all);
}

TEST_F(SpeculationTest, BadOptionsAreRefusedByName) {
  const auto refusal = [&](const rondo_session_options& options, rondo_engine* engine) {
    rondo_session* session = nullptr;
    char error[256] = "";
    EXPECT_EQ(rondo_session_open(engine, &options, &session, error, sizeof error),
              RONDO_STATUS_INVALID_ARGUMENT);
    EXPECT_EQ(session, nullptr);
    return std::string(error);
  };
  rondo_session_options options = options_;
  options.speculation = 2;
  EXPECT_EQ(refusal(options, engine_.get()),
            "speculation is 2 (draft model), but the engine has no draft model");
  options.speculation = 3;
  EXPECT_EQ(refusal(options, engine_.get()),
            "speculation is 3 (draft head), but engine option draft_head is 0");
  for (const int32_t none : {-1, 4}) {
    options.speculation = none;
    EXPECT_EQ(refusal(options, engine_.get()),
              "speculation is " + std::to_string(none) +
                  "; it must be 0 (none), 1 (prompt lookup), 2 (draft model) or 3 (draft head)");
  }
  options = options_;
  options.max_drafts = 8;
  EXPECT_NE(refusal(options, engine_.get()).find("max_drafts is 8; a pass of"), std::string::npos);
  rondo_engine_options few = EngineOptions();
  few.max_rows = 4;
  const Engine engine = NewEngine(model_.get(), few);
  EXPECT_EQ(refusal(options, engine.get()), "max_drafts is 8; a pass of 4 rows verifies at most 3");
  options.max_drafts = 3;
  NewSession(engine.get(), options);
}

TEST_F(SpeculationTest, ADraftHeadThatIsNotThereIsRefused) {
  const auto refusal = [&](uint32_t draft_head) {
    rondo_engine_options options = EngineOptions();
    options.draft_head = draft_head;
    rondo_engine* engine = nullptr;
    char error[256] = "";
    EXPECT_EQ(rondo_engine_create(model_.get(), &options, nullptr, 0, &engine, error, sizeof error),
              RONDO_STATUS_INVALID_ARGUMENT);
    EXPECT_EQ(engine, nullptr);
    return std::string(error);
  };
  EXPECT_EQ(refusal(2), "engine option draft_head is 2, but must be 0 or 1");
  EXPECT_EQ(refusal(1),
            "engine option draft_head is 1, but the model's file has no draft head: `rondo convert "
            "--mtp` keeps that of a checkpoint");
}

TEST_F(SpeculationTest, BadProposalsAreRefusedByName) {
  const Session session = Prefilled(options_);
  const int32_t bad[] = {1, 2, 2048};
  EXPECT_EQ(rondo_session_propose(session.get(), bad, 3), RONDO_STATUS_INVALID_ARGUMENT);
  EXPECT_STREQ(rondo_session_last_error(session.get()),
               "token id 2048 at index 2 is out of range: the vocabulary has 2048");
  EXPECT_EQ(rondo_session_propose(session.get(), nullptr, 1), RONDO_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(rondo_session_propose(session.get(), nullptr, 0), RONDO_STATUS_OK);
  EXPECT_EQ(rondo_session_propose(nullptr, bad, 1), RONDO_STATUS_INVALID_ARGUMENT);
  ExpectPlain(Generate(session.get()));
}

TEST_F(SpeculationTest, CallersOfAnEarlierHeader) {
  rondo_session_options options;
  const size_t earlier = offsetof(rondo_session_options, speculation);
  std::memset(&options, 0x5a, sizeof options);
  ASSERT_EQ(rondo_session_options_init(&options, earlier), RONDO_STATUS_OK);
  options.ignore_eos = 1;
  options.max_tokens = kTokens;
  ExpectPlain(Generate(Prefilled(options).get()));
}

}  // namespace
}  // namespace rondo::abi_test
