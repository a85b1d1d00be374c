// A session saved as bytes and restored from them, against evaluating its tokens again.
#include <algorithm>

#include "tools/bench/costs.h"
#include "tools/bench/session_tests.h"
#include "tools/bench/stepping.h"
#include "tools/common/stopwatch.h"

namespace rondo::tools {

std::vector<Measurement> MeasureSnapshot(Testbed& bed) {
  const uint64_t prompt_tokens = bed.options.long_prompt_tokens;
  const Engine engine = bed.Create(bed.EngineOptions(1, prompt_tokens + 1));
  const rondo_memory_plan plan = Memory(engine.get());
  const Session session = OpenEndless(engine.get());
  Measurement prefill, save, restore;
  prefill.test = TestKind::kPrefill;
  save.test = TestKind::kSave;
  restore.test = TestKind::kRestore;
  prefill.threads = save.threads = restore.threads = plan.threads;
  prefill.tokens = restore.tokens = save.depth = prompt_tokens;
  prefill.sessions = save.sessions = restore.sessions = 1;
  prefill.rows = static_cast<uint32_t>(std::min<uint64_t>(prompt_tokens, plan.max_rows));
  bed.SetPromptLimit(PrefillOperations(CostsOf(bed.model.parts, plan.kernels), prompt_tokens),
                     &prefill);
  std::vector<uint8_t> bytes;
  for (uint32_t i = 0; i < bed.options.repetitions; ++i) {
    rondo_session* const s = session.get();
    bed.limits.Look(&prefill);
    Check(s, rondo_session_reset(s));
    Append(s, bed.tokens.Some(prompt_tokens));
    prefill.seconds.push_back(Seconds([&] { StepToToken(engine.get(), s); }));
    size_t count = 0;
    rondo_session_save(s, nullptr, 0, &count);  // asks for the size
    bytes.resize(count);
    save.seconds.push_back(
        Seconds([&] { Check(s, rondo_session_save(s, bytes.data(), bytes.size(), &count)); }));
    Check(s, rondo_session_reset(s));
    restore.seconds.push_back(
        Seconds([&] { Check(s, rondo_session_restore(s, bytes.data(), count)); }));
    restore.baseline_speeds.push_back(static_cast<double>(prompt_tokens) / prefill.seconds.back());
  }
  save.snapshot_bytes = restore.snapshot_bytes = bytes.size();
  return {prefill, save, restore};
}

}  // namespace rondo::tools
