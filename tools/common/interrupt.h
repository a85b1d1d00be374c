// InterruptGuard: Ctrl-C stops what the library computes, not the program.
#pragma once

#include "rondo/rondo.h"

namespace rondo::tools {

// From here until it is destroyed, Ctrl-C cancels `session`. One at a time in a process.
class InterruptGuard {
 public:
  explicit InterruptGuard(rondo_session* session);
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
  ~InterruptGuard();

  // Whether it has come to that.
  bool interrupted() const;
};

}  // namespace rondo::tools
