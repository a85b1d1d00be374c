#include "tools/system/wall_clock.h"

#include <windows.h>

namespace rondo::tools {

std::optional<int64_t> WallClock() {
  SYSTEMTIME local;
  FILETIME time;
  GetLocalTime(&local);
  if (SystemTimeToFileTime(&local, &time) == 0) return std::nullopt;
  constexpr uint64_t kPerSecond = 10'000'000, kFrom1601To1970 = 11'644'473'600;
  const uint64_t ticks = uint64_t{time.dwHighDateTime} << 32 | time.dwLowDateTime;
  return static_cast<int64_t>(ticks / kPerSecond - kFrom1601To1970);
}

}  // namespace rondo::tools
