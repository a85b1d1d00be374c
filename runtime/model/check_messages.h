// What the checks of a model's metadata say when something is wrong.
#pragma once

#include <cstdarg>
#include <cstdint>

#include "runtime/base/format.h"
#include "runtime/base/status.h"

namespace rondo {

using ull = unsigned long long;

RONDO_PRINTF(1, 2) inline Status Corrupt(const char* format, ...) {
  char text[Status::kMaxMessage];
  va_list arguments;
  va_start(arguments, format);
  FormatMessage(text, sizeof(text), format, arguments);
  va_end(arguments);
  return Status::Error(StatusCode::kCorrupt, "%s", text);
}

// What a message calls a part of the model: "layer 3's attention".
struct Place {
  int layer;  // -1: outside of the layers
  const char* part;
};

inline Status Wrong(Place place, const char* problem) {
  if (place.layer < 0) return Corrupt("the model's %s %s", place.part, problem);
  return Corrupt("layer %d's %s %s", place.layer, place.part, problem);
}

inline Status UnknownKind(Place place, const char* what, unsigned value) {
  char layer[24] = "the model";
  if (place.layer >= 0) Format(layer, sizeof(layer), "layer %d", place.layer);
  return Status::Error(StatusCode::kUnsupported,
                       "%s's %s asks for %s %u, which this version of Rondo does not have", layer,
                       place.part, what, value);
}

inline Status CheckRange(const char* what, uint64_t value, uint64_t low, uint64_t high) {
  if (value >= low && value <= high) return Status();
  return Corrupt("%s is %llu, expected %llu to %llu", what, ull{value}, ull{low}, ull{high});
}

}  // namespace rondo
