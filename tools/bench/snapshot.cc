// A session saved as bytes and restored from them, against evaluating its tokens again.
#include <algorithm>

#include "tools/bench/costs.h"
#include "tools/bench/session_tests.h"
#include "tools/bench/stepping.h"
#include "tools/common/stopwatch.h"

namespace rondo::tools {
namespace {

// Into memory that is there: what is measured is the library.
void SaveTo(const Session& session, std::vector<unsigned char>* bytes) {
  size_t count = 0;
  detail::Check(rondo_session_save(session.get(), bytes->data(), bytes->size(), &count));
}

}  // namespace

std::vector<Measurement> MeasureSnapshot(Testbed& bed) {
  const uint64_t prompt_tokens = bed.options.long_prompt_tokens;
  Engine engine = bed.Create(bed.OptionsFor(1, prompt_tokens + 1));
  const rondo_memory_plan plan = engine.Memory();
  Session session = OpenEndless(engine);
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
  std::vector<unsigned char> bytes;
  for (uint32_t i = 0; i < bed.options.repetitions; ++i) {
    bed.limits.Look(&prefill);
    session.Reset();
    session.Append(bed.tokens.Some(prompt_tokens));
    prefill.seconds.push_back(Seconds([&] { StepToToken(&engine, &session); }));
    bytes.resize(session.Save().size());
    save.seconds.push_back(Seconds([&] { SaveTo(session, &bytes); }));
    session.Reset();
    restore.seconds.push_back(Seconds([&] { session.Restore(bytes); }));
    restore.baseline_speeds.push_back(static_cast<double>(prompt_tokens) / prefill.seconds.back());
  }
  save.snapshot_bytes = restore.snapshot_bytes = bytes.size();
  return {prefill, save, restore};
}

}  // namespace rondo::tools
