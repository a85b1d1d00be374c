#include "tools/system/signals.h"

#include <csignal>

#include <sys/select.h>

namespace rondo::tools {
namespace {

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};

}  // namespace

void OnSignals(void (*note)(int signal)) {
  for (const int signal : kSignals) {
    struct sigaction action = {};
    sigaction(signal, nullptr, &action);
    if (action.sa_handler == SIG_IGN) continue;
    action = {};
    action.sa_handler = note;  // without SA_RESTART: a call that waits comes back
    sigaction(signal, &action, nullptr);
  }
}

void WaitForInput(int descriptor, const std::atomic<bool>& interrupted) {
  sigset_t blocked, before;
  sigemptyset(&blocked);
  for (const int signal : kSignals) sigaddset(&blocked, signal);
  // Between the look at the flag and the waiting no signal is lost.
  pthread_sigmask(SIG_BLOCK, &blocked, &before);
  fd_set input;
  FD_ZERO(&input);
  if (descriptor < FD_SETSIZE && !interrupted) {
    FD_SET(descriptor, &input);
    pselect(descriptor + 1, &input, nullptr, nullptr, nullptr, &before);
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace rondo::tools
