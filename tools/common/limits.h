// What the library takes, for help and refusals of the command line. It checks them again.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rondo::tools {

inline constexpr uint64_t kMostContext = 1u << 24;  // tokens
inline constexpr uint64_t kMostThreads = 256;
inline constexpr uint64_t kMostRows = 8192;
inline constexpr uint64_t kMostSessions = 64;
inline constexpr uint64_t kMostDimensions = 1u << 17;  // of a vector
inline constexpr uint64_t kMostMediaRows = 1u << 20;   // of pictures
inline constexpr uint64_t kMostImageSide = 65535;      // in pixels
inline constexpr size_t kMostMedia = 64;               // that one call appends
inline constexpr uint64_t kMostDrafts = 7;             // of one pass
inline constexpr uint64_t kMostPenaltyTokens = 4096;
inline constexpr uint64_t kMostNgram = 256;  // tokens of a row that is not to come twice
inline constexpr size_t kMostStops = 16;
inline constexpr size_t kMostStopBytes = 128;  // each

}  // namespace rondo::tools
