// TimeLimit: ends the program where a test waits without end.
#pragma once

#if defined(_WIN32)
#include <windows.h>
#else
#include <unistd.h>
#endif

namespace rondo {

#if defined(_WIN32)

class TimeLimit {
 public:
  explicit TimeLimit(unsigned seconds) {
    const auto end = [](void*, BOOLEAN) { ExitProcess(142); };  // what SIGALRM makes elsewhere
    CreateTimerQueueTimer(&timer_, nullptr, end, nullptr, 1000 * seconds, 0, WT_EXECUTEONLYONCE);
  }
  ~TimeLimit() { DeleteTimerQueueTimer(nullptr, timer_, nullptr); }
  TimeLimit(const TimeLimit&) = delete;
  TimeLimit& operator=(const TimeLimit&) = delete;

 private:
  HANDLE timer_ = nullptr;
};

#else

class TimeLimit {
 public:
  explicit TimeLimit(unsigned seconds) { alarm(seconds); }
  ~TimeLimit() { alarm(0); }
  TimeLimit(const TimeLimit&) = delete;
  TimeLimit& operator=(const TimeLimit&) = delete;
};

#endif

}  // namespace rondo
