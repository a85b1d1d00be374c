// Engine::Step: one pass for several sequences; and what many passes of one are promised.
#include <algorithm>

#include "runtime/engine/engine.h"

namespace rondo {

Status Engine::Step(std::span<Sequence* const> sequences) {
  // Logits are handed out on the thread that asked for them.
  const bool alone = std::any_of(sequences.begin(), sequences.end(),
                                 [](const Sequence* sequence) { return sequence->has_sink(); });
  PassRequest request{sequences, alone, Status()};
  queue_.Serve(&request, &pass_);
  LogOutcome(request.status);
  return request.status;
}

Status Engine::Reserve(Sequence* sequence, uint64_t end) {
  bool enough;
  {
    const MutexLock turn(turn_);
    enough = sequence->kv().Reserve(sequence->evaluated(), end);
  }
  if (enough) return Status();
  const Status status = KvPoolFull("these tokens");
  LogOutcome(status);
  return status;
}

void Engine::EndReserve(Sequence* sequence) {
  const MutexLock turn(turn_);
  if (sequence->kv().has_promise()) sequence->kv().EndPromise();
}

// Behind the queue: nobody waits for this thread, and so the log may call any function.
void Engine::LogOutcome(const Status& status) {
  const Log& log = plan_.options.log;
  if (log.write == nullptr) return;
  if (status.code() == StatusCode::kKvPoolFull) {
    log.Write(LogLevel::kWarning, "%s", status.message());
  }
  if (host_faults() > 0 && !told_of_faults_.exchange(true)) {
    log.Write(LogLevel::kWarning,
              "parallel_for left a part of the work out, repeated one, or came back before all had "
              "ended; the engine did what was left");
  }
}

}  // namespace rondo
