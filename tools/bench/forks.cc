// Forks of a session share its KV.
#include "tools/bench/session_tests.h"
#include "tools/bench/stepping.h"
#include "tools/common/stopwatch.h"

namespace rondo::tools {
namespace {

constexpr uint32_t kForks = 16;

}  // namespace

std::vector<Measurement> MeasureForks(Testbed& bed) {
  const uint64_t prompt = bed.options.long_prompt_tokens;
  EngineOptions engine_options = bed.OptionsFor(kForks + 1, prompt + 2);
  const uint64_t block = bed.Plan(engine_options).kv_block_tokens;
  const uint64_t before = (prompt + block - 1) / block * block;
  // Each fork takes one block: a copy of the prompt's last one where it is not full, else a fresh
  // one. Where this does not fit, a step fails.
  const uint64_t after = before + kForks * block;
  engine_options.kv_tokens = static_cast<uint32_t>(after);
  Engine engine = bed.Create(engine_options);
  Session source = bed.OpenAt(&engine, prompt);
  source.Logits();  // a fork takes them over, too

  Measurement fork, forked;
  fork.test = TestKind::kFork;
  forked.test = TestKind::kForked;
  fork.threads = forked.threads = engine.Memory().threads;
  fork.depth = forked.depth = prompt;
  fork.sessions = forked.sessions = forked.rows = kForks;
  forked.tokens = kForks;
  for (uint32_t i = 0; i < bed.options.repetitions; ++i) {
    std::vector<Session> forks;
    const double seconds = Seconds([&] {
      for (uint32_t n = 0; n < kForks; ++n) forks.push_back(source.Fork(Endless()));
    });
    fork.seconds.push_back(seconds / kForks);
    const std::vector<Session*> all = FirstOf(forks, kForks);
    forked.seconds.push_back(Seconds([&] { Step(&engine, all); }));
    Step(&engine, all);  // evaluates these tokens: each fork now has KV of its own
  }
  fork.kv_tokens_before = before;
  fork.kv_tokens = after;
  return {fork, forked};
}

}  // namespace rondo::tools
