#pragma once

#include <cstdint>

namespace rondo::grammar {

// Between the parts of a JSON text.
enum class Spaces : uint8_t {
  kFree,  // nothing, a space, or a new line with up to 32 more: a model could write without end
  kNone,
  kOne,  // behind each colon and comma, and nowhere else
};

}  // namespace rondo::grammar
