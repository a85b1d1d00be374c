#include "platforms/clock.h"

#include <time.h>

namespace rondo {

Nanoseconds Now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<Nanoseconds>(time.tv_sec) * 1'000'000'000 +
         static_cast<Nanoseconds>(time.tv_nsec);
}

}  // namespace rondo
