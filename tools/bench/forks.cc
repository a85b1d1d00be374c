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
  rondo_engine_options engine_options = bed.EngineOptions(kForks + 1, prompt + 2);
  const uint64_t block = bed.Plan(engine_options).kv_block_tokens;
  const uint64_t before = (prompt + block - 1) / block * block;
  // Each fork takes one block: a copy of the prompt's last one where it is not full, else a fresh
  // one. Where this does not fit, a step fails.
  const uint64_t after = before + kForks * block;
  engine_options.kv_tokens = static_cast<uint32_t>(after);
  const Engine engine = bed.Create(engine_options);
  const Session source = bed.OpenAt(engine.get(), prompt);
  // A fork takes over the logits of its source, too.
  const float* logits = nullptr;
  size_t n_logits = 0;
  Check(source.get(), rondo_session_logits(source.get(), &logits, &n_logits));

  Measurement fork, forked;
  fork.test = TestKind::kFork;
  forked.test = TestKind::kForked;
  fork.threads = forked.threads = Memory(engine.get()).threads;
  fork.depth = forked.depth = prompt;
  fork.sessions = forked.sessions = forked.rows = kForks;
  forked.tokens = kForks;
  for (uint32_t i = 0; i < bed.options.repetitions; ++i) {
    std::vector<Session> forks;
    const double seconds = Seconds([&] {
      for (uint32_t n = 0; n < kForks; ++n) forks.push_back(ForkEndless(source.get()));
    });
    fork.seconds.push_back(seconds / kForks);
    const std::vector<rondo_session*> handles = Handles(forks, kForks);
    forked.seconds.push_back(Seconds([&] { Step(engine.get(), handles); }));
    Step(engine.get(), handles);  // evaluates these tokens: each fork now has KV of its own
  }
  fork.kv_tokens_before = before;
  fork.kv_tokens = after;
  return {fork, forked};
}

}  // namespace rondo::tools
