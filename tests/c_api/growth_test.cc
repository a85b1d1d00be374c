// The table of exponents: how the work of calls grows with what they are given, by the library's
// own counters and by the bytes that it asks the system for.
#include "tests/support/growth.h"

#include <string>
#include <vector>

#include "tests/c_api/allocations.h"
#include "tests/c_api/tiny_model.h"

namespace rondo::abi_test::growth_test {
namespace {

using test::ExpectGrowth;
using test::kNoGrowth;

constexpr uint32_t kContext = 4096;
const std::vector<uint64_t> kLengths = {200, 800, 3200};  // no whole blocks

rondo_engine_options LongOptions() {
  rondo_engine_options options = EngineOptions();
  options.context = kContext;
  options.max_sessions = 3;
  return options;
}

std::vector<int32_t> AnyIds(uint64_t n) {
  std::vector<int32_t> ids(n);
  for (uint64_t i = 0; i < n; ++i) ids[i] = static_cast<int32_t>(3 + i * i % 2000);
  return ids;
}

rondo_session_counters Counters(rondo_session* session) {
  rondo_session_counters counters = {};
  counters.struct_size = sizeof counters;
  EXPECT_EQ(rondo_session_stats(session, &counters), RONDO_STATUS_OK);
  return counters;
}

void Prefill(rondo_session* session, uint64_t n) {
  EXPECT_EQ(rondo_session_prefill(session, AnyIds(n).data(), n), RONDO_STATUS_OK);
}

void Next(rondo_session* session, int count) {
  for (int i = 0; i < count; ++i) {
    rondo_event event = {};
    event.struct_size = sizeof event;
    EXPECT_EQ(rondo_session_next(session, &event), RONDO_STATUS_OK);
  }
}

class GrowthOfCalls : public testing::Test {
 protected:
  GrowthOfCalls() : engine_(NewEngine(model_.get(), LongOptions())) {}
  Session Open() {
    rondo_session_options options = SessionOptions();
    options.ignore_eos = 1;
    return NewSession(engine_.get(), options);
  }
  // Rows that `calls` evaluate for a session behind a prompt of `n` tokens.
  uint64_t RowsBehind(uint64_t n, const std::function<void(rondo_session*)>& calls) {
    const Session session = Open();
    Prefill(session.get(), n);
    Next(session.get(), 2);
    const uint64_t before = Counters(session.get()).rows;
    calls(session.get());
    return Counters(session.get()).rows - before;
  }

