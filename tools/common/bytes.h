// BytesOf: values as they lie in memory, which is how they lie in a file.
#pragma once

#include <cstdint>
#include <iterator>
#include <span>

namespace rondo::tools {

// Of a vector, array, span or text; valid as long as its values.
template <typename Values>
std::span<const uint8_t> BytesOf(const Values& values) {
  return {reinterpret_cast<const uint8_t*>(std::data(values)),
          std::size(values) * sizeof(*std::data(values))};
}

}  // namespace rondo::tools
