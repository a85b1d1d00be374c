// Plans and engines: exact memory, any order of closing, refusals that leave nothing behind.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "tests/c_api/tiny_model.h"

namespace rondo::abi_test::engine_test {
namespace {

rondo_memory_plan Plan(const rondo_model* model, const rondo_engine_options& options) {
  rondo_memory_plan plan = {};
  plan.struct_size = sizeof plan;
  char why[256];
  EXPECT_EQ(rondo_plan(model, &options, &plan, why, sizeof why), RONDO_STATUS_OK) << why;
  return plan;
}

// Memory with a moat on both sides.
class Moated {
 public:
  static constexpr size_t kMoat = 4096;
  explicit Moated(size_t bytes)
      : bytes_(bytes),
        base_(static_cast<unsigned char*>(
            std::aligned_alloc(64, (bytes + 2 * kMoat + 63) / 64 * 64))) {
    std::memset(base_.get(), 0xa7, bytes + 2 * kMoat);
  }
  void* arena() const { return base_.get() + kMoat; }
  bool Untouched() const {
    const auto is_moat = [](unsigned char c) { return c == 0xa7; };
    return std::all_of(base_.get(), base_.get() + kMoat, is_moat) &&
           std::all_of(base_.get() + kMoat + bytes_, base_.get() + bytes_ + 2 * kMoat, is_moat);
  }

