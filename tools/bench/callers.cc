// Threads of the host that each call rondo_session_next for a session of their own: the library
// serves those that wait at once together.
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
  rondo_session* session;
  int32_t status = RONDO_STATUS_OK;
  std::vector<double> latencies;

  // No exception may leave a thread; the session tells afterwards what was wrong.
  void Run(uint64_t tokens) {
    rondo_event event = {};
    event.struct_size = sizeof event;
    while (latencies.size() < tokens && status == RONDO_STATUS_OK && !InterruptFlag()) {
      latencies.push_back(Seconds([&] { status = rondo_session_next(session, &event); }));
    }
  }
};

// Seconds from the start of the threads to the end of the last one.
double Decode(std::span<rondo_session* const> sessions, uint64_t depth, uint64_t tokens,
              std::vector<double>* latencies) {
  std::vector<Caller> callers;
  for (rondo_session* session : sessions) callers.push_back({session, RONDO_STATUS_OK, {}});
  const double seconds = Seconds([&] {
    std::vector<std::jthread> threads;
    for (Caller& caller : callers) threads.emplace_back([&] { caller.Run(tokens); });
  });
  CheckInterrupt();
  for (const Caller& caller : callers) {
    Check(caller.session, caller.status);
    latencies->insert(latencies->end(), caller.latencies.begin(), caller.latencies.end());
    GoBackTo(caller.session, depth);
  }
  return seconds;
}

}  // namespace

std::vector<Measurement> MeasureCallers(Testbed& bed) {
  const uint64_t depth = bed.options.prompt_tokens, tokens = bed.options.decode_tokens;
  const Engine engine = bed.Create(bed.EngineOptions(kCallers, depth + tokens + 1));
  const ModelCosts costs = CostsOf(bed.model.parts, Memory(engine.get()).kernels);
  std::vector<Session> sessions;
  std::vector<Measurement> tests;
  for (uint32_t n = 1; n <= kCallers; ++n) {
    sessions.push_back(bed.OpenAt(engine.get(), depth));
    Measurement& m = tests.emplace_back();
    m.test = TestKind::kCallers;
    m.threads = Memory(engine.get()).threads;
    m.tokens = n * tokens;
    m.depth = depth;
    m.rows = m.sessions = n;
    m.limit = Limit::kBandwidth;
    m.work = SideBySideBytes(costs, depth, tokens, n);
  }
  for (uint32_t i = 0; i < bed.options.repetitions; ++i) {
    for (Measurement& m : tests) {
      bed.limits.Look(&m);
      m.seconds.push_back(Decode(Handles(sessions, m.sessions), depth, tokens, &m.latencies));
      m.baseline_speeds.push_back(static_cast<double>(tokens) / tests.front().seconds.back());
    }
  }
  return tests;
}

}  // namespace rondo::tools
