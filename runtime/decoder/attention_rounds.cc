#include "runtime/decoder/attention_rounds.h"

#include <algorithm>
#include <array>

#include "runtime/base/checked.h"

namespace rondo {

namespace {

// A sequence's attention, and how it is shared between threads: KV heads, then tiles of rows where
// there are many rows, or segments of the context where it is long.
struct SequenceAttention {
  AttentionCall call;
  size_t tiles;       // tasks of each KV head; 0: by segments
  size_t segments;    // of a sequence of few rows
  uint8_t* queries;   // of its segments, for each KV head
  float* parts;       // of its segments
  size_t first_task;  // of the pass's
};

// Sequences that are attended together: with more, the work goes in several rounds.
constexpr size_t kSequencesPerRound = 64;

void AttendTile(const Pass& pass, const AttentionCall& call, size_t head, size_t tile,
                size_t thread) {
  const size_t begin = tile * kAttentionTileRows;
  const size_t rows = std::min(kAttentionTileRows, call.rows - begin);
  if (!pass.Cancelled()) {
    Attend(call, head, begin, rows, pass.Scratch(thread));
    return;
  }
  const size_t width = call.q_per_kv * call.v_head_dim;
  for (size_t r = begin; r < begin + rows; ++r) {
    std::fill_n(call.out + (r * call.n_kv_heads + head) * width, width, 0.0f);
  }
}

size_t QueryBytes(const AttentionCall& call) {
  return AttentionQueryBytes(call.q_per_kv, call.head_dim, call.rows);
}

size_t PartFloats(const AttentionCall& call) {
  return AttentionPartFloats(call.q_per_kv, call.v_head_dim, call.rows);
}

// The keys and values of all sequences, then what their rows see of them.
void AttendRound(const Pass& pass, const AttentionCall& all, bool stores,
                 std::span<SequenceAttention> round) {
  const ProfileSpan span(pass.profile(), "attend", pass.rows());
  const size_t heads = all.n_kv_heads, pages = heads / all.heads_per_page;
  size_t tasks = 0, query_bytes = 0, part_floats = 0, blocks = 1;
  // Then no task waits for another's keys: one barrier less.
  bool one_task_per_head = all.heads_per_page == 1;
  for (SequenceAttention& sequence : round) {
    const AttentionCall& call = sequence.call;
    sequence.tiles = CeilDiv(call.rows, kAttentionTileRows);
    sequence.segments = 0;
    if (sequence.tiles == 1) {
      const size_t segments = AttentionSegments(call, 0, call.rows).count();
      const size_t bytes = heads * QueryBytes(call);
      const size_t floats = segments * heads * PartFloats(call);
      if (segments > 1 && query_bytes + bytes <= pass.act().query_bytes() &&
          part_floats + floats <= pass.act().part_floats()) {
        sequence.segments = segments;
        sequence.queries = pass.act().queries + query_bytes;
        sequence.parts = pass.act().parts + part_floats;
        query_bytes += bytes;
        part_floats += floats;
      }
    }
    blocks = std::max(blocks, StoredBlocks(call));
    sequence.first_task = tasks;
    const size_t per_head = sequence.segments > 0 ? sequence.segments : sequence.tiles;
    one_task_per_head = one_task_per_head && per_head == 1;
    tasks += heads * per_head;
  }
  const auto store = [&](size_t i, size_t thread) {  // a block of a head of a sequence
    const SequenceAttention& sequence = round[i / blocks / heads];
    const AttentionCall& call = sequence.call;
    const size_t head = i / blocks % heads, block = i % blocks;
    if (stores && head < pages && block < StoredBlocks(call)) {
      StoreKeysAndValues(call, head, block, pass.Scratch(thread));
    }
    if (block > 0 || sequence.segments == 0) return;
    PrepareQueries(call, head, sequence.queries + head * QueryBytes(call), pass.Scratch(thread));
  };
  if (one_task_per_head) {
    pass.pool().For(tasks, [&](size_t i, size_t thread) {
      for (size_t block = 0; block < blocks; ++block) store(i * blocks + block, thread);
      AttendTile(pass, round[i / heads].call, i % heads, 0, thread);
    });
    return;
  }
  pass.pool().For(round.size() * heads * blocks, store);
  pass.pool().For(tasks, [&](size_t task, size_t thread) {
    const auto after = std::upper_bound(
        round.begin(), round.end(), task,
        [](size_t t, const SequenceAttention& sequence) { return t < sequence.first_task; });
    const SequenceAttention& sequence = *(after - 1);
    const AttentionCall& call = sequence.call;
    const size_t i = task - sequence.first_task;
    if (sequence.segments == 0) {
      AttendTile(pass, call, i / sequence.tiles, i % sequence.tiles, thread);
      return;
    }
    const AttentionSegments segments(call, 0, call.rows);
    const size_t head = i % heads;
    AttendSegment(call, head, segments[i / heads], sequence.queries + head * QueryBytes(call),
                  pass.Scratch(thread), sequence.parts + i * PartFloats(call));
  });
  if (part_floats == 0) return;
  pass.pool().For(round.size() * kAttentionTileRows, [&](size_t i, size_t thread) {
    const SequenceAttention& sequence = round[i / kAttentionTileRows];
    const size_t row = i % kAttentionTileRows;
    if (sequence.segments == 0 || row >= sequence.call.rows) return;
    MergeSegments(sequence.call, row, sequence.parts, sequence.segments, pass.Scratch(thread));
  });
}

}  // namespace

RopeRows::RopeRows(const Pass& pass, int rope) {
  if (rope < 0) return;
  size_t offset = 0;
  for (int i = 0; i < rope; ++i) offset += pass.max_rows() * pass.spec().ropes[i].dim;
  table = pass.act().rope + offset;
  if (pass.act().sink_rope != nullptr) sink_table = pass.act().sink_rope + offset;
  dim = pass.spec().ropes[rope].dim;
}

void StoreSequences(const Pass& pass, const AttentionCall& all) {
  const ProfileSpan span(pass.profile(), "store", pass.rows());
  const size_t heads = all.n_kv_heads;
  size_t row = 0;
  for (const SequenceRows& sequence : pass.sequences()) {
    AttentionCall call = all;
    call.kv = sequence.kv;
    call.position = sequence.position;
    call.rows = sequence.keys.size();
    call.qkv += row * all.qkv_stride;
    if (call.rope != nullptr) call.rope += row * all.rope_dim;
    row += call.rows;
    if (sequence.dropped()) continue;
    pass.pool().For(heads * StoredBlocks(call), [&](size_t i, size_t thread) {
      StoreKeysAndValues(call, i % heads, i / heads, pass.Scratch(thread));
    });
  }
}

void AttendSequences(const Pass& pass, const AttentionCall& all, bool stores) {
  std::array<SequenceAttention, kSequencesPerRound> round;
  size_t n = 0, row = 0;
  for (const SequenceRows& sequence : pass.sequences()) {
    AttentionCall call = all;
    call.kv = sequence.kv;
    call.position = sequence.position + pass.first_key(sequence);
    call.rows = pass.rows_of(sequence);
    if (call.rows == 0) continue;
    if (pass.has_ends()) call.places = &pass.row(row);
    if (all.in_window) call.windows = sequence.windows;
    call.qkv += row * all.qkv_stride;
    if (call.rope != nullptr) call.rope += row * all.rope_dim;
    if (call.sink_rope != nullptr) call.sink_rope += row * all.rope_dim;
    const size_t width = all.n_kv_heads * all.q_per_kv * all.v_head_dim;
    call.out += row * width;
    row += call.rows;
    if (sequence.dropped()) {
      std::fill_n(call.out, call.rows * width, 0.0f);
    } else {
      round[n++] = {call, 0, 0, nullptr, nullptr, 0};
    }
    if (n == 0 || (n < round.size() && row < pass.rows())) continue;
    AttendRound(pass, all, stores, {round.data(), n});
    n = 0;
  }
}

}  // namespace rondo
