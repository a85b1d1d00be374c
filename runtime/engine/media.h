// Media: a picture as rows that a session may have among its tokens, and what makes it of pixels.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "platforms/sync.h"
#include "runtime/base/status.h"
#include "runtime/decoder/tower.h"
#include "runtime/engine/image_facts.h"
#include "runtime/engine/options.h"
#include "runtime/kv/input_store.h"
#include "runtime/media/image.h"

namespace rondo {

class Engine;

// Rows of the text's that lie side by side there, as an input.
struct MediaRun {
  uint32_t tile = 0;       // the whole picture counts as the last
  uint32_t first_row = 0;  // of the tile's
  uint32_t rows = 0;
  uint32_t input = 0;
};

// A picture that was encoded. It holds its inputs until it is released.
class Media {
 public:
  const ImageFacts& facts() const { return facts_; }
  std::span<const MediaRun> runs() const { return {runs_.data(), n_runs_}; }
  void Release(InputStore* inputs);

 private:
  friend class MediaEncoder;
  ImageFacts facts_;
  size_t n_runs_ = 0;  // whose inputs are held
  std::array<MediaRun, ImageFacts::kMostRuns> runs_;
};

// Calls visit.Tokens(span of ids) and visit.Rows(run) for what stands in a text for a picture, in
// order.
template <typename Visit>
void ForEachPart(const format::PictureText& text, const Media& media, Visit&& visit);

// One encodes at a time.
class MediaTurn {
 public:
  // Waits for the turn, and tells `progress` meanwhile that none of `all` is done. Errors:
  // kCancelled; kBusy (this thread has it).
  Status Take(const LoadProgress& progress, uint64_t all);
  void Give();

 private:
  Mutex mutex_;
  Condition changed_;
  bool taken_ = false;
  uint64_t thread_ = 0;  // that has it
};

class MediaEncoder {
 public:
  // Adds what it takes to `memory`. `options`: resolved, max_media_rows is not 0. Errors:
  // kUnsupported (the model does not see, too), kCorrupt, kOutOfMemory (sizes).
  static Result<MediaEncoder> Plan(const ModelFile& model, const KernelSet& set,
                                   const EngineOptions& options, MemoryPlan* memory);
  Status Bind(const ModelFile& model, const MemoryPlan& memory, uint8_t* arena,
              ThreadPool* threads);

  Tower& tower() { return tower_; }
  // Of each row, those that the text's first layers add.
  size_t further_rows() const { return tower_.further_rows(); }

  // [any thread] One picture at a time; others wait for their turn. Between two slices passes
  // for sessions run. `progress` is told of slices, and ends it. On failure `media` holds
  // nothing. Errors: kInvalidArgument (what is wrong with the picture), kKvPoolFull (too few rows
  // are free), kCancelled, kBusy (from `progress`).
  Status Encode(Engine* engine, const Image& image, const ImageOptions& options,
                const LoadProgress& progress, Media* media);

 private:
  // Of all tiles.
  struct Slices {
    const LoadProgress& progress;
    uint64_t all;
    uint64_t done = 0;
  };

  Status EncodeInTurn(Engine* engine, const Image& image, const ImageProcessor& processor,
                      Slices slices, Media* media);
  Status EncodeTile(Engine* engine, const PatchSource& source, PatchGrid patches,
                    std::span<const MediaRun> runs, Slices* slices);

  Tower tower_;
  MemoryPlan::RegionId canvas_region_ = 0;
  uint8_t* canvas_ = nullptr;
};

template <typename Visit>
void ForEachPart(const format::PictureText& text, const Media& media, Visit&& visit) {
  const ImageLayout& layout = media.facts().layout;
  const auto tokens = [&](const flatbuffers::Vector<uint32_t>* ids) {
    if (ids != nullptr && ids->size() > 0) {
      visit.Tokens(std::span(reinterpret_cast<const int32_t*>(ids->data()), ids->size()));
    }
  };
  tokens(text.begin());
  for (const MediaRun& run : media.runs()) {
    if (run.first_row > 0) {
      tokens(text.between_rows());
    } else if (run.tile < layout.tiles()) {
      const uint64_t row = run.tile / layout.tile_columns, column = run.tile % layout.tile_columns;
      if (row > 0 && column == 0) tokens(text.between_tile_rows());
      tokens(text.before_tile());
      if (const auto* marks = text.tile_marks(); marks != nullptr && marks->size() > 0) {
        const auto mark = static_cast<uint32_t>(row * text.tile_mark_columns() + column);
        visit.Tokens(std::span(reinterpret_cast<const int32_t*>(marks->data()) + mark, 1));
      }
    } else {
      tokens(layout.tiles() > 0 ? text.before_whole() : text.before_only());
    }
    visit.Rows(run);
  }
  tokens(text.end());
}

}  // namespace rondo
