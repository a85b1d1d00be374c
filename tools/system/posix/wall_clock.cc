#include "tools/system/wall_clock.h"

#include <ctime>

namespace rondo::tools {

std::optional<int64_t> WallClock() {
  const std::time_t now = std::time(nullptr);
  std::tm local = {};
  if (localtime_r(&now, &local) == nullptr) return std::nullopt;
  return static_cast<int64_t>(now) + local.tm_gmtoff;
}

}  // namespace rondo::tools
