// Attention of all sequences of a pass: what its sublayers have in common.
#pragma once

#include "runtime/decoder/attention.h"
#include "runtime/decoder/pass.h"

namespace rondo {

// The tables of rope `rope` of the spec (-1: none), from the pass's first row on.
struct RopeRows {
  const float* table = nullptr;
  const float* sink_table = nullptr;
  size_t dim = 0;

  RopeRows(const Pass& pass, int rope);
};

// Stores the keys and values of all rows (`stores`), and attends. `all` is the call as if all rows
// of the pass were one sequence's; kv, position and rows are filled in.
void AttendSequences(const Pass& pass, const AttentionCall& all, bool stores);

// Stores the keys and values of all rows, whose sequences have one page for each KV head.
void StoreSequences(const Pass& pass, const AttentionCall& all);

}  // namespace rondo
