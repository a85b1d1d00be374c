// The formats of cached keys and values: how --kv calls them.
#pragma once

#include <cstdint>

#include "rondo/rondo.h"

namespace rondo::tools {

struct KvFormatWord {
  const char* word;
  int32_t format;            // RONDO_KV_
  int key_bits, value_bits;  // of a channel
};

// In the order in which help lists them.
inline constexpr KvFormatWord kKvFormats[] = {
    {"f32", RONDO_KV_FLOAT32, 32, 32},
    {"int8", RONDO_KV_INT8, 8, 8},
    {"k8v4", RONDO_KV_K8V4, 8, 4},
    {"k4v4", RONDO_KV_K4V4, 4, 4},
};

// Of one that the library has.
inline const KvFormatWord& KvFormatOf(int32_t format) {
  const KvFormatWord* found = kKvFormats;
  while (found->format != format) ++found;
  return *found;
}

}  // namespace rondo::tools
