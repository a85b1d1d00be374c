// The first token of a prompt that another session had before: the prefix cache has its KV.
#include <algorithm>

#include "tools/bench/costs.h"
#include "tools/bench/session_tests.h"
#include "tools/bench/stepping.h"
#include "tools/common/stopwatch.h"

namespace rondo::tools {

std::vector<Measurement> MeasurePrefix(Testbed& bed) {
  const uint64_t prompt_tokens = bed.options.long_prompt_tokens;
  EngineOptions engine_options = bed.OptionsFor(1, prompt_tokens + 1);
  engine_options.no_prefix_cache = 0;
  Engine engine = bed.Create(engine_options);
  const rondo_memory_plan plan = engine.Memory();
  Measurement first, found;
  first.test = TestKind::kFirstToken;
  found.test = TestKind::kPrefixFound;
  first.threads = found.threads = plan.threads;
  first.tokens = found.tokens = prompt_tokens;
  first.sessions = found.sessions = 1;
  bed.SetPromptLimit(PrefillOperations(CostsOf(bed.model.parts, plan.kernels), prompt_tokens),
                     &first);
  const auto run = [&](const std::vector<int32_t>& prompt, Measurement* m) {
    bed.limits.Look(m);
    Session session = OpenEndless(engine);
    Event event = {};
    m->seconds.push_back(Seconds([&] {
      session.Append(prompt);
      event = StepToToken(&engine, &session);
    }));
    m->depth = event.taken_over;
    m->rows =
        static_cast<uint32_t>(std::min<uint64_t>(prompt_tokens - event.taken_over, plan.max_rows));
  };
  for (uint32_t i = 0; i < bed.options.repetitions; ++i) {
    const std::vector<int32_t> prompt = bed.tokens.Some(prompt_tokens);
    run(prompt, &first);
    run(prompt, &found);
    found.baseline_speeds.push_back(static_cast<double>(prompt_tokens) / first.seconds.back());
  }
  return {first, found};
}

}  // namespace rondo::tools
