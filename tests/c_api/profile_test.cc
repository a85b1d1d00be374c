// The engine's profile: what ran when, in a ring that any thread may read.
#include <atomic>
#include <map>
#include <set>
#include <thread>

#include "tests/c_api/many_sessions.h"

namespace rondo::abi_test::profile_test {
namespace {

rondo_engine_options Recorded(uint32_t events) {
  rondo_engine_options options = Many(2);
  options.profile_events = events;
  return options;
}

rondo_profile_event Next(const rondo_engine* engine, uint64_t* cursor) {
  rondo_profile_event event = {};
  event.struct_size = sizeof event;
  EXPECT_EQ(rondo_engine_profile(engine, cursor, &event), RONDO_STATUS_OK);
  return event;
}

std::vector<rondo_profile_event> All(const rondo_engine* engine, uint64_t* cursor) {
  std::vector<rondo_profile_event> events;
  for (rondo_profile_event event; (event = Next(engine, cursor)).name != nullptr;) {
    events.push_back(event);
  }
  return events;
}

void Tell(const rondo_model* model, rondo_engine* engine, size_t tokens) {
  const Session session = Open(engine, Sampled(1));
  const std::vector<int32_t> ids = Prompt(model, 4);
  ASSERT_EQ(rondo_session_prefill(session.get(), ids.data(), ids.size()), RONDO_STATUS_OK);
  Generate(session.get(), tokens);
}

TEST(ProfileTest, EveryPartOfAPassInItsPlace) {
  const Model model = OpenTiny();
  rondo_model_facts facts = {};
  facts.struct_size = sizeof facts;
  ASSERT_EQ(rondo_model_info(model.get(), &facts), RONDO_STATUS_OK);
  const Engine engine = NewEngine(model.get(), Recorded(100000));
  uint64_t cursor = 0;
  EXPECT_EQ(Next(engine.get(), &cursor).name, nullptr);
  EXPECT_EQ(cursor, 0u);
  Tell(model.get(), engine.get(), 1);
  const std::vector<rondo_profile_event> events = All(engine.get(), &cursor);
  EXPECT_EQ(cursor, events.size());

  const size_t n_ids = Prompt(model.get(), 4).size();
  const size_t passes = (n_ids + 31) / 32;
  std::map<std::string, size_t> count;
  uint64_t rows = 0, end = 0, last_mlp_rows = 0;
  std::vector<rondo_profile_event> within;  // since the last pass ended
  for (const rondo_profile_event& event : events) {
    ++count[event.name];
    const bool is_last = event.layer + 1 == static_cast<int32_t>(facts.n_layers);
    if (is_last && std::string(event.name) == "mlp") last_mlp_rows += event.rows;
    EXPECT_GE(event.begin_ns + event.duration_ns, end);  // in the order of their ends
    end = event.begin_ns + event.duration_ns;
    EXPECT_EQ(event.thread, events[0].thread);
    EXPECT_LT(event.layer, static_cast<int32_t>(facts.n_layers));
    EXPECT_EQ(event.inputs > 0, std::string(event.name) == "product");
    EXPECT_EQ(event.outputs > 0, std::string(event.name) == "product");
    if (std::string(event.name) != "pass") {
      within.push_back(event);
      continue;
    }
    rows += event.rows;
    for (const rondo_profile_event& part : within) EXPECT_GE(part.begin_ns, event.begin_ns);
    within.clear();
  }
  EXPECT_EQ(rows, n_ids);
  EXPECT_EQ(count["pass"], passes);
  EXPECT_EQ(count["embed"], passes);
  EXPECT_EQ(count["attention"], passes * facts.n_layers);
  // Behind the last attention there is the last row of the prompt alone.
  const size_t ended = passes - 1;
  EXPECT_EQ(count["mlp"], passes * facts.n_layers - ended);
  EXPECT_EQ(last_mlp_rows, 1u);
  EXPECT_EQ(count["product"], passes * facts.n_layers * 4 - 2 * ended + 1);  // and the head, once
  EXPECT_EQ(count["head"], 1u);
  EXPECT_EQ(count["sample"], 1u);
  EXPECT_EQ(Next(engine.get(), &cursor).name, nullptr);
}

// Under SLIDE a prompt that is longer than the context is evaluated in parts, each that long.
TEST(ProfileTest, OfALongPromptTheLastTokenAloneHasLogits) {
  const Model model = OpenTiny();
  rondo_engine_options options = Recorded(100000);
  options.context = 128;
  options.context_policy = RONDO_POLICY_SLIDE;
  const Engine engine = NewEngine(model.get(), options);
  const Session session = Open(engine.get(), Sampled(1));
  const std::vector<int32_t> ids(5 * 128, 3);
  ASSERT_EQ(rondo_session_prefill(session.get(), ids.data(), ids.size()), RONDO_STATUS_OK);
  Generate(session.get(), 1);
  uint64_t cursor = 0;
  size_t passes = 0, heads = 0;
  for (const rondo_profile_event& event : All(engine.get(), &cursor)) {
    passes += std::string(event.name) == "pass";
    heads += std::string(event.name) == "head";
  }
  EXPECT_GE(passes, 5u);
  EXPECT_EQ(heads, 1u);
}

TEST(ProfileTest, TheRingIsPlannedAndForgetsTheOldest) {
  const Model model = OpenTiny();
  uint64_t bytes[2];
  for (const uint32_t events : {0u, 50u}) {
    const rondo_engine_options options = Recorded(events);
    rondo_memory_plan plan = {};
    plan.struct_size = sizeof plan;
    ASSERT_EQ(rondo_plan(model.get(), &options, &plan, nullptr, 0), RONDO_STATUS_OK);
    bytes[events > 0] = plan.workspace_bytes;
  }
  EXPECT_GE(bytes[1], bytes[0] + 50 * 56);
  EXPECT_LE(bytes[1], bytes[0] + 50 * 56 + 128);

  const Engine engine = NewEngine(model.get(), Recorded(50));
  Tell(model.get(), engine.get(), 1);
  uint64_t cursor = 0, again = 0;
  EXPECT_EQ(All(engine.get(), &cursor).size(), 50u);
  EXPECT_GT(cursor, 50u);                            // those before are lost, and that is told
  EXPECT_EQ(All(engine.get(), &again).size(), 50u);  // nothing was taken out
  EXPECT_EQ(again, cursor);
  Tell(model.get(), engine.get(), 1);
  EXPECT_EQ(All(engine.get(), &cursor).size(), 50u);
  uint64_t beyond = UINT64_MAX;
  EXPECT_EQ(Next(engine.get(), &beyond).name, nullptr);
  EXPECT_EQ(beyond, UINT64_MAX);
}

TEST(ProfileTest, WithoutOneThereAreNoEvents) {
  const Model model = OpenTiny();
  const Engine engine = NewEngine(model.get(), Recorded(0));
  Tell(model.get(), engine.get(), 3);
  uint64_t cursor = 7;
  EXPECT_EQ(Next(engine.get(), &cursor).name, nullptr);
  EXPECT_EQ(cursor, 7u);
  rondo_profile_event event = {};
  EXPECT_EQ(rondo_engine_profile(engine.get(), &cursor, &event), RONDO_STATUS_VERSION_MISMATCH);
}

// A reader beside writers that overwrite what it reads: whatever it gets is whole.
TEST(ProfileTest, ReadWhileItIsWritten) {
  const Model model = OpenTiny();
  const Engine engine = NewEngine(model.get(), Recorded(16));
  const std::set<std::string> known = {"pass",    "embed", "norm",       "attention", "mlp",
                                       "product", "head",  "activation", "attend",    "sample"};
  std::atomic<bool> over{false};
  std::thread reader([&] {
    uint64_t cursor = 0;
    while (!over) {
      const uint64_t before = cursor;
      const rondo_profile_event event = Next(engine.get(), &cursor);
      if (event.name == nullptr) continue;
      EXPECT_GT(cursor, before);
      EXPECT_TRUE(known.contains(event.name)) << event.name;
      EXPECT_LE(event.rows, 32u);
      EXPECT_EQ(event.inputs > 0, std::string(event.name) == "product");
    }
  });
  std::thread writers[2];
  for (std::thread& writer : writers) {
    writer = std::thread([&] {
      for (int i = 0; i < 3; ++i) Tell(model.get(), engine.get(), 20);
    });
  }
  for (std::thread& writer : writers) writer.join();
  over = true;
  reader.join();
}

}  // namespace
}  // namespace rondo::abi_test::profile_test