 private:
  struct Free {
    void operator()(void* p) const { std::free(p); }
  };
  size_t bytes_;
  std::unique_ptr<unsigned char, Free> base_;
};

TEST(PlanTest, SegmentsAddUpAndRegionsLieInThem) {
  const Model model = OpenTiny();
  const rondo_engine_options options = EngineOptions();
  const rondo_memory_plan plan = Plan(model.get(), options);
  EXPECT_EQ(plan.arena_bytes, plan.weights_bytes + plan.kv_pool_bytes + plan.sessions_bytes +
                                  plan.activations_bytes + plan.workspace_bytes);
  EXPECT_GE(plan.activations_bytes, plan.activations_lower_bound);
  EXPECT_EQ(plan.context, 256u);
  EXPECT_GE(plan.kv_pool_bytes, plan.context * plan.kv_bytes_per_token);
  ASSERT_GT(plan.n_regions, 5u);
  rondo_memory_region region = {};
  region.struct_size = sizeof region;
  for (uint32_t i = 0; i < plan.n_regions; ++i) {
    ASSERT_EQ(rondo_plan_region(model.get(), &options, i, &region), RONDO_STATUS_OK);
    EXPECT_EQ(region.offset % plan.arena_alignment, 0u);
    EXPECT_LE(region.offset + region.bytes, plan.arena_bytes);
    EXPECT_STRNE(region.name, "");
  }
  EXPECT_EQ(rondo_plan_region(model.get(), &options, plan.n_regions, &region),
            RONDO_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(region.bytes, 0u);
}

TEST(PlanTest, FitIsTheLargestContextThatFits) {
  const Model model = OpenTiny();
  rondo_engine_options options = EngineOptions();
  options.context = 300;
  const uint64_t budget = Plan(model.get(), options).arena_bytes;
  uint32_t context = 0;
  char why[256];
  ASSERT_EQ(rondo_plan_fit(model.get(), &options, budget, &context, why, sizeof why),
            RONDO_STATUS_OK)
      << why;
  EXPECT_EQ(context, 320u);  // the blocks of 300 hold as many
  options.context = context;
  EXPECT_LE(Plan(model.get(), options).arena_bytes, budget);
  options.context = context + Plan(model.get(), options).kv_block_tokens;
  EXPECT_GT(Plan(model.get(), options).arena_bytes, budget);
  ASSERT_EQ(rondo_plan_fit(model.get(), &options, UINT64_MAX, &context, why, sizeof why),
            RONDO_STATUS_OK);
  EXPECT_EQ(context, 512u);  // the model knows no more
  context = 7;
  EXPECT_EQ(rondo_plan_fit(model.get(), &options, 1000, &context, why, sizeof why),
            RONDO_STATUS_ARENA_TOO_SMALL);
  EXPECT_EQ(context, 0u);
}

TEST(PlanTest, RefusesOptionsOutOfRange) {
  const Model model = OpenTiny();
  const auto refuse = [&](void (*change)(rondo_engine_options*)) {
    rondo_engine_options options = EngineOptions();
    change(&options);
    rondo_memory_plan plan = {};
    plan.struct_size = sizeof plan;
    char why[256] = "";
    EXPECT_EQ(rondo_plan(model.get(), &options, &plan, why, sizeof why),
              RONDO_STATUS_INVALID_ARGUMENT)
        << why;
    EXPECT_STRNE(why, "");
    rondo_engine* engine = nullptr;
    EXPECT_EQ(rondo_engine_create(model.get(), &options, nullptr, 0, &engine, why, sizeof why),
              RONDO_STATUS_INVALID_ARGUMENT);
    EXPECT_EQ(engine, nullptr);
  };
  refuse([](rondo_engine_options* o) { o->context = UINT32_MAX; });
  refuse([](rondo_engine_options* o) { o->max_sessions = 0; });
  refuse([](rondo_engine_options* o) { o->max_sessions = 65; });
  refuse([](rondo_engine_options* o) { o->max_rows = 0; });
  refuse([](rondo_engine_options* o) { o->max_rows = 8193; });
  refuse([](rondo_engine_options* o) { o->threads = UINT32_MAX; });
  refuse([](rondo_engine_options* o) { o->context_policy = 2; });
  refuse([](rondo_engine_options* o) { o->context_policy = -1; });
  refuse([](rondo_engine_options* o) { o->kv_format = 7; });
  refuse([](rondo_engine_options* o) { o->duty_percent = 101; });
  refuse([](rondo_engine_options* o) { o->log_level = 3; });
  refuse([](rondo_engine_options* o) { o->log_level = -1; });
  refuse([](rondo_engine_options* o) { o->profile_events = (1u << 20) + 1; });
  refuse([](rondo_engine_options* o) { o->kernels = "no such kernels"; });
  refuse([](rondo_engine_options* o) {
    o->context_policy = RONDO_POLICY_SLIDE;
    o->sink_tokens = 10000;
  });
  // The sinks' block, and two that turn: with one, a row at a block's start would see nothing.
  for (const uint32_t blocks : {1u, 2u, 3u}) {
    rondo_engine_options options = EngineOptions();
    options.context_policy = RONDO_POLICY_SLIDE;
    options.sink_tokens = 4;
    options.context = blocks * 64;
    rondo_memory_plan plan = {};
    plan.struct_size = sizeof plan;
    char why[256] = "";
    EXPECT_EQ(rondo_plan(model.get(), &options, &plan, why, sizeof why),
              blocks < 3 ? RONDO_STATUS_INVALID_ARGUMENT : RONDO_STATUS_OK)
        << blocks << ": " << why;
  }
}

TEST(EngineTest, UsesTheArenaExactly) {
  const Model model = OpenTiny();
  rondo_engine_options options = EngineOptions();
  options.context_policy = RONDO_POLICY_SLIDE;
  const rondo_memory_plan plan = Plan(model.get(), options);
  const Moated memory(plan.arena_bytes);
  rondo_engine* engine = nullptr;
  char why[256];
  EXPECT_EQ(rondo_engine_create(model.get(), &options, memory.arena(), plan.arena_bytes - 1,
                                &engine, why, sizeof why),
            RONDO_STATUS_ARENA_TOO_SMALL);
  EXPECT_EQ(engine, nullptr);
  EXPECT_STRNE(why, "");
  EXPECT_EQ(
      rondo_engine_create(model.get(), &options, static_cast<unsigned char*>(memory.arena()) + 8,
                          plan.arena_bytes, &engine, why, sizeof why),
      RONDO_STATUS_ARENA_MISALIGNED);
  EXPECT_EQ(engine, nullptr);
  EXPECT_EQ(rondo_engine_create(model.get(), &options, nullptr, 100, &engine, why, sizeof why),
            RONDO_STATUS_INVALID_ARGUMENT);
  EXPECT_TRUE(memory.Untouched());

  ASSERT_EQ(rondo_engine_create(model.get(), &options, memory.arena(), plan.arena_bytes, &engine,
                                why, sizeof why),
            RONDO_STATUS_OK)
      << why;
  const Engine owner(engine);
  rondo_session_options session_options = SessionOptions();
  session_options.temperature = 1;
  session_options.top_p = 0.9f;
  session_options.repetition_penalty = 1.1f;
  session_options.ignore_eos = 1;
  const Session session = NewSession(engine, session_options);
  const std::vector<int32_t> ids = Ids(model.get(), "Once upon a time");
  ASSERT_EQ(rondo_session_prefill(session.get(), ids.data(), ids.size()), RONDO_STATUS_OK);
  EXPECT_EQ(Generate(session.get(), 600).tokens.size(), 600u);
  EXPECT_TRUE(memory.Untouched());

  rondo_memory_plan report = {};
  report.struct_size = sizeof report;
  ASSERT_EQ(rondo_engine_memory(engine, &report), RONDO_STATUS_OK);
  EXPECT_EQ(std::memcmp(&report, &plan, sizeof plan), 0);
  rondo_memory_region mine = {};
  rondo_memory_region planned = {};
  mine.struct_size = planned.struct_size = sizeof mine;
  for (uint32_t i = 0; i < report.n_regions; ++i) {
    ASSERT_EQ(rondo_engine_memory_region(engine, i, &mine), RONDO_STATUS_OK);
    ASSERT_EQ(rondo_plan_region(model.get(), &options, i, &planned), RONDO_STATUS_OK);
    EXPECT_EQ(std::memcmp(&mine, &planned, sizeof mine), 0);
  }
  EXPECT_EQ(rondo_engine_memory_region(engine, report.n_regions, &mine),
            RONDO_STATUS_INVALID_ARGUMENT);
  rondo_engine_counters counters = {};
  counters.struct_size = sizeof counters;
  ASSERT_EQ(rondo_engine_stats(engine, &counters), RONDO_STATUS_OK);
  EXPECT_EQ(counters.owns_arena, 0u);
  EXPECT_EQ(counters.sessions_open, 1u);
  EXPECT_EQ(counters.tokens_generated, 600u);
}

TEST(EngineTest, HandlesCloseInAnyOrder) {
  std::array<int, 3> order = {0, 1, 2};
  do {
    rondo_model* model = OpenTiny().release();
    rondo_engine* engine = NewEngine(model).release();
    rondo_session* session = NewSession(engine).release();
    const std::vector<int32_t> ids = Ids(model, "Once");
    for (const int which : order) {
      if (which == 0) rondo_model_close(model);
      if (which == 1) rondo_engine_close(engine);
      if (which == 2) {
        ASSERT_EQ(rondo_session_prefill(session, ids.data(), ids.size()), RONDO_STATUS_OK);
        EXPECT_EQ(Generate(session, 3).tokens.size(), 3u);
        rondo_session_close(session);
      }
    }
  } while (std::next_permutation(order.begin(), order.end()));
  rondo_model_close(nullptr);
  rondo_engine_close(nullptr);
  rondo_session_close(nullptr);
}

TEST(EngineTest, AllPlacesTaken) {
  const Model model = OpenTiny();
  rondo_engine_options options = EngineOptions();
  options.max_sessions = 2;
  const Engine engine = NewEngine(model.get(), options);
  Session a = NewSession(engine.get());
  const Session b = NewSession(engine.get());
  const rondo_session_options session_options = SessionOptions();
  auto* third = reinterpret_cast<rondo_session*>(1);
  char why[256] = "";
  EXPECT_EQ(rondo_session_open(engine.get(), &session_options, &third, why, sizeof why),
            RONDO_STATUS_BUSY);
  EXPECT_EQ(third, nullptr);
  EXPECT_STRNE(why, "");
  a.reset();
  NewSession(engine.get());
}

TEST(EngineTest, SessionsDoNotDisturbEachOther) {
  const Model model = OpenTiny();
  rondo_engine_options options = EngineOptions();
  options.max_sessions = 2;
  const Engine engine = NewEngine(model.get(), options);
  rondo_session_options session_options = SessionOptions();
  session_options.max_tokens = 20;
  const std::vector<int32_t> one = Ids(model.get(), "Once upon a time");
  const std::vector<int32_t> two = Ids(model.get(), "Today's weather is so");
  const auto alone = [&](const std::vector<int32_t>& ids) {
    const Session session = NewSession(engine.get(), session_options);
    EXPECT_EQ(rondo_session_prefill(session.get(), ids.data(), ids.size()), RONDO_STATUS_OK);
    return Generate(session.get());
  };
  const Generated alone_one = alone(one);
  const Generated alone_two = alone(two);
  const Session a = NewSession(engine.get(), session_options);
  const Session b = NewSession(engine.get(), session_options);
  ASSERT_EQ(rondo_session_prefill(a.get(), one.data(), one.size()), RONDO_STATUS_OK);
  ASSERT_EQ(rondo_session_prefill(b.get(), two.data(), two.size()), RONDO_STATUS_OK);
  std::string text_a;
  std::string text_b;
  for (int i = 0; i < 20; ++i) {
    text_a += Generate(a.get(), 1).text;
    text_b += Generate(b.get(), 1).text;
  }
  EXPECT_EQ(text_a, alone_one.text);
  EXPECT_EQ(text_b, alone_two.text);
}

}  // namespace
}  // namespace rondo::abi_test::engine_test
