// The KV pool: sessions that share what one computed, and one that is too small for all of them.
#include <cstring>

#include "tests/c_api/many_sessions.h"

namespace rondo::abi_test {
namespace {

TEST(KvPoolTest, ALaterSessionTakesOverWhatAnEarlierOneComputed) {
  const Model model = OpenTiny();
  std::vector<int32_t> ids = Prompt(model.get(), 12);
  ASSERT_GT(ids.size(), 70u);
  const uint64_t whole = (ids.size() - 1) / 64 * 64;
  for (const uint32_t off : {0u, 1u}) {
    rondo_engine_options options = Many(2);
    options.no_prefix_cache = off;
    const Engine engine = NewEngine(model.get(), options);
    Generated first;
    for (int round = 0; round < 2; ++round) {
      const Session session = Open(engine.get(), Sampled(3));
      ASSERT_EQ(rondo_session_prefill(session.get(), ids.data(), ids.size()), RONDO_STATUS_OK);
      rondo_event event;
      ASSERT_EQ(Event(session.get(), &event), RONDO_STATUS_OK);
      EXPECT_EQ(event.token, -1);
      EXPECT_EQ(event.taken_over, round == 1 && off == 0 ? whole : 0);
      const Generated generated = Generate(session.get());
      if (round == 0) first = generated;
      ExpectEqual(generated, first);
    }
    rondo_engine_counters counters = {};
    counters.struct_size = sizeof counters;
    ASSERT_EQ(rondo_engine_stats(engine.get(), &counters), RONDO_STATUS_OK);
    EXPECT_EQ(counters.tokens_taken_over, off == 0 ? whole : 0);
    EXPECT_EQ(counters.tokens_prefilled, 2 * ids.size());
  }
}

// Sixty-four sessions on a pool for two: who gets no room is told so, and the others do not notice.
TEST(KvPoolTest, APoolForFewerThanAreOpen) {
  const Model model = OpenTiny();
  rondo_engine_options options = Many(64);
  options.kv_tokens = 2 * 64;
  options.context = 64;
  const Engine engine = NewEngine(model.get(), options);
  rondo_memory_plan plan = {};
  plan.struct_size = sizeof plan;
  ASSERT_EQ(rondo_engine_memory(engine.get(), &plan), RONDO_STATUS_OK);
  EXPECT_EQ(plan.kv_tokens, 128u);
  std::vector<Session> sessions;
  size_t refused = 0;
  for (size_t i = 0; i < 64; ++i) {
    sessions.push_back(Open(engine.get(), Sampled(i % 2, 10)));
    const std::vector<int32_t> ids = Prompt(model.get(), i % 2);
    const int32_t status = rondo_session_prefill(sessions[i].get(), ids.data(), ids.size());
    uint64_t position = 0;
    ASSERT_EQ(rondo_session_position(sessions[i].get(), &position), RONDO_STATUS_OK);
    if (status == RONDO_STATUS_OK) {
      EXPECT_EQ(position, ids.size());
      continue;
    }
    EXPECT_EQ(status, RONDO_STATUS_KV_POOL_FULL);
    EXPECT_NE(std::strstr(rondo_session_last_error(sessions[i].get()), "kv_tokens"), nullptr);
    EXPECT_EQ(position, 0u);
    ++refused;
  }
  EXPECT_EQ(refused, 62u);
  for (size_t i = 0; i < 2; ++i) {
    Generated expected = Alone(model.get(), i);
    expected.tokens.resize(10);
    EXPECT_EQ(Generate(sessions[i].get()).tokens, expected.tokens);
  }
  // A step that holds one of the refused fails whole; without it, it goes on.
  const std::vector<int32_t> ids = Prompt(model.get(), 1);
  ASSERT_EQ(rondo_session_reset(sessions[0].get()), RONDO_STATUS_OK);
  rondo_session* trio[] = {sessions[0].get(), sessions[2].get(), sessions[3].get()};
  for (rondo_session* session : trio) {
    ASSERT_EQ(rondo_session_append(session, ids.data(), ids.size()), RONDO_STATUS_OK);
  }
  char why[256];
  EXPECT_EQ(rondo_engine_step(engine.get(), trio, 3, why, sizeof why), RONDO_STATUS_KV_POOL_FULL);
  EXPECT_STRNE(why, "");
  EXPECT_EQ(rondo_engine_step(engine.get(), trio, 1, why, sizeof why), RONDO_STATUS_OK);
  rondo_event event;
  EXPECT_EQ(Event(trio[0], &event), RONDO_STATUS_OK);
  EXPECT_GE(event.token, 0);
}

TEST(KvPoolTest, APoolOfOneBlock) {
  const Model model = OpenTiny();
  rondo_engine_options options = Many(1);
  options.kv_tokens = 1;
  const Engine engine = NewEngine(model.get(), options);
  rondo_session_options endless = Sampled(0, 200);
  endless.ignore_eos = 1;
  const Session session = Open(engine.get(), endless);
  const std::vector<int32_t> ids = Prompt(model.get(), 1);
  ASSERT_EQ(rondo_session_prefill(session.get(), ids.data(), ids.size()), RONDO_STATUS_OK);
  std::vector<int32_t> tokens;
  rondo_event event = {};
  event.struct_size = sizeof event;
  int32_t status;
  while ((status = rondo_session_next(session.get(), &event)) == RONDO_STATUS_OK) {
    ASSERT_LT(tokens.size(), 100u);
    ASSERT_EQ(event.reason, RONDO_REASON_NONE);
    tokens.push_back(event.token);
  }
  EXPECT_EQ(status, RONDO_STATUS_KV_POOL_FULL);
  EXPECT_EQ(ids.size() + tokens.size(), 65u);  // the 65th waits for a block
  const Engine roomy = NewEngine(model.get(), Many(1));
  const Session alone = Open(roomy.get(), endless);
  ASSERT_EQ(rondo_session_prefill(alone.get(), ids.data(), ids.size()), RONDO_STATUS_OK);
  EXPECT_EQ(Generate(alone.get(), tokens.size()).tokens, tokens);
}

}  // namespace
}  // namespace rondo::abi_test
