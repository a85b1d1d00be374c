#include "tools/common/interrupt.h"

#include <csignal>

#include <poll.h>

namespace rondo::tools {
namespace {

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};

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

void NoteSignals() {
  for (const int signal : kSignals) {
    struct sigaction action = {};
    sigaction(signal, nullptr, &action);
    if (action.sa_handler == SIG_IGN) continue;
    action = {};
    action.sa_handler = Note;  // without SA_RESTART: a call that waits comes back
    sigaction(signal, &action, nullptr);
  }
}

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
  sigset_t blocked, before;
  sigemptyset(&blocked);
  for (const int signal : kSignals) sigaddset(&blocked, signal);
  // Between the look at the flag and the waiting no signal is lost.
  pthread_sigmask(SIG_BLOCK, &blocked, &before);
  pollfd input = {descriptor, POLLIN, 0};
  if (!interrupted) ppoll(&input, 1, nullptr, &before);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  CheckInterrupt();
}

CancelOnSignal::CancelOnSignal(rondo_session* session) {
  computing = session;
  if (interrupted) rondo_session_cancel(session);
}

CancelOnSignal::~CancelOnSignal() { computing = nullptr; }

}  // namespace rondo::tools
