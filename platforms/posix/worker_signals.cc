#include "platforms/worker_signals.h"

#include <signal.h>

#include <new>

namespace rondo {

// Workers inherit the mask.
WorkerSignals::WorkerSignals() {
  static_assert(sizeof(sigset_t) <= sizeof before_);
  sigset_t all;
  sigfillset(&all);
  constexpr int kFaults[] = {SIGILL, SIGFPE, SIGSEGV, SIGBUS, SIGTRAP, SIGSYS};
  for (const int fault : kFaults) sigdelset(&all, fault);
  pthread_sigmask(SIG_SETMASK, &all, new (before_) sigset_t);
}

WorkerSignals::~WorkerSignals() {
  pthread_sigmask(SIG_SETMASK, reinterpret_cast<sigset_t*>(before_), nullptr);
}

}  // namespace rondo
