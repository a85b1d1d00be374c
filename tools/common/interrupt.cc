#include "tools/common/interrupt.h"

#include <csignal>

#include "tools/system/signals.h"

namespace rondo::tools {
namespace {

// All that the handler touches, which any thread may run.
std::atomic<int> noted{0};  // the signal; Ctrl-C gives way to the others
std::atomic<bool> interrupted{false};
std::atomic<rondo_session*> computing{nullptr};
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<bool>::is_always_lock_free &&
              std::atomic<rondo_session*>::is_always_lock_free);

void Note(int signal) {
  if (signal != SIGINT || noted == 0) noted = signal;
  interrupted = true;
  if (rondo_session* const session = computing) rondo_session_cancel(session);
}

}  // namespace

void NoteSignals() { OnSignals(Note); }

void CheckInterrupt() {
  if (interrupted.load(std::memory_order_relaxed)) throw Interrupted(noted);
}

const std::atomic<bool>& InterruptFlag() { return interrupted; }

void ForgetCtrlC() {
  int ctrl_c = SIGINT;
  if (noted.compare_exchange_strong(ctrl_c, 0)) interrupted = false;
  if (noted != 0) interrupted = true;  // one of the others came just now
}

void WaitForInput(int descriptor) {
  WaitForInput(descriptor, interrupted);
  CheckInterrupt();
}

CancelOnSignal::CancelOnSignal(rondo_session* session) {
  computing = session;
  if (interrupted) rondo_session_cancel(session);
}

CancelOnSignal::~CancelOnSignal() { computing = nullptr; }

}  // namespace rondo::tools
