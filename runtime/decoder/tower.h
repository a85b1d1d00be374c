// Tower: a model whose rows are patches of a picture, and whose outcome is rows that stand in a
// text's place of tokens.
//
// All patches of a tile see each other, and there may be more of them than a pass has rows. So a
// tile goes through the layers in parts: of each layer all parts keep their keys and values, then
// each part runs. What is kept serves one layer, and the next one takes its place.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/decoder/decoder.h"
#include "runtime/decoder/patch_positions.h"
#include "runtime/kv/block_pool.h"
#include "runtime/kv/block_table.h"
#include "runtime/kv/kv_layout.h"

namespace rondo {

// The patches of a tile, in the order of its rows. Any thread may ask.
class PatchSource {
 public:
  virtual void Read(uint64_t patch, float* values) const = 0;  // [TowerSpec::patch_values]

 protected:
  ~PatchSource() = default;
};

class Tower {
 public:
  // Adds what tiles of up to `max_patches` patches take to `plan`, with `idle_bytes` of idle_memory
  // at least. `vision`: ModelFile::Vision(). Errors: kUnsupported, kOutOfMemory (sizes).
  static Result<Tower> Plan(const ModelFile& vision, const KernelSet& set, const PassLimits& limits,
                            KvFormat kv_format, size_t max_patches, size_t idle_bytes,
                            MemoryPlan* plan);
  // After the plan's Layout; the tower must not move afterwards. Error: kCorrupt.
  Status Bind(const ModelFile& vision, const MemoryPlan& plan, uint8_t* arena, ThreadPool* pool);

  Decoder& decoder() { return decoder_; }
  // Patches a side that become one row of the text's.
  uint32_t merge() const { return spec().tower.merge; }
  // Memory that is used from Begin to the last slice alone, aligned to 64.
  std::span<uint8_t> idle_memory() const {
    return {reinterpret_cast<uint8_t*>(hidden_), idle_bytes_};
  }

  // A tile of grid.size() patches, at most max_patches. Grid sides are multiples of spec.merge.
  void Begin(const PatchGrid& grid);
  // A slice of the work: a layer of a part at most. False: that was the last. `out`: where row i of
  // what merger m makes goes, RowsOf(grid) of each; called in their order, the one whose rows stand
  // in the text, 0, last.
  template <typename Out>
  bool RunSlice(const PatchSource& source, const Out& out);

  uint64_t RowsOf(const PatchGrid& grid) const { return grid.size() / merge() / merge(); }
  // Of each row, those that the text's layers add.
  size_t further_rows() const { return spec().mergers.size() == 0 ? 0 : spec().mergers.size() - 1; }
  // Slices of a tile, for telling how far one is.
  uint64_t CountSlices(const PatchGrid& grid) const;

 private:
  const DecoderSpec& spec() const { return decoder_.spec(); }
  size_t part_rows() const { return decoder_.resources().max_rows; }
  // Of a tile: its patches, and what stands behind them.
  uint64_t rows_of(const PatchGrid& grid) const { return grid.size() + spec().tower.class_rows; }
  uint64_t parts() const { return CeilDiv(rows_of(grid_), uint64_t{part_rows()}); }
  // Of rows from part_ * part_rows() on.
  SequenceRows PartOf(const Cancellation& cancel);
  void Embed(const Pass& pass, const PatchSource& source);
  void MergePatches(const Pass& pass, uint64_t first, size_t count);
  // Behind all parts of a layer, or of a merger that reads it.
  void LeaveLayer();

  // Where a slice is: the stages go over all parts, one behind the other.
  enum class Stage : uint8_t { kEmbed, kStore, kRun, kMerge };

  Decoder decoder_;
  KvLayout kv_layout_;
  BlockPool pool_;
  BlockTable kv_;
  size_t idle_bytes_ = 0;
  MemoryPlan::RegionId hidden_region_ = 0, rope_region_ = 0, table_region_ = 0, keys_region_ = 0;
  MemoryPlan::RegionId windows_region_ = MemoryPlan::kNoRegion;
  float* hidden_ = nullptr;  // [rows, hidden_size]
  float* rope_ = nullptr;    // [rows, dim]
  std::span<const InputKey> keys_;
  RowRange* windows_ = nullptr;  // [part_rows], of a tower that has some
  PatchGrid grid_;
  Stage stage_ = Stage::kEmbed;
  size_t layer_ = 0;
  uint64_t part_ = 0;   // of kMerge: of rows that are merged
  size_t merger_ = 0;   // of kMerge
  size_t further_ = 0;  // mergers that are done
};

template <typename Out>
bool Tower::RunSlice(const PatchSource& source, const Out& out) {
  const Cancellation cancel;  // a slice is run to its end
  const SequenceRows rows = PartOf(cancel);
  Pass pass(decoder_.resources(), {&rows, 1});
  switch (stage_) {
    case Stage::kEmbed:
      Embed(pass, source);
      if (++part_ < parts()) return true;
      stage_ = parts() > 1 ? Stage::kStore : Stage::kRun;
      break;
    case Stage::kStore:
      decoder_.StoreLayer(pass, layer_);
      if (++part_ < parts()) return true;
      stage_ = Stage::kRun;
      break;
    case Stage::kRun:
      decoder_.RunLayer(pass, layer_);
      if (++part_ < parts()) return true;
      LeaveLayer();
      break;
    case Stage::kMerge: {
      const uint64_t first = part_ * decoder_.logit_rows(), all = RowsOf(grid_);
      const size_t count = std::min<uint64_t>(decoder_.logit_rows(), all - first);
      MergePatches(pass, first, count);
      const Buffer<float>& merged = decoder_.resources().activations->merged;
      for (size_t i = 0; i < count; ++i) out(merger_, first + i, merged + i * merged.columns);
      ++part_;
      if (first + count < all) return true;
      if (merger_ == 0) return false;
      ++further_;
      LeaveLayer();
      break;
    }
  }
  part_ = 0;
  return true;
}

}  // namespace rondo
