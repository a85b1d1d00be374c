// TimeLimit: a test that may wait without end is ended by SIGALRM instead.
#pragma once

#include <unistd.h>

namespace rondo {

class TimeLimit {
 public:
  explicit TimeLimit(unsigned seconds) { alarm(seconds); }
  ~TimeLimit() { alarm(0); }
  TimeLimit(const TimeLimit&) = delete;
  TimeLimit& operator=(const TimeLimit&) = delete;
};

}  // namespace rondo
