// After creation nothing asks the system for memory: every way to do so is interposed and counted.
#include "tests/c_api/allocations.h"
#include "tests/c_api/tiny_model.h"
#include "tests/support/count_allocations.h"

namespace rondo::abi_test {

#ifdef RONDO_COUNTS_ALLOCATIONS
bool AllocationsAreCounted() { return true; }
int AllocationsOf(const std::function<void()>& calls, int first, int last) {
  const Counted counted(first, last);
  calls();
  return counted.count();
}
uint64_t AllocatedBytesOf(const std::function<void()>& calls) {
  const Counted counted;
  calls();
  return counted.bytes();
}
long LivingAllocations() { return living; }
#else
bool AllocationsAreCounted() { return false; }
int AllocationsOf(const std::function<void()>& calls, int, int) {
  calls();
  return 0;
}
uint64_t AllocatedBytesOf(const std::function<void()>& calls) {
  calls();
  return 0;
}
long LivingAllocations() { return 0; }
#endif
int AllocationsOf(const std::function<void()>& calls) { return AllocationsOf(calls, -1, -1); }

namespace {

#ifdef RONDO_COUNTS_ALLOCATIONS

TEST(AllocationTest, TheCounterSeesTheLibrary) {
  const Model model = OpenTiny();
  const rondo_engine_options options = EngineOptions();
  rondo_engine* engine = nullptr;
  const Counted counted;
  EXPECT_EQ(rondo_engine_create(model.get(), &options, nullptr, 0, &engine, nullptr, 0),
            RONDO_STATUS_OK);
  EXPECT_GE(counted.count(), 2);  // the handle and the arena at least
  rondo_engine_close(engine);
}

TEST(AllocationTest, NothingIsAllocatedAfterCreation) {
  const Model model = OpenTiny();
  rondo_engine_options engine_options = EngineOptions();
  engine_options.threads = 2;
  engine_options.context_policy = RONDO_POLICY_SLIDE;
  engine_options.sink_tokens = 4;
  engine_options.max_input_rows = 8;
  engine_options.profile_events = 100;
  engine_options.log = [](void*, int32_t, const char*) {};
  engine_options.log_level = RONDO_LOG_DEBUG;
  const Engine engine = NewEngine(model.get(), engine_options);
  rondo_session_options options = SessionOptions();
  const char* stops[] = {"never in any story", "\n\n\n\n"};
  const rondo_logit_bias bias = {5, -1.0f};
  options.temperature = 0.9f;
  options.top_k = 40;
  options.top_p = 0.95f;
  options.min_p = 0.01f;
  options.repetition_penalty = 1.1f;
  options.ignore_eos = 1;
  options.logprobs = 1;
  options.logit_bias = &bias;
  options.n_logit_bias = 1;
  options.stop_strings = stops;
  options.n_stop_strings = 2;
  options.speculation = RONDO_SPECULATION_PROMPT_LOOKUP;
  const Session session = NewSession(engine.get(), options);
  const char prompt[] = "Once upon a time, there was a girl. Her name was <|unknown|> \xff.";

  int32_t ids[128];
  static int32_t tokens_held[8192];
  size_t n_ids = 0;
  char text[8192];
  size_t length = 0;
  int32_t failures = 0;
  size_t tokens = 0;
  const Counted counted;
  failures += rondo_tokenize(model.get(), prompt, sizeof prompt - 1, RONDO_TOKENIZE_ADD_SPECIAL,
                             ids, 128, &n_ids) != RONDO_STATUS_OK;
  failures += rondo_session_prefill(session.get(), ids, n_ids) != RONDO_STATUS_OK;
  rondo_event event = {};
  event.struct_size = sizeof event;
  while (tokens < 1000 && failures == 0) {
    failures += rondo_session_next(session.get(), &event) != RONDO_STATUS_OK;
    failures += event.token < 0;
    ++tokens;
  }
  EXPECT_EQ(counted.count(), 0) << "in tokenize, prefill or next";

  // Every other call but those that create and destroy.
  rondo_model_facts facts = {};
  rondo_memory_plan plan = {};
  rondo_memory_region region = {};
  rondo_engine_counters counters = {};
  facts.struct_size = sizeof facts;
  plan.struct_size = sizeof plan;
  region.struct_size = sizeof region;
  counters.struct_size = sizeof counters;
  rondo_profile_event profile = {};
  profile.struct_size = sizeof profile;
  rondo_session_counters session_counters = {};
  session_counters.struct_size = sizeof session_counters;
  rondo_session* const stepped = session.get();
  uint64_t u = 0;
  uint64_t v = 0;
  int64_t value = 0;
  int32_t token = 0;
  const float* logits = nullptr;
  size_t count = 0;
  static unsigned char snapshot[1 << 20];
  size_t bytes = 0;
  const auto row = [](void*, size_t, const float*, size_t) {};
  static const float rows[1 << 14] = {};
  const rondo_input inputs[] = {{sizeof(rondo_input), 0, ids, nullptr, n_ids, nullptr, 0, 0},
                                {sizeof(rondo_input), 0, nullptr, rows, 3, nullptr, 1, 0}};
  const int32_t statuses[] = {
      rondo_query("abi.version", &value),
      rondo_model_info(model.get(), &facts),
      rondo_model_eos_token(model.get(), 0, &token),
      rondo_model_fact(model.get(), "architecture", text, sizeof text, &length),
      rondo_detokenize(model.get(), ids, n_ids, 0, text, sizeof text, &length),
      rondo_engine_memory(engine.get(), &plan),
      rondo_engine_memory_region(engine.get(), 0, &region),
      rondo_engine_stats(engine.get(), &counters),
      rondo_engine_profile(engine.get(), &u, &profile),
      rondo_session_logits(session.get(), &logits, &count),
      rondo_session_accept(session.get(), 7),
      rondo_session_position(session.get(), &u),
      rondo_session_remaining(session.get(), &u),
      rondo_session_evicted(session.get(), &u, &v),
      rondo_session_stats(session.get(), &session_counters),
      rondo_session_progress(session.get(), &u, &v),
      rondo_session_undo(session.get(), 3),
      rondo_session_logits(session.get(), &logits, &count),
      rondo_session_prefill_logits(session.get(), ids, n_ids, row, nullptr),
      rondo_session_save(session.get(), snapshot, sizeof snapshot, &bytes),
      rondo_session_reset(session.get()),
      rondo_session_restore(session.get(), snapshot, bytes),
      rondo_session_tokens(session.get(), &u, tokens_held, 8192, &count),
      rondo_session_reset(session.get()),
      rondo_session_prefill(session.get(), ids, n_ids),
      rondo_session_next(session.get(), &event),
      rondo_session_propose(session.get(), ids, 7),
      rondo_session_next(session.get(), &event),
      rondo_session_append(session.get(), ids, n_ids),
      rondo_session_append_inputs(session.get(), inputs, 2),
      rondo_engine_step(engine.get(), &stepped, 1, text, sizeof text),
      rondo_session_event(session.get(), &event),
  };
  failures += rondo_session_prefill(session.get(), ids, 0) != RONDO_STATUS_INVALID_ARGUMENT;
  failures += rondo_session_restore(session.get(), snapshot, bytes - 1) != RONDO_STATUS_CORRUPT;
  failures += *rondo_session_last_error(session.get()) == '\0';
  failures += rondo_session_cancel(session.get()) != RONDO_STATUS_OK;
  failures += rondo_session_accept(session.get(), 7) != RONDO_STATUS_OK;
  failures += rondo_session_logits(session.get(), &logits, &count) != RONDO_STATUS_CANCELLED;
  EXPECT_EQ(counted.count(), 0) << "in another call";
  EXPECT_EQ(tokens, 1000u);
  EXPECT_EQ(failures, 0);
  for (const int32_t& status : statuses) {
    EXPECT_EQ(status, RONDO_STATUS_OK) << "call " << &status - statuses;
  }
}

TEST(AllocationTest, NothingIsAllocatedForAnAdapter) {
  const Model model = OpenTiny();
  const Adapter adapter = OpenTinyAdapter(model.get());
  rondo_engine_options engine_options = EngineOptions();
  engine_options.adapter_rank = kTinyAdapterRank;
  engine_options.threads = 2;
  const Engine engine = NewEngine(model.get(), engine_options);
  rondo_session_options options = SessionOptions();
  options.adapter = adapter.get();
  options.ignore_eos = 1;
  const Session session = NewSession(engine.get(), options);
  static unsigned char snapshot[1 << 20];
  const std::vector<int32_t> ids = Ids(model.get(), "Once upon a time, there was a girl.");
  size_t bytes = 0;
  int32_t failures = 0;
  rondo_event event = {};
  event.struct_size = sizeof event;
  const Counted counted;
  failures += rondo_session_prefill(session.get(), ids.data(), ids.size()) != RONDO_STATUS_OK;
  for (int i = 0; i < 100; ++i) {
    failures += rondo_session_next(session.get(), &event) != RONDO_STATUS_OK;
  }
  failures += rondo_session_save(session.get(), snapshot, sizeof snapshot, &bytes) != 0;
  failures += rondo_session_restore(session.get(), snapshot, bytes) != RONDO_STATUS_OK;
  failures += rondo_session_next(session.get(), &event) != RONDO_STATUS_OK;
  EXPECT_EQ(counted.count(), 0);
  EXPECT_EQ(failures, 0);
}

TEST(AllocationTest, NothingIsAllocatedForAGrammarOrAThought) {
  const Model model = OpenTiny();
  const Engine engine = NewEngine(model.get());
  rondo_grammar_options grammar_options;
  rondo_grammar_options_init(&grammar_options, sizeof grammar_options);
  const char schema[] = R"({"type": "array", "items": {"type": "string", "minLength": 3}})";
  rondo_grammar* grammar = nullptr;
  ASSERT_EQ(rondo_grammar_create(model.get(), &grammar_options, schema, sizeof schema - 1, nullptr,
                                 0, &grammar, nullptr, 0),
            RONDO_STATUS_OK);
  rondo_session_options options = SessionOptions();
  options.temperature = 1;
  options.grammar = grammar;
  options.grammar_begin = RONDO_GRAMMAR_BEGIN_AFTER_THINKING;
  options.thinking = 1;
  options.thinking_begin = "mom";
  options.thinking_end = " day.\n";
  options.thinking_tokens = 20;
  const Session session = NewSession(engine.get(), options);
  rondo_grammar_close(grammar);
  const std::vector<int32_t> ids = Ids(model.get(), "Lily saw her mom");
  int32_t failures = 0;
  size_t thoughts = 0, others = 0;
  const Counted counted;
  failures += rondo_session_prefill(session.get(), ids.data(), ids.size()) != RONDO_STATUS_OK;
  rondo_event event = {};
  event.struct_size = sizeof event;
  for (size_t i = 0; i < 100 && event.reason == RONDO_REASON_NONE; ++i) {
    failures += rondo_session_next(session.get(), &event) != RONDO_STATUS_OK;
    ++(event.channel == RONDO_CHANNEL_THINKING ? thoughts : others);
    if (i == 30) failures += rondo_session_undo(session.get(), 15) != RONDO_STATUS_OK;
  }
  EXPECT_EQ(counted.count(), 0);
  EXPECT_EQ(failures, 0);
  EXPECT_GE(thoughts, 20u);
  EXPECT_GT(others, 0u);
}

#else
TEST(AllocationTest, NothingIsAllocatedAfterCreation) {
  GTEST_SKIP() << "no allocator to interpose here: not glibc, or a sanitizer's own";
}
#endif

}  // namespace
}  // namespace rondo::abi_test
