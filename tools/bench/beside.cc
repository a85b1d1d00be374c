// A prompt that is evaluated beside a session that decodes, whose tokens wait for larger passes.
#include <algorithm>
#include <utility>

#include "tools/bench/costs.h"
#include "tools/bench/session_tests.h"
#include "tools/bench/stepping.h"
#include "tools/common/stopwatch.h"

namespace rondo::tools {
namespace {

struct Beside {
  Engine* engine;
  Session* decoding;  // at `depth`, and left there
  Session* prompted;  // empty, and left so
  uint64_t depth;

  // Each gives the seconds to the prompt's first token.
  double Alone(const std::vector<int32_t>& prompt) const {
    prompted->Append(prompt);
    const double seconds = Seconds([&] { StepToToken(engine, prompted); });
    prompted->Reset();
    return seconds;
  }
  double Together(const std::vector<int32_t>& prompt, std::vector<double>* latencies) const {
    prompted->Append(prompt);
    const std::vector<Session*> both = {decoding, prompted};
    const Stopwatch watch;
    double waited = 0;  // for its token: where a pass has one row, the two take turns
    for (bool over = false; !over;) {
      bool decoded = false;
      waited += Seconds([&] {
        const std::vector<Event> events = Step(engine, both);
        decoded = events[0].token >= 0;
        over = events[1].token >= 0;
      });
      if (decoded) latencies->push_back(std::exchange(waited, 0));
    }
    const double seconds = watch.seconds();
    GoBackTo(decoding, depth);
    prompted->Reset();
    return seconds;
  }
};

// Passes that a prompt takes beside one row: a row of it comes into each at least.
uint64_t Passes(uint64_t prompt, const rondo_memory_plan& plan) {
  const uint64_t rows = std::max<uint64_t>(plan.rows_per_step, 2) - 1;
  return (prompt + rows - 1) / rows;
}

}  // namespace

std::vector<Measurement> MeasureBeside(Testbed& bed) {
  const BenchOptions& options = bed.options;
  const uint64_t depth = options.prompt_tokens, prompt = options.long_prompt_tokens;
  EngineOptions engine_options = bed.OptionsFor(2, prompt + depth);
  const uint64_t passes = Passes(prompt, bed.Plan(engine_options));
  engine_options.context = static_cast<uint32_t>(std::max(prompt, depth + passes) + 1);
  Engine engine = bed.Create(engine_options);
  const rondo_memory_plan plan = engine.Memory();
  const ModelCosts costs = CostsOf(bed.model.parts, plan.kernels);
  Session decoding = bed.OpenAt(&engine, depth);
  Session prompted = OpenEndless(engine);
  const Beside test = {&engine, &decoding, &prompted, depth};

  Measurement alone, beside;
  alone.test = TestKind::kPrefill;
  beside.test = TestKind::kBeside;
  alone.threads = beside.threads = plan.threads;
  alone.tokens = beside.tokens = prompt;
  alone.rows = static_cast<uint32_t>(std::min<uint64_t>(prompt, plan.max_rows));
  beside.rows = plan.rows_per_step;
  alone.sessions = 1;
  beside.sessions = 2;
  const double row = PrefillOperations(costs, 1);
  bed.SetPromptLimit(PrefillOperations(costs, prompt), &alone);
  bed.SetPromptLimit(PrefillOperations(costs, prompt) + row * static_cast<double>(passes), &beside);

  test.Alone(bed.tokens.Some(std::min<uint64_t>(prompt, plan.max_rows)));  // to warm up
  for (uint32_t i = 0; i < options.repetitions; ++i) {
    bed.limits.Look(&alone);
    alone.seconds.push_back(test.Alone(bed.tokens.Some(prompt)));
    bed.limits.Look(&beside);
    beside.seconds.push_back(test.Together(bed.tokens.Some(prompt), &beside.latencies));
    beside.baseline_speeds.push_back(static_cast<double>(prompt) / alone.seconds.back());
  }
  beside.pass_seconds = Percentile(beside.latencies, 0.5);
  return {alone, beside};
}

}  // namespace rondo::tools
