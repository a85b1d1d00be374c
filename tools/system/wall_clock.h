// The clock on the wall.
#pragma once

#include <cstdint>
#include <optional>

namespace rondo::tools {

// What it shows here and now, in seconds since 1970 began where it hangs; none where nobody knows.
std::optional<int64_t> WallClock();

}  // namespace rondo::tools
