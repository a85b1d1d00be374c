// Signals are the host's: threads that we start must not take them.
#pragma once

#include <cstddef>

namespace rondo {

// While one lives, threads that begin block all signals but those of their own faults, which no
// other thread could handle. Of systems without signals it does nothing.
class WorkerSignals {
 public:
  WorkerSignals();
  ~WorkerSignals();
  WorkerSignals(const WorkerSignals&) = delete;
  WorkerSignals& operator=(const WorkerSignals&) = delete;

 private:
  [[maybe_unused]] alignas(8) std::byte before_[128];  // the caller's mask, where there is one
};

}  // namespace rondo
