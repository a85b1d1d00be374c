// Queries of attention, as pages want them, and the memory that they lie in.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/base/checked.h"
#include "runtime/decoder/attention.h"

namespace rondo {

// Hands out memory piece by piece, aligned to 64; from null on it only counts `bytes`.
struct Cutter {
  uintptr_t base;
  size_t bytes = 0;

  template <typename T>
  T* Take(size_t count) {
    const uintptr_t at = base + bytes;
    bytes += RoundUp(count * sizeof(T) + kOverRead, 64);
    return reinterpret_cast<T*>(at);
  }
};

// n queries as the pages want them, [n, head_dim]: rotated, the score scale folded in; int8 with
// their RowQuants, or float.
struct Queries {
  uint8_t* recent;
  RowQuant* recent_quant;
  uint8_t* sinks;  // rotated for meeting the sinks; only where there are some
  RowQuant* sink_quant;

  Queries(size_t n, size_t head_dim, Cutter* cutter)
      : recent(cutter->Take<uint8_t>(n * head_dim * sizeof(float))),
        recent_quant(cutter->Take<RowQuant>(n)),
        sinks(cutter->Take<uint8_t>(n * head_dim * sizeof(float))),
        sink_quant(cutter->Take<RowQuant>(n)) {}
};

bool IsInt8(const AttentionCall& call);

// Those of rows [begin, begin + count) of one KV head. `rotated`: head_dim floats of scratch.
void PrepareRows(const AttentionCall& call, size_t kv_head, size_t begin, size_t count,
                 float* rotated, const Queries& queries);

}  // namespace rondo
