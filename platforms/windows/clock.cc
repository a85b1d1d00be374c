#include "platforms/clock.h"

#include <windows.h>

namespace rondo {

Nanoseconds Now() {
  static const int64_t frequency = [] {
    LARGE_INTEGER ticks;
    QueryPerformanceFrequency(&ticks);
    return ticks.QuadPart;
  }();
  constexpr int64_t kSecond = 1'000'000'000;
  LARGE_INTEGER now;
  QueryPerformanceCounter(&now);
  const int64_t seconds = now.QuadPart / frequency, rest = now.QuadPart % frequency;
  return static_cast<Nanoseconds>(seconds * kSecond + rest * kSecond / frequency);
}

}  // namespace rondo