  const Model model_ = OpenTiny();
  const Engine engine_;
};

TEST_F(GrowthOfCalls, Prompts) {
  rondo_engine_options options = LongOptions();
  options.no_prefix_cache = 1;
  const Engine engine = NewEngine(model_.get(), options);
  const auto counters = [&](uint64_t n) {
    const Session session = NewSession(engine.get());
    Prefill(session.get(), n);
    return Counters(session.get());
  };
  ExpectGrowth({"prefill by tokens", "rows", kLengths, [&](auto n) { return counters(n).rows; }});
  ExpectGrowth(
      {"prefill by tokens", "passes", kLengths, [&](auto n) { return counters(n).passes; }});
}

TEST_F(GrowthOfCalls, WhatComesBehindAPrompt) {
  ExpectGrowth({"next by tokens before", "rows", kLengths,
                [&](auto n) { return RowsBehind(n, [](auto* s) { Next(s, 4); }); }, kNoGrowth});
  ExpectGrowth({"undo(1) and next by tokens before", "rows", kLengths,
                [&](auto n) {
                  return RowsBehind(n, [](auto* s) {
                    EXPECT_EQ(rondo_session_undo(s, 1), RONDO_STATUS_OK);
                    Next(s, 2);
                  });
                },
                kNoGrowth});
  ExpectGrowth({"fork and next by tokens before", "rows", kLengths,
                [&](auto n) {
                  uint64_t rows = 0;
                  RowsBehind(n, [&](auto* s) {
                    const rondo_session_options options = SessionOptions();
                    rondo_session* fork = nullptr;
                    ASSERT_EQ(rondo_session_fork(s, &options, &fork, nullptr, 0), RONDO_STATUS_OK);
                    Next(fork, 2);
                    rows = Counters(fork).rows;
                    rondo_session_close(fork);
                  });
                  return rows;
                },
                kNoGrowth});
  ExpectGrowth({"a prompt that the prefix cache has, by tokens",
                "rows",
                {264, 1032, 3208},
                [&](auto n) {
                  Prefill(Open().get(), n);
                  const Session again = Open();
                  Prefill(again.get(), n);
                  return Counters(again.get()).rows;
                },
                kNoGrowth});
}

TEST_F(GrowthOfCalls, Snapshots) {
  const auto save = [&](uint64_t n) {
    const Session session = Open();
    Prefill(session.get(), n);
    size_t size = 0;
    (void)rondo_session_save(session.get(), nullptr, 0, &size);
    std::vector<char> bytes(size);
    EXPECT_EQ(rondo_session_save(session.get(), bytes.data(), size, &size), RONDO_STATUS_OK);
    return bytes;
  };
  ExpectGrowth({"save by tokens", "bytes", kLengths, [&](auto n) { return save(n).size(); }});
  ExpectGrowth({"restore and next by tokens", "rows", kLengths,
                [&](auto n) {
                  const std::vector<char> bytes = save(n);
                  const Session session = Open();
                  EXPECT_EQ(rondo_session_restore(session.get(), bytes.data(), bytes.size()),
                            RONDO_STATUS_OK);
                  Next(session.get(), 2);
                  return Counters(session.get()).rows;
                },
                kNoGrowth});
}

rondo_memory_plan PlanOf(const rondo_model* model, const rondo_engine_options& options) {
  rondo_memory_plan plan = {};
  plan.struct_size = sizeof plan;
  EXPECT_EQ(rondo_plan(model, &options, &plan, nullptr, 0), RONDO_STATUS_OK);
  return plan;
}

TEST_F(GrowthOfCalls, Arenas) {
  const auto of_context = [](uint64_t n) {
    rondo_engine_options options = EngineOptions();
    options.context = static_cast<uint32_t>(n);
    return options;
  };
  const auto of_sessions = [](uint64_t n) {
    rondo_engine_options options = EngineOptions();
    options.max_sessions = static_cast<uint32_t>(n);
    return options;
  };
  ExpectGrowth({"arena by context", "bytes", {1000, 8000, 64000}, [&](auto n) {
                  return PlanOf(model_.get(), of_context(n)).arena_bytes;
                }});
  ExpectGrowth({"arena by sessions", "bytes", {4, 16, 64}, [&](auto n) {
                  return PlanOf(model_.get(), of_sessions(n)).arena_bytes;
                }});
}

// What is asked of the system, and so what is touched of it at most.
class GrowthOfAllocations : public GrowthOfCalls {
 protected:
  void SetUp() override {
    if (!AllocationsAreCounted()) {
      GTEST_SKIP() << "this build's allocator cannot be counted";
    }
  }
};

TEST_F(GrowthOfAllocations, Plans) {
  ExpectGrowth({"plan by context",
                "bytes asked for",
                {1000, 8000, 64000},
                [&](auto n) {
                  return AllocatedBytesOf([&] {
                    rondo_engine_options options = EngineOptions();
                    options.context = static_cast<uint32_t>(n);
                    PlanOf(model_.get(), options);
                  });
                },
                kNoGrowth});
  // The table of regions doubles: three sizes that lie far apart.
  ExpectGrowth({"plan by sessions", "bytes asked for", {1, 8, 64}, [&](auto n) {
                  return AllocatedBytesOf([&] {
                    rondo_engine_options options = EngineOptions();
                    options.max_sessions = static_cast<uint32_t>(n);
                    PlanOf(model_.get(), options);
                  });
                }});
  ExpectGrowth(
      {"plan_fit by bytes", "bytes asked for", {10'000'000, 40'000'000, 160'000'000}, [&](auto n) {
         return AllocatedBytesOf([&] {
           const rondo_engine_options options = EngineOptions();
           uint32_t context = 0;
           EXPECT_EQ(rondo_plan_fit(model_.get(), &options, n, &context, nullptr, 0),
                     RONDO_STATUS_OK);
         });
       }});
}

TEST_F(GrowthOfAllocations, SessionsOfManyBiases) {
  ExpectGrowth(
      {"session_open by logit biases", "bytes asked for", {16, 64, 256, 1024}, [&](auto n) {
         std::vector<rondo_logit_bias> biases(n);
         for (uint64_t i = 0; i < n; ++i) biases[i] = {static_cast<int32_t>(i), 1.0f};
         rondo_session_options options = SessionOptions();
         options.logit_bias = biases.data();
         options.n_logit_bias = static_cast<uint32_t>(n);
         return AllocatedBytesOf([&] { NewSession(engine_.get(), options); });
       }});
}

TEST_F(GrowthOfAllocations, Conversations) {
  const std::string text = "{% for m in messages %}{{ m.role }}: {{ m.content }}\n{% endfor %}";
  ExpectGrowth(
      {"chat_render by messages of 1 KB", "bytes asked for", {50, 200, 800, 3200}, [&](auto n) {
         std::string messages = "[";
         for (uint64_t i = 0; i < n; ++i) {
           messages += i == 0 ? "" : ",";
           messages += R"({"role": "user", "content": ")" + std::string(1024, 'a') + "\"}";
         }
         messages += "]";
         rondo_chat_options options;
         rondo_chat_options_init(&options, sizeof options);
         options.messages = messages.data();
         options.messages_bytes = messages.size();
         options.template_text = text.data();
         options.template_bytes = text.size();
         return AllocatedBytesOf([&] {
           size_t length = 0;
           EXPECT_EQ(rondo_chat_render(model_.get(), &options, nullptr, 0, &length, nullptr, 0,
                                       nullptr, nullptr, 0),
                     RONDO_STATUS_BUFFER_TOO_SMALL);
         });
       }});
}

}  // namespace
}  // namespace rondo::abi_test::growth_test
