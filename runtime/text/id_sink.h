// IdSink: where ids go: counts them all, keeps those that fit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace rondo {

struct IdSink {
  std::span<int32_t> ids;
  size_t count = 0;

  void Add(uint32_t id) {
    if (count < ids.size()) ids[count] = static_cast<int32_t>(id);
    ++count;
  }
};

}  // namespace rondo
