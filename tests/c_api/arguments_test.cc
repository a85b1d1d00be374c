// Arguments that no caller should pass: each has a defined answer, and nothing else happens.
#include <cmath>
#include <cstring>

#include "tests/c_api/tiny_model.h"

namespace rondo::abi_test {
namespace {

constexpr int32_t kInvalid = RONDO_STATUS_INVALID_ARGUMENT;

TEST(ArgumentsTest, NullsEverywhere) {
  const Model model = OpenTiny();
  const Engine engine = NewEngine(model.get());
  const Session session = NewSession(engine.get());
  rondo_model* m = nullptr;
  rondo_engine* e = nullptr;
  rondo_session* s = nullptr;
  rondo_engine_options eo = EngineOptions();
  rondo_session_options so = SessionOptions();
  rondo_model_facts facts = {};
  rondo_memory_plan plan = {};
  rondo_memory_region region = {};
  rondo_engine_counters counters = {};
  rondo_event event = {};
  facts.struct_size = sizeof facts;
  plan.struct_size = sizeof plan;
  region.struct_size = sizeof region;
  counters.struct_size = sizeof counters;
  event.struct_size = sizeof event;
  size_t n = 0;
  uint64_t u = 0;
  uint32_t context = 0;
  int32_t id = 0;
  char c[16];
  const float* logits = nullptr;
  const uint32_t abi = RONDO_ABI_VERSION;
  const auto row = [](void*, size_t, const float*, size_t) {};

  EXPECT_EQ(rondo_model_open_path(abi, nullptr, &m, c, sizeof c), kInvalid);
  EXPECT_EQ(rondo_model_open_path(abi, "x", nullptr, c, sizeof c), kInvalid);
  EXPECT_EQ(rondo_model_open_fd(abi, 0, 0, 0, nullptr, c, sizeof c), kInvalid);
  EXPECT_EQ(rondo_model_open_memory(abi, nullptr, 10, &m, c, sizeof c), kInvalid);
  EXPECT_EQ(rondo_model_open_memory(abi, c, 10, nullptr, c, sizeof c), kInvalid);
  EXPECT_EQ(rondo_model_info(nullptr, &facts), kInvalid);
  EXPECT_EQ(rondo_model_info(model.get(), nullptr), kInvalid);
  EXPECT_EQ(rondo_model_session_options(nullptr, &so), kInvalid);
  EXPECT_EQ(rondo_model_session_options(model.get(), nullptr), kInvalid);
  EXPECT_EQ(rondo_model_eos_token(nullptr, 0, &id), kInvalid);
  EXPECT_EQ(rondo_model_eos_token(model.get(), 0, nullptr), kInvalid);
  EXPECT_EQ(rondo_model_fact(nullptr, "name", c, sizeof c, &n), kInvalid);
  EXPECT_EQ(rondo_model_fact(model.get(), nullptr, c, sizeof c, &n), kInvalid);
  EXPECT_EQ(rondo_model_fact(model.get(), "name", c, sizeof c, nullptr), kInvalid);
  EXPECT_EQ(rondo_model_fact_key(nullptr, 0, c, sizeof c, &n), kInvalid);
  EXPECT_EQ(rondo_model_fact_key(model.get(), 0, c, sizeof c, nullptr), kInvalid);
  EXPECT_EQ(rondo_tokenize(nullptr, "x", 1, 0, &id, 1, &n), kInvalid);
  EXPECT_EQ(rondo_tokenize(model.get(), "x", 1, 0, &id, 1, nullptr), kInvalid);
  EXPECT_EQ(rondo_tokenize(model.get(), "x", 1, 0, nullptr, 1, &n), kInvalid);
  EXPECT_EQ(rondo_detokenize(nullptr, &id, 1, 0, c, sizeof c, &n), kInvalid);
  EXPECT_EQ(rondo_detokenize(model.get(), nullptr, 1, 0, c, sizeof c, &n), kInvalid);
  EXPECT_EQ(rondo_detokenize(model.get(), &id, 1, 0, nullptr, 5, &n), kInvalid);
  EXPECT_EQ(rondo_detokenize(model.get(), &id, 1, 0, c, sizeof c, nullptr), kInvalid);

  EXPECT_EQ(rondo_engine_options_init(nullptr, sizeof eo), kInvalid);
  EXPECT_EQ(rondo_plan(nullptr, &eo, &plan, c, sizeof c), kInvalid);
  EXPECT_EQ(rondo_plan(model.get(), nullptr, &plan, c, sizeof c), kInvalid);
  EXPECT_EQ(rondo_plan(model.get(), &eo, nullptr, c, sizeof c), kInvalid);
  EXPECT_EQ(rondo_plan_region(nullptr, &eo, 0, &region), kInvalid);
  EXPECT_EQ(rondo_plan_region(model.get(), nullptr, 0, &region), kInvalid);
  EXPECT_EQ(rondo_plan_region(model.get(), &eo, 0, nullptr), kInvalid);
  EXPECT_EQ(rondo_plan_fit(nullptr, &eo, 1, &context, c, sizeof c), kInvalid);
  EXPECT_EQ(rondo_plan_fit(model.get(), nullptr, 1, &context, c, sizeof c), kInvalid);
  EXPECT_EQ(rondo_plan_fit(model.get(), &eo, 1, nullptr, c, sizeof c), kInvalid);
  EXPECT_EQ(rondo_engine_create(nullptr, &eo, nullptr, 0, &e, c, sizeof c), kInvalid);
  EXPECT_EQ(rondo_engine_create(model.get(), nullptr, nullptr, 0, &e, c, sizeof c), kInvalid);
  EXPECT_EQ(rondo_engine_create(model.get(), &eo, nullptr, 0, nullptr, c, sizeof c), kInvalid);
  EXPECT_EQ(rondo_engine_memory(nullptr, &plan), kInvalid);
  EXPECT_EQ(rondo_engine_memory(engine.get(), nullptr), kInvalid);
  EXPECT_EQ(rondo_engine_memory_region(nullptr, 0, &region), kInvalid);
  EXPECT_EQ(rondo_engine_memory_region(engine.get(), 0, nullptr), kInvalid);
  EXPECT_EQ(rondo_engine_step(nullptr, nullptr, 0, c, sizeof c), kInvalid);
  EXPECT_EQ(rondo_session_append(nullptr, &id, 1), kInvalid);
  EXPECT_EQ(rondo_session_append(session.get(), nullptr, 1), kInvalid);
  EXPECT_EQ(rondo_session_event(nullptr, &event), kInvalid);
  EXPECT_EQ(rondo_session_event(session.get(), nullptr), kInvalid);
  EXPECT_EQ(rondo_session_fork(nullptr, &so, &s, c, sizeof c), kInvalid);
  EXPECT_EQ(rondo_session_fork(session.get(), &so, nullptr, c, sizeof c), kInvalid);
  EXPECT_EQ(rondo_engine_stats(nullptr, &counters), kInvalid);
  EXPECT_EQ(rondo_engine_stats(engine.get(), nullptr), kInvalid);
  rondo_profile_event profile = {};
  profile.struct_size = sizeof profile;
  EXPECT_EQ(rondo_engine_profile(nullptr, &u, &profile), kInvalid);
  EXPECT_EQ(rondo_engine_profile(engine.get(), nullptr, &profile), kInvalid);
  EXPECT_EQ(rondo_engine_profile(engine.get(), &u, nullptr), kInvalid);

  EXPECT_EQ(rondo_session_options_init(nullptr, sizeof so), kInvalid);
  EXPECT_EQ(rondo_session_open(nullptr, &so, &s, c, sizeof c), kInvalid);
  EXPECT_EQ(rondo_session_open(engine.get(), nullptr, &s, c, sizeof c), kInvalid);
  EXPECT_EQ(rondo_session_open(engine.get(), &so, nullptr, c, sizeof c), kInvalid);
  EXPECT_EQ(rondo_session_prefill(nullptr, &id, 1), kInvalid);
  EXPECT_EQ(rondo_session_prefill(session.get(), nullptr, 1), kInvalid);
  EXPECT_EQ(rondo_session_prefill_logits(nullptr, &id, 1, row, nullptr), kInvalid);
  EXPECT_EQ(rondo_session_prefill_logits(session.get(), nullptr, 1, row, nullptr), kInvalid);
  EXPECT_EQ(rondo_session_prefill_logits(session.get(), &id, 1, nullptr, nullptr), kInvalid);
  EXPECT_EQ(rondo_session_next(nullptr, &event), kInvalid);
  EXPECT_EQ(rondo_session_next(session.get(), nullptr), kInvalid);
  EXPECT_EQ(rondo_session_logits(nullptr, &logits, &n), kInvalid);
  EXPECT_EQ(rondo_session_logits(session.get(), nullptr, &n), kInvalid);
  EXPECT_EQ(rondo_session_logits(session.get(), &logits, nullptr), kInvalid);
  EXPECT_EQ(rondo_session_accept(nullptr, 0), kInvalid);
  EXPECT_EQ(rondo_session_undo(nullptr, 0), kInvalid);
  EXPECT_EQ(rondo_session_reset(nullptr), kInvalid);
  EXPECT_EQ(rondo_session_position(nullptr, &u), kInvalid);
  EXPECT_EQ(rondo_session_position(session.get(), nullptr), kInvalid);
  EXPECT_EQ(rondo_session_remaining(nullptr, &u), kInvalid);
  EXPECT_EQ(rondo_session_remaining(session.get(), nullptr), kInvalid);
  EXPECT_EQ(rondo_session_evicted(nullptr, &u, &u), kInvalid);
  EXPECT_EQ(rondo_session_evicted(session.get(), nullptr, &u), kInvalid);
  EXPECT_EQ(rondo_session_evicted(session.get(), &u, nullptr), kInvalid);
  EXPECT_EQ(rondo_session_save(nullptr, c, sizeof c, &n), kInvalid);
  EXPECT_EQ(rondo_session_save(session.get(), nullptr, 1, &n), kInvalid);
  EXPECT_EQ(rondo_session_save(session.get(), c, sizeof c, nullptr), kInvalid);
  EXPECT_EQ(rondo_session_restore(nullptr, c, sizeof c), kInvalid);
  EXPECT_EQ(rondo_session_restore(session.get(), nullptr, 0), kInvalid);
  EXPECT_EQ(rondo_session_restore(session.get(), c, 0), kInvalid);
  EXPECT_EQ(rondo_session_tokens(nullptr, &u, &id, 1, &n), kInvalid);
  EXPECT_EQ(rondo_session_tokens(session.get(), nullptr, &id, 1, &n), kInvalid);
  EXPECT_EQ(rondo_session_tokens(session.get(), &u, nullptr, 1, &n), kInvalid);
  EXPECT_EQ(rondo_session_tokens(session.get(), &u, &id, 1, nullptr), kInvalid);
  rondo_session_counters session_counters = {};
  session_counters.struct_size = sizeof session_counters;
  EXPECT_EQ(rondo_session_stats(nullptr, &session_counters), kInvalid);
  EXPECT_EQ(rondo_session_stats(session.get(), nullptr), kInvalid);
  EXPECT_EQ(rondo_session_progress(nullptr, &u, &u), kInvalid);
  EXPECT_EQ(rondo_session_progress(session.get(), nullptr, &u), kInvalid);
  EXPECT_EQ(rondo_session_progress(session.get(), &u, nullptr), kInvalid);
  EXPECT_EQ(rondo_session_cancel(nullptr), kInvalid);
  EXPECT_STREQ(rondo_session_last_error(nullptr), "");
}

class BadCallsTest : public testing::Test {
 protected:
  // The call failed so, left a sentence, and the session stands where it stood.
  void ExpectRefused(int32_t status, int32_t expected) {
    EXPECT_EQ(status, expected);
    EXPECT_STRNE(rondo_session_last_error(session_.get()), "");
    uint64_t position = 99;
    EXPECT_EQ(rondo_session_position(session_.get(), &position), RONDO_STATUS_OK);
    EXPECT_EQ(position, position_);
  }

