#include "tools/bench/sessions_runner.h"

#include "tools/bench/session_tests.h"
#include "tools/bench/subject.h"

namespace rondo::tools {
namespace {

using SessionTest = std::vector<Measurement> (*)(Testbed& bed);

std::vector<SessionTest> TestsOf(const BenchOptions& options) {
  std::vector<SessionTest> tests;
  if (!options.sessions.empty()) tests = {MeasureSideBySide, MeasureBeside, MeasureCallers};
  if (options.fork) tests.push_back(MeasureForks);
  if (options.prefix) tests.push_back(MeasurePrefix);
  if (options.snapshot) tests.push_back(MeasureSnapshot);
  return tests;
}

}  // namespace

void RunSessionsBench(const BenchModel& model, const BenchOptions& options,
                      const BenchCallbacks& callbacks) {
  const Limits limits(options.probe_bytes);
  RandomTokens tokens(model.handle.Info().vocab_size);
  bool first = true;
  for (const uint32_t threads : options.threads) {
    Testbed bed = {model, options, limits, threads, false, tokens};
    const Subject subject = SubjectOf(model.handle, bed.Plan(bed.OptionsFor(1, 1)).kernels);
    bed.integer_weights = subject.weights != "f32";
    if (first) callbacks.subject(subject);
    first = false;
    for (const SessionTest test : TestsOf(options)) {
      for (const Measurement& m : test(bed)) callbacks.measured(m);
    }
  }
}

}  // namespace rondo::tools
