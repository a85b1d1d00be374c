#include "tools/common/interrupt.h"

#include <csignal>

namespace rondo::tools {
namespace {

// What the signal handler cancels. Cancelling is safe at any time.
rondo_session* volatile running = nullptr;
volatile std::sig_atomic_t interrupts = 0;

void Interrupt(int) {
  interrupts = 1;
  if (running != nullptr) rondo_session_cancel(running);
}

}  // namespace

InterruptGuard::InterruptGuard(rondo_session* session) {
  interrupts = 0;
  running = session;
  std::signal(SIGINT, Interrupt);
}

InterruptGuard::~InterruptGuard() {
  std::signal(SIGINT, SIG_DFL);
  running = nullptr;
}

bool InterruptGuard::interrupted() const { return interrupts != 0; }

}  // namespace rondo::tools
