// Sessions that decode side by side: rondo_engine_step for all of them.
#include "tools/bench/costs.h"
#include "tools/bench/session_tests.h"
#include "tools/bench/stepping.h"
#include "tools/common/stopwatch.h"

namespace rondo::tools {
namespace {

constexpr uint64_t kWarmUpSteps = 2;

// Every step gives each session a token; then all are back where they were.
double Decode(Engine* engine, const std::vector<Session*>& sessions, uint64_t depth, uint64_t steps,
              std::vector<double>* latencies) {
  const Stopwatch watch;
  for (uint64_t i = 0; i < steps; ++i) {
    std::vector<Session*> waiting = sessions;
    latencies->push_back(Seconds([&] {
      while (!waiting.empty()) {  // more than once where rows_per_step has them take turns
        const std::vector<Event> events = Step(engine, waiting);
        size_t left = 0;
        for (size_t k = 0; k < events.size(); ++k) {
          if (events[k].token < 0) waiting[left++] = waiting[k];
        }
        waiting.resize(left);
      }
    }));
  }
  const double seconds = watch.seconds();
  for (Session* session : sessions) GoBackTo(session, depth);
  return seconds;
}

}  // namespace

std::vector<Measurement> MeasureSideBySide(Testbed& bed) {
  const BenchOptions& options = bed.options;
  const uint64_t depth = options.prompt_tokens, steps = options.decode_tokens;
  const uint32_t most = options.sessions.back();
  Engine engine = bed.Create(bed.OptionsFor(most, depth + steps + 1));
  const ModelCosts costs = CostsOf(bed.model.parts, engine.Memory().kernels);
  std::vector<Session> sessions;
  for (uint32_t i = 0; i < most; ++i) sessions.push_back(bed.OpenAt(&engine, depth));

  std::vector<Measurement> tests;
  for (const uint32_t n : options.sessions) {
    Measurement& m = tests.emplace_back();
    m.test = TestKind::kSessions;
    m.threads = engine.Memory().threads;
    m.tokens = n * steps;
    m.depth = depth;
    m.rows = m.sessions = n;
    m.limit = Limit::kBandwidth;
    m.work = SideBySideBytes(costs, depth, steps, n);
  }
  const auto run = [&](const Measurement& m, uint64_t count, std::vector<double>* latencies) {
    return Decode(&engine, FirstOf(sessions, m.sessions), depth, count, latencies);
  };
  for (const Measurement& m : tests) {
    std::vector<double> ignored;
    run(m, std::min(steps, kWarmUpSteps), &ignored);
  }
  for (uint32_t i = 0; i < options.repetitions; ++i) {
    for (Measurement& m : tests) {
      bed.limits.Look(&m);
      m.seconds.push_back(run(m, steps, &m.latencies));
      m.baseline_speeds.push_back(static_cast<double>(steps) / tests.front().seconds.back());
    }
  }
  return tests;
}

}  // namespace rondo::tools
