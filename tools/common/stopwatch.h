// Stopwatch: the time since it was made.
#pragma once

#include <chrono>

namespace rondo::tools {

class Stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

// What `action` takes.
template <typename Action>
double Seconds(const Action& action) {
  const Stopwatch watch;
  action();
  return watch.seconds();
}

}  // namespace rondo::tools
