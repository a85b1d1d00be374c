// Threads of the host that each call rondo_session_next for a session of their own: the library
// serves those that wait at once together.
#include <exception>
#include <thread>

#include "tools/bench/costs.h"
#include "tools/bench/session_tests.h"
#include "tools/bench/stepping.h"
#include "tools/common/interrupt.h"
#include "tools/common/stopwatch.h"

namespace rondo::tools {
namespace {

constexpr uint32_t kCallers = 2;

struct Caller {
  Session* session;
  std::vector<double> latencies = {};
  std::exception_ptr failure = nullptr;  // which may not leave its thread

  void Run(uint64_t tokens) {
    try {
      while (latencies.size() < tokens && !InterruptFlag()) {
        latencies.push_back(Seconds([&] { session->Next(); }));
      }
    } catch (...) {
      failure = std::current_exception();
    }
  }
};

// Seconds from the start of the threads to the end of the last one.
double Decode(const std::vector<Session*>& sessions, uint64_t depth, uint64_t tokens,
              std::vector<double>* latencies) {
  std::vector<Caller> callers;
  for (Session* session : sessions) callers.push_back({session});
  const double seconds = Seconds([&] {
    std::vector<std::jthread> threads;
    for (Caller& caller : callers) threads.emplace_back([&] { caller.Run(tokens); });
  });
  CheckInterrupt();
  for (const Caller& caller : callers) {
    if (caller.failure) std::rethrow_exception(caller.failure);
    latencies->insert(latencies->end(), caller.latencies.begin(), caller.latencies.end());
    GoBackTo(caller.session, depth);
  }
  return seconds;
}

}  // namespace

std::vector<Measurement> MeasureCallers(Testbed& bed) {
  const uint64_t depth = bed.options.prompt_tokens, tokens = bed.options.decode_tokens;
  Engine engine = bed.Create(bed.OptionsFor(kCallers, depth + tokens + 1));
  const ModelCosts costs = CostsOf(bed.model.parts, engine.Memory().kernels);
  std::vector<Session> sessions;
  std::vector<Measurement> tests;
  for (uint32_t n = 1; n <= kCallers; ++n) {
    sessions.push_back(bed.OpenAt(&engine, depth));
    Measurement& m = tests.emplace_back();
    m.test = TestKind::kCallers;
    m.threads = engine.Memory().threads;
    m.tokens = n * tokens;
    m.depth = depth;
    m.rows = m.sessions = n;
    m.limit = Limit::kBandwidth;
    m.work = SideBySideBytes(costs, depth, tokens, n);
  }
  for (uint32_t i = 0; i < bed.options.repetitions; ++i) {
    for (Measurement& m : tests) {
      bed.limits.Look(&m);
      m.seconds.push_back(Decode(FirstOf(sessions, m.sessions), depth, tokens, &m.latencies));
      m.baseline_speeds.push_back(static_cast<double>(tokens) / tests.front().seconds.back());
    }
  }
  return tests;
}

}  // namespace rondo::tools
