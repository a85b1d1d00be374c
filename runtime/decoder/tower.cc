#include "runtime/decoder/tower.h"

#include <algorithm>
#include <array>

#include "runtime/decoder/head.h"

namespace rondo {

Result<Tower> Tower::Plan(const ModelFile& vision, const KernelSet& set, const PassLimits& limits,
                          KvFormat kv_format, size_t max_patches, size_t idle_bytes,
                          MemoryPlan* plan) {
  const size_t rows = max_patches + (vision.model().tower()->class_row() >= 0 ? 1 : 0);
  ContextWindow window;
  window.blocks = CeilDiv(uint64_t{rows}, kKvBlockTokens);
  Tower tower;
  RONDO_ASSIGN(tower.decoder_, Decoder::Plan(vision, set, limits, window, false, plan));
  const DecoderSpec& spec = tower.spec();
  if (spec.ropes.size() > 1) {
    return Status::Error(StatusCode::kUnsupported, "the tower has %zu ropes, expected at most one",
                         spec.ropes.size());
  }
  RONDO_ASSIGN(auto entries, HeapArray<KvLayout::Entry>::Create(spec.n_kv_entries));
  for (const SublayerSpec& sublayer : spec.sublayers) {
    if (sublayer.keeps()) entries[sublayer.kv_entry] = sublayer.kv;
  }
  RONDO_ASSIGN(tower.kv_layout_,
               KvLayout::Create(set, kv_format, entries.span(), window, rows, 1, 0));
  RONDO_ASSIGN(tower.pool_, BlockPool::Plan(tower.kv_layout_, plan));
  const auto add = [&](CheckedSize bytes, const char* name) {
    return plan->Add(Segment::kWorkspace, bytes.ValueOrMost(), name);
  };
  const size_t rope_dim = spec.ropes.size() == 0 ? 0 : spec.ropes[0].dim;
  const CheckedSize hidden = CheckedSize(rows) * spec.hidden_size * sizeof(float) + kOverRead;
  tower.idle_bytes_ = std::max(hidden.ValueOrMost(), idle_bytes);
  tower.hidden_region_ = add(tower.idle_bytes_, "patches");
  tower.rope_region_ =
      add(CheckedSize(rows) * rope_dim * sizeof(float) + kOverRead, "patches' RoPE");
  tower.table_region_ = add(BlockTable::Bytes(tower.kv_layout_), "patches' block table");
  tower.keys_region_ = add(CheckedSize(limits.max_rows) * sizeof(InputKey), "patches' keys");
  if (spec.tower.order.window > 0) {
    tower.windows_region_ =
        add(CheckedSize(limits.max_rows) * sizeof(RowRange), "patches' windows");
  }
  return tower;
}

Status Tower::Bind(const ModelFile& vision, const MemoryPlan& plan, uint8_t* arena,
                   ThreadPool* pool) {
  const auto at = [&](MemoryPlan::RegionId id) { return arena + plan.region(id).offset; };
  hidden_ = reinterpret_cast<float*>(at(hidden_region_));
  rope_ = reinterpret_cast<float*>(at(rope_region_));
  auto* const keys = reinterpret_cast<InputKey*>(at(keys_region_));
  std::fill_n(keys, part_rows(), InputKey(0));
  keys_ = {keys, part_rows()};
  if (windows_region_ != MemoryPlan::kNoRegion) {
    windows_ = reinterpret_cast<RowRange*>(at(windows_region_));
  }
  pool_.Bind(plan, arena);
  kv_ = BlockTable(kv_layout_, &pool_, at(table_region_));
  return decoder_.Bind(vision, plan, arena, pool, {});
}

void Tower::Begin(const PatchGrid& grid) {
  grid_ = grid;
  stage_ = Stage::kEmbed;
  layer_ = 0;
  part_ = 0;
  further_ = 0;
  // The pool has room for the largest grid, and nobody else takes of it.
  kv_.Truncate(0);
  kv_.Prepare(0, rows_of(grid));
  kv_.Commit();
}

uint64_t Tower::CountSlices(const PatchGrid& grid) const {
  const uint64_t parts = CeilDiv(rows_of(grid), uint64_t{part_rows()});
  return parts + spec().n_layers() * (parts > 1 ? 2 * parts : 1) +
         spec().mergers.size() * CeilDiv(RowsOf(grid), uint64_t{decoder_.logit_rows()});
}

void Tower::LeaveLayer() {
  const HeapArray<MergerSpec>& mergers = spec().mergers;
  if (further_ < further_rows() && mergers[1 + further_].layer == layer_) {
    merger_ = 1 + further_;
    stage_ = Stage::kMerge;
  } else if (++layer_ < spec().n_layers()) {
    stage_ = parts() > 1 ? Stage::kStore : Stage::kRun;
  } else {
    merger_ = 0;
    stage_ = Stage::kMerge;
  }
}

SequenceRows Tower::PartOf(const Cancellation& cancel) {
  const uint64_t first = stage_ == Stage::kMerge ? 0 : part_ * part_rows();
  const size_t count = std::min<uint64_t>(part_rows(), rows_of(grid_) - first);
  const size_t rope_dim = spec().ropes.size() == 0 ? 0 : spec().ropes[0].dim;
  decoder_.PlaceRows(hidden_ + first * spec().hidden_size, rope_ + first * rope_dim);
  for (size_t i = 0; windows_ != nullptr && i < count; ++i) {
    windows_[i] = WindowOfRow(spec().tower.order, grid_, first + i);
  }
  return {.kv = &kv_,
          .position = first,
          .keys = keys_.first(count),
          .first_logits_row = count,
          .long_sequence = false,
          .cancel = &cancel,
          .visible_end = rows_of(grid_),
          .stored = parts() > 1,
          .windows = windows_};
}

void Tower::Embed(const Pass& pass, const PatchSource& source) {
  const ProfileSpan span(pass.profile(), "embed", pass.rows());
  const Weights& weights = decoder_.weights();
  const TowerSpec& tower = spec().tower;
  const Activations& act = pass.act();
  const size_t hidden = spec().hidden_size;
  const uint64_t first = pass.row(0).position;
  const auto is_class = [&](size_t r) { return first + r == grid_.size(); };
  pass.pool().For(pass.rows(), [&](size_t r, size_t thread) {
    float* values = pass.ScratchFloats(thread);
    if (is_class(r)) {
      std::fill_n(values, tower.patch_values, 0.0f);
    } else {
      const GridPlace place = PlaceOfPatch(tower.order, grid_, first + r);
      source.Read(RowOfPatch(tower.source_order, grid_, place), values);
    }
    pass.RowInput(weights.patch(), values, r, act.mixer_input);
  });
  pass.Linear(weights.patch(), act.mixer_input, pass.rows(), Pass::Into::kReplace, act.hidden,
              hidden);
  const auto normalize = [&](float* row) {
    Normalize(pass.set(), weights.embedding_norm(), row, hidden, row);
  };
  pass.pool().For(pass.rows(), [&](size_t r, size_t) {
    float* row = act.hidden + r * hidden;
    GridPlace place;
    if (is_class(r)) {
      std::copy_n(weights.class_row(), hidden, row);
      pass.set().loops->add(row, weights.class_row() + hidden, hidden);
    } else {
      place = PlaceOfPatch(tower.order, grid_, first + r);
      if (tower.norm_before_positions) normalize(row);
      AddPatchPosition(pass.set(), tower, weights.positions(), hidden, grid_, place, row);
    }
    if (!tower.norm_before_positions) normalize(row);
    for (const RopeSpec& rope : spec().ropes) {
      RopeTable(rope.frequencies, rope.axes, rope.dim, rope.scale, {0, place.row, place.column},
                act.rope + r * rope.dim);
    }
  });
}

// Rows [first, first + count) of what the text gets, into `merged`.
void Tower::MergePatches(const Pass& pass, uint64_t first, size_t count) {
  const ProfileSpan span(pass.profile(), "merge", count);
  const Weights& weights = decoder_.weights();
  const TowerSpec& tower = spec().tower;
  const MergerSpec& merger = spec().mergers[merger_];
  const RowNorm norm = merger_ == 0 ? weights.final_norm() : RowNorm();
  const Activations& act = pass.act();
  const size_t hidden = spec().hidden_size;
  const uint32_t merge = tower.merge;
  const uint64_t columns = grid_.columns / merge;
  std::array<float*, kMostLogitRows> rows;
  for (size_t i = 0; i < count; ++i) rows[i] = act.merged + i * act.merged.columns;
  pass.pool().For(count, [&](size_t i, size_t thread) {
    const uint64_t row = first + i;
    const GridPlace corner = {static_cast<uint32_t>(row / columns * merge),
                              static_cast<uint32_t>(row % columns * merge)};
    if (tower.averages) std::fill_n(rows[i], hidden, 0.0f);
    for (uint32_t t = 0; t < merge * merge; ++t) {
      const GridPlace place = {corner.row + t / merge, corner.column + t % merge};
      const float* patch = hidden_ + RowOfPatch(tower.order, grid_, place) * hidden;
      float* to = tower.averages ? pass.ScratchFloats(thread) : rows[i] + t * hidden;
      NormedOr(pass.set(), norm, patch, hidden, to);
      if (tower.averages) pass.set().loops->add(rows[i], to, hidden);
    }
    if (tower.averages) {
      const float factor = tower.scale / static_cast<float>(merge * merge);
      pass.set().loops->scale(rows[i], factor, hidden, rows[i]);
    }
    if (const float* standard = weights.standard(); standard != nullptr && merger_ == 0) {
      pass.set().loops->blend(rows[i], 1.0f, standard, -1.0f, hidden);
      pass.set().multiply(hidden * sizeof(float), rows[i], standard + hidden, rows[i], nullptr);
    }
    Normalize(pass.set(), weights.merged_norm(merger_), rows[i], tower.merged, rows[i]);
  });
  RunDense(pass, {rows.data(), count}, merger.dense_begin, merger.dense_end);
}

}  // namespace rondo
