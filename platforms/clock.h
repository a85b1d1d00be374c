// Time that passes evenly, whatever is done to the system's clock.
#pragma once

#include <cstdint>

namespace rondo {

using Nanoseconds = uint64_t;

// Since some moment before the process began. [any thread]
Nanoseconds Now();

inline constexpr Nanoseconds kMillisecond = 1'000'000;

}  // namespace rondo
