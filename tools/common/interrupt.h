// Interruptions: Ctrl-C (SIGINT), SIGTERM and SIGHUP ask the program to end. They are noted, and
// seen where the work is done; what is unfinished is then removed on the way out.
#pragma once

#include <atomic>
#include <exception>

#include "rondo/rondo.h"

namespace rondo::tools {

// Unwinds like any failure.
class Interrupted : public std::exception {
 public:
  explicit Interrupted(int signal) : signal_(signal) {}
  int signal() const { return signal_; }
  int exit_code() const { return 128 + signal_; }
  const char* what() const noexcept override { return "interrupted"; }

 private:
  int signal_;
};

// From here on the signals are noted, but for those that the program was started to ignore.
void NoteSignals();

// Throws Interrupted once a signal has come. Every loop that may take long calls it: it costs next
// to nothing. [any thread]
void CheckInterrupt();

// Set once a signal has come, for what takes a flag to be cancelled by. [any thread]
const std::atomic<bool>& InterruptFlag();

// Forgets a Ctrl-C, for a conversation, which goes on; a signal of the others stays.
void ForgetCtrlC();

// Waits until there is something to read, or the end. Throws Interrupted.
void WaitForInput(int descriptor);

// While it lives a signal cancels what `session` computes. One at a time in a process.
class CancelOnSignal {
 public:
  explicit CancelOnSignal(rondo_session* session);
  CancelOnSignal(const CancelOnSignal&) = delete;
  CancelOnSignal& operator=(const CancelOnSignal&) = delete;
  ~CancelOnSignal();
};

}  // namespace rondo::tools