  Model model_ = OpenTiny();
  Engine engine_ = NewEngine(model_.get());
  Session session_ = NewSession(engine_.get());
  uint64_t position_ = 0;
};

TEST_F(BadCallsTest, Prompts) {
  ExpectRefused(rondo_session_prefill(session_.get(), nullptr, 0), kInvalid);
  rondo_model_facts facts = {};
  facts.struct_size = sizeof facts;
  ASSERT_EQ(rondo_model_info(model_.get(), &facts), RONDO_STATUS_OK);
  for (const int32_t bad : {-1, INT32_MIN, static_cast<int32_t>(facts.vocab_size), INT32_MAX}) {
    const int32_t ids[] = {1, 2, bad};
    ExpectRefused(rondo_session_prefill(session_.get(), ids, 3), kInvalid);
    ExpectRefused(rondo_session_accept(session_.get(), bad), kInvalid);
  }
  const std::vector<int32_t> too_long(257, 5);
  ExpectRefused(rondo_session_prefill(session_.get(), too_long.data(), 257),
                RONDO_STATUS_CONTEXT_FULL);
  EXPECT_NE(std::strstr(rondo_session_last_error(session_.get()), "256"), nullptr);
  ASSERT_EQ(rondo_session_prefill(session_.get(), too_long.data(), 250), RONDO_STATUS_OK);
  position_ = 250;
  ExpectRefused(rondo_session_prefill(session_.get(), too_long.data(), 7),
                RONDO_STATUS_CONTEXT_FULL);
  EXPECT_EQ(rondo_session_prefill(session_.get(), too_long.data(), 6), RONDO_STATUS_OK);
}

TEST_F(BadCallsTest, NothingToPredictFrom) {
  rondo_event event = {};
  event.struct_size = sizeof event;
  const float* logits = nullptr;
  size_t count = 0;
  ExpectRefused(rondo_session_next(session_.get(), &event), RONDO_STATUS_NO_LOGITS);
  ExpectRefused(rondo_session_logits(session_.get(), &logits, &count), RONDO_STATUS_NO_LOGITS);
  ExpectRefused(rondo_session_undo(session_.get(), 1), kInvalid);
  EXPECT_EQ(rondo_session_undo(session_.get(), 0), RONDO_STATUS_OK);
}

TEST_F(BadCallsTest, EventsOfAnotherVersion) {
  const int32_t id = 1;
  ASSERT_EQ(rondo_session_prefill(session_.get(), &id, 1), RONDO_STATUS_OK);
  position_ = 1;
  rondo_event event = {};
  for (const uint32_t size : {0u, uint32_t{sizeof event} - 1, UINT32_MAX}) {
    event.struct_size = size;
    ExpectRefused(rondo_session_next(session_.get(), &event), RONDO_STATUS_VERSION_MISMATCH);
  }
}

TEST_F(BadCallsTest, EveryTokenForbidden) {
  rondo_model_facts facts = {};
  facts.struct_size = sizeof facts;
  ASSERT_EQ(rondo_model_info(model_.get(), &facts), RONDO_STATUS_OK);
  std::vector<rondo_logit_bias> bias;
  for (uint32_t i = 0; i < facts.vocab_size; ++i) {
    bias.push_back({static_cast<int32_t>(i), -INFINITY});
  }
  rondo_session_options options = SessionOptions();
  options.logit_bias = bias.data();
  options.n_logit_bias = bias.size();
  rondo_session* opened = nullptr;
  char why[256];
  session_.reset();
  const int32_t status = rondo_session_open(engine_.get(), &options, &opened, why, sizeof why);
  if (bias.size() > 1024) {
    EXPECT_EQ(status, kInvalid);
    return;
  }
  ASSERT_EQ(status, RONDO_STATUS_OK) << why;
  session_.reset(opened);
  const int32_t id = 1;
  ASSERT_EQ(rondo_session_prefill(opened, &id, 1), RONDO_STATUS_OK);
  position_ = 1;
  rondo_event event = {};
  event.struct_size = sizeof event;
  ExpectRefused(rondo_session_next(opened, &event), kInvalid);
}

TEST_F(BadCallsTest, SessionOptions) {
  session_.reset();
  const auto refuse = [&](void (*change)(rondo_session_options*)) {
    rondo_session_options options = SessionOptions();
    change(&options);
    auto* opened = reinterpret_cast<rondo_session*>(1);
    char why[256] = "";
    EXPECT_EQ(rondo_session_open(engine_.get(), &options, &opened, why, sizeof why), kInvalid)
        << why;
    EXPECT_EQ(opened, nullptr);
    EXPECT_STRNE(why, "");
  };
  static const rondo_logit_bias kBias = {-3, 1.0f};
  static const char* const kEmpty[] = {""};
  static const char* const kNull[] = {nullptr};
  static const char* const kNotUtf8[] = {"ok", "\xc3("};
  static const std::string kLong(129, 'x');
  static const char* const kTooLong[] = {kLong.c_str()};
  refuse([](rondo_session_options* o) { o->temperature = -1; });
  refuse([](rondo_session_options* o) { o->temperature = NAN; });
  refuse([](rondo_session_options* o) { o->top_k = -1; });
  refuse([](rondo_session_options* o) { o->top_p = 0; });
  refuse([](rondo_session_options* o) { o->min_p = 1; });
  refuse([](rondo_session_options* o) { o->repetition_penalty = 0; });
  refuse([](rondo_session_options* o) { o->presence_penalty = INFINITY; });
  refuse([](rondo_session_options* o) { o->frequency_penalty = NAN; });
  refuse([](rondo_session_options* o) { o->penalty_last_n = 5000; });
  refuse([](rondo_session_options* o) { o->ignore_eos = 2; });
  refuse([](rondo_session_options* o) { o->logprobs = 2; });
  refuse([](rondo_session_options* o) { o->n_logit_bias = 1; });
  refuse([](rondo_session_options* o) { o->n_logit_bias = SIZE_MAX; });
  refuse([](rondo_session_options* o) { o->logit_bias = &kBias, o->n_logit_bias = 1; });
  refuse([](rondo_session_options* o) { o->n_stop_strings = 1; });
  refuse([](rondo_session_options* o) { o->stop_strings = kEmpty, o->n_stop_strings = 1; });
  refuse([](rondo_session_options* o) { o->stop_strings = kEmpty, o->n_stop_strings = SIZE_MAX; });
  refuse([](rondo_session_options* o) { o->stop_strings = kNull, o->n_stop_strings = 1; });
  refuse([](rondo_session_options* o) { o->stop_strings = kNotUtf8, o->n_stop_strings = 2; });
  refuse([](rondo_session_options* o) { o->stop_strings = kTooLong, o->n_stop_strings = 1; });
}

}  // namespace
}  // namespace rondo::abi_test
