#include "runtime/engine/media.h"

#include <algorithm>

#include "platforms/this_thread.h"
#include "runtime/engine/engine.h"
#include "runtime/engine/processor_file.h"
#include "runtime/media/canvas.h"
#include "runtime/media/patches.h"

namespace rondo {

namespace {

using ull = unsigned long long;

// What resizing takes of any picture that is not much longer than it is wide.
constexpr size_t kScratchBytes = 4 << 20;

Status DoesNotSee() {
  return Status::Error(StatusCode::kUnsupported,
                       "the model has nothing that sees: convert its checkpoint again, without "
                       "--text-only, from a folder that has its image processor's config");
}

// Bounds in rows of the text's become bounds in pixels.
Status SetTokens(const ImageOptions& options, ImageProcessor* p) {
  if (options.min_tokens == 0 && options.max_tokens == 0) return Status();
  const uint64_t pixels = uint64_t{p->patch} * p->patch * p->merge * p->merge;
  const bool has_min = p->rule == SizeRule::kBetween || p->rule == SizeRule::kBetweenOrGrid;
  if (!has_min && p->rule != SizeRule::kBudget) {
    return Status::Error(StatusCode::kUnsupported,
                         "image options min_tokens and max_tokens are %u and %u, but pictures of "
                         "this model have numbers of rows that follow from tiles: leave them 0",
                         options.min_tokens, options.max_tokens);
  }
  if (options.min_tokens > 0 && !has_min) {
    return Status::Error(StatusCode::kUnsupported,
                         "image option min_tokens is %u, but each picture of this model has about "
                         "max_tokens: leave it 0",
                         options.min_tokens);
  }
  if (options.max_tokens > 0) p->max_pixels = options.max_tokens * pixels;
  if (options.min_tokens > 0) p->min_pixels = options.min_tokens * pixels;
  p->min_pixels = std::min(p->min_pixels, options.min_tokens > 0 ? p->min_pixels : p->max_pixels);
  if (p->min_pixels <= p->max_pixels && p->max_pixels <= uint64_t{1} << 30) return Status();
  return Status::Error(StatusCode::kInvalidArgument,
                       "image options min_tokens and max_tokens mean %llu and %llu pixels, but "
                       "must be at most %llu, the first no more than the second",
                       ull{p->min_pixels}, ull{p->max_pixels}, ull{1} << 30);
}

const format::Tower& TowerOf(const ModelFile& model) { return *model.model().vision()->tower(); }

uint64_t Size(const flatbuffers::Vector<uint32_t>* ids) { return ids == nullptr ? 0 : ids->size(); }

uint64_t CountTiles(const ImageLayout& layout) {
  return layout.tiles() + (layout.whole_patches > 0 ? 1 : 0);
}

// Rows of the text's that one tile becomes; the whole picture counts as the last. `side`: pixels of
// a row.
PatchGrid RowsOfTile(const ImageLayout& layout, uint64_t tile, uint32_t side) {
  if (tile == layout.tiles()) return {layout.whole.height / side, layout.whole.width / side};
  return {layout.tiled.height / layout.tile_rows / side,
          layout.tiled.width / layout.tile_columns / side};
}

// Runs of rows that lie side by side in the text.
uint64_t CountRuns(const format::PictureText& text, const ImageLayout& layout, uint32_t side) {
  if (Size(text.between_rows()) == 0) return CountTiles(layout);
  uint64_t n = layout.whole_patches > 0 ? RowsOfTile(layout, layout.tiles(), side).rows : 0;
  if (layout.tiles() > 0) n += layout.tiles() * RowsOfTile(layout, 0, side).rows;
  return n;
}

// Tokens around a picture's rows.
Result<uint64_t> CountTokens(const format::PictureText& text, const ImageLayout& layout,
                             uint64_t runs) {
  uint64_t n = Size(text.begin()) + Size(text.end());
  if (layout.tiles() > 0) {
    const uint64_t marks = Size(text.tile_marks());
    if (marks > 0 && (layout.tile_columns > text.tile_mark_columns() ||
                      layout.tile_rows > marks / text.tile_mark_columns())) {
      return Status::Error(StatusCode::kInvalidArgument,
                           "the picture would be cut into %u x %u tiles, but the model has marks "
                           "for %u x %llu",
                           layout.tile_columns, layout.tile_rows, text.tile_mark_columns(),
                           ull{marks / text.tile_mark_columns()});
    }
    n += layout.tiles() * (Size(text.before_tile()) + (marks > 0 ? 1 : 0)) +
         (layout.tile_rows - 1) * Size(text.between_tile_rows());
  }
  if (layout.whole_patches > 0) {
    n += Size(layout.tiles() > 0 ? text.before_whole() : text.before_only());
  }
  return n + (runs - CountTiles(layout)) * Size(text.between_rows());
}

// The patches of one tile.
class TilePatches final : public PatchSource {
 public:
  TilePatches(const PatchCutter& cutter, const uint8_t* canvas, uint64_t first)
      : cutter_(cutter), canvas_(canvas), first_(first) {}
  void Read(uint64_t patch, float* values) const override {
    cutter_.Cut(canvas_, first_ + patch, 1, values);
  }

 private:
  const PatchCutter& cutter_;
  const uint8_t* const canvas_;
  const uint64_t first_;
};

bool Stops(const LoadProgress& progress, uint64_t done, uint64_t all) {
  return progress.report != nullptr && progress.report(progress.user, done, all) != 0;
}

Status Cancelled() {
  return Status::Error(StatusCode::kCancelled, "the progress callback ended the encoding");
}

}  // namespace

Result<ImageProcessor> ProcessorOf(const ModelFile& model, const ImageOptions& options) {
  if (model.model().vision() == nullptr) return DoesNotSee();
  RONDO_ASSIGN(ImageProcessor p, ReadImageProcessor(*TowerOf(model).processor()));
  RONDO_RETURN_IF_ERROR(SetTokens(options, &p));
  if (options.one_tile) p.split = false;
  return p;
}

Result<ImageFacts> FactsOfImage(const ModelFile& model, ImageSize size,
                                const ImageOptions& options) {
  RONDO_ASSIGN(const ImageProcessor processor, ProcessorOf(model, options));
  if (size.width == 0 || size.height == 0 || size.width > kMaxImageSide ||
      size.height > kMaxImageSide) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "a picture is %u x %u pixels, but sides must be 1 to %u", size.width,
                         size.height, kMaxImageSide);
  }
  ImageFacts facts;
  RONDO_ASSIGN(facts.layout, LayOutImage(processor, size));
  const uint64_t patches = std::max(facts.layout.tile_patches, facts.layout.whole_patches);
  const uint32_t most_patches = model.model().vision()->context_length();
  if (patches > most_patches) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "a picture of %u x %u pixels has %llu patches in one tile, but the model "
                         "takes %u",
                         size.width, size.height, ull{patches}, most_patches);
  }
  const size_t scratch = CanvasScratchBytes(processor, facts.layout, size);
  if (scratch > kScratchBytes) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "a picture of %u x %u pixels takes %zu bytes to resize, but %zu are "
                         "planned",
                         size.width, size.height, scratch, kScratchBytes);
  }
  const format::PictureText& text = *TowerOf(model).text();
  const uint64_t runs = CountRuns(text, facts.layout, processor.patch * processor.merge);
  if (runs > Media::kMostRuns) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "a picture of %u x %u pixels stands in the text in %llu parts, but must "
                         "be at most %zu",
                         size.width, size.height, ull{runs}, Media::kMostRuns);
  }
  RONDO_ASSIGN(const uint64_t tokens, CountTokens(text, facts.layout, runs));
  facts.positions = facts.layout.rows + tokens;
  return facts;
}

void Media::Release(InputStore* inputs) {
  for (size_t i = 0; i < n_held_; ++i) inputs->Release(runs_[i].input);
  n_held_ = n_runs_ = 0;
}

Status MediaTurn::Take(const LoadProgress& progress, uint64_t all) {
  constexpr Nanoseconds kGlance = 10 * kMillisecond;
  MutexLock lock(mutex_);
  if (taken_ && thread_ == ThisThread()) {
    return Status::Error(StatusCode::kBusy, "this thread is inside of the progress of a picture");
  }
  while (taken_) {
    changed_.WaitUntil(lock, Now() + kGlance);
    if (!taken_) break;
    lock.Unlock();
    const bool stops = Stops(progress, 0, all);
    lock.Lock();
    if (stops) return Cancelled();
  }
  taken_ = true;
  thread_ = ThisThread();
  return Status();
}

void MediaTurn::Give() {
  const MutexLock lock(mutex_);
  taken_ = false;
  changed_.NotifyAll();
}

Result<MediaEncoder> MediaEncoder::Plan(const ModelFile& model, const KernelSet& set,
                                        const EngineOptions& options, MemoryPlan* memory) {
  if (model.model().vision() == nullptr) return DoesNotSee();
  MediaEncoder encoder;
  RONDO_ASSIGN(const ImageProcessor processor, ProcessorOf(model, {}));
  const ModelFile vision = model.Vision();
  const format::Tower& tower = TowerOf(model);
  encoder.max_rows_ = options.max_media_rows;
  encoder.pass_rows_ = options.max_rows;
  encoder.sees_whole_ = tower.sees_whole();
  encoder.has_grid_ = tower.coordinates() == format::RowCoordinates::kGrid;
  encoder.apart_by_rows_ = Size(tower.text()->between_rows()) > 0;
  encoder.identity_ = model.model().identity();
  encoder.merge_ = processor.merge;
  encoder.side_ = processor.patch * processor.merge;
  const uint64_t patches = uint64_t{options.max_media_rows} * processor.merge * processor.merge;
  memory->BeginPart("sight: ");
  encoder.canvas_region_ = memory->Add(
      Segment::kWorkspace, MostCanvasBytes(processor, options.max_media_rows), "canvas");
  const auto most =
      static_cast<size_t>(std::min<uint64_t>(patches, vision.model().context_length()));
  RONDO_ASSIGN(encoder.tower_,
               Tower::Plan(vision, set, {options.max_rows, kMostLogitRows, options.threads},
                           options.kv_format, most, kScratchBytes, memory));
  memory->EndPart();
  return encoder;
}

Status MediaEncoder::Bind(const ModelFile& model, const MemoryPlan& memory, uint8_t* arena,
                          ThreadPool* threads, const LoadProgress& progress) {
  canvas_ = arena + memory.region(canvas_region_).offset;
  return tower_.Bind(model.Vision(), memory, arena, threads, progress);
}

Status MediaEncoder::CheckSize(const ImageLayout& layout, ImageSize size) const {
  if (layout.rows > max_rows_) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "a picture of %u x %u pixels becomes %llu rows, but engine option "
                         "max_media_rows is %zu",
                         size.width, size.height, ull{layout.rows}, max_rows_);
  }
  const uint64_t together = std::max(layout.tile_patches, layout.whole_patches) / merge_ / merge_;
  if (sees_whole_ && together > pass_rows_) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "%llu rows of the picture see each other and are of one pass, but engine "
                         "option max_rows is %zu",
                         ull{together}, pass_rows_);
  }
  return Status();
}

PatchGrid MediaEncoder::PatchesOfTile(const ImageLayout& layout, uint64_t tile) const {
  const PatchGrid rows = RowsOfTile(layout, tile, side_);
  return {rows.rows * merge_, rows.columns * merge_};
}

void MediaEncoder::ListRuns(const ImageLayout& layout, Media* media) const {
  // FactsOfImage has counted them.
  for (uint32_t tile = 0; tile < CountTiles(layout); ++tile) {
    const PatchGrid rows = RowsOfTile(layout, tile, side_);
    if (!apart_by_rows_) {
      media->runs_[media->n_runs_++] = {tile, 0, rows.rows * rows.columns, 0};
      continue;
    }
    for (uint32_t row = 0; row < rows.rows; ++row) {
      media->runs_[media->n_runs_++] = {tile, row * rows.columns, rows.columns, 0};
    }
  }
}

InputFacts MediaEncoder::FactsOfRun(const Digest& picture, const MediaRun& run,
                                    PatchGrid rows) const {
  Digester digester;
  digester.Add(picture);
  const uint32_t place[] = {run.tile, run.first_row, run.rows};
  digester.Add({reinterpret_cast<const uint8_t*>(place), sizeof place});
  const auto advance =
      static_cast<int32_t>(has_grid_ ? std::max(rows.rows, rows.columns) : run.rows);
  return {digester.Finish(), run.rows, advance, sees_whole_, has_grid_};
}

Status MediaEncoder::Encode(Engine* engine, const Image& image, const ImageOptions& options,
                            const LoadProgress& progress, Media* media) {
  RONDO_RETURN_IF_ERROR(CheckImage(image));
  const ImageSize size = UprightSize(image);
  RONDO_ASSIGN(const ImageProcessor processor, ProcessorOf(engine->model(), options));
  RONDO_ASSIGN(media->facts_, FactsOfImage(engine->model(), size, options));
  RONDO_RETURN_IF_ERROR(CheckSize(media->facts_.layout, size));
  uint64_t slices = 0;
  for (uint64_t tile = 0; tile < CountTiles(media->facts_.layout); ++tile) {
    slices += tower_.CountSlices(PatchesOfTile(media->facts_.layout, tile));
  }
  RONDO_RETURN_IF_ERROR(engine->media_turn().Take(progress, slices));
  const Status status = EncodeInTurn(engine, image, processor, {progress, slices}, media);
  engine->media_turn().Give();
  if (!status.ok()) media->Release(&engine->inputs());
  return status;
}

Status MediaEncoder::EncodeInTurn(Engine* engine, const Image& image,
                                  const ImageProcessor& processor, Slices slices, Media* media) {
  const ImageLayout& layout = media->facts_.layout;
  const std::span<uint8_t> scratch = tower_.idle_memory();
  Digester digester;
  digester.Add(DigestOfImage(image, scratch));
  const uint64_t key[] = {identity_,          layout.tile_columns, layout.tile_rows,
                          layout.tiled.width, layout.tiled.height, layout.whole.width,
                          layout.whole.height};
  digester.Add({reinterpret_cast<const uint8_t*>(key), sizeof key});
  const Digest picture = digester.Finish();

  InputStore& inputs = engine->inputs();
  ListRuns(layout, media);
  bool is_there = true;
  for (size_t i = 0; i < media->n_runs_; ++i) {
    MediaRun& run = media->runs_[i];
    RONDO_ASSIGN(run.input,
                 inputs.Find(FactsOfRun(picture, run, RowsOfTile(layout, run.tile, side_))));
    ++media->n_held_;
    is_there = is_there && !inputs.IsGone(run.input);
  }
  if (is_there) return Status();

  MakeCanvas(processor, layout, image, canvas_, scratch.data());
  const PatchCutter cutter(processor, layout);
  size_t next = 0;
  for (uint64_t tile = 0; tile < CountTiles(layout); ++tile) {
    const size_t begin = next;
    while (next < media->n_runs_ && media->runs_[next].tile == tile) ++next;
    RONDO_RETURN_IF_ERROR(
        EncodeTile(engine, TilePatches(cutter, canvas_, tile * layout.tile_patches), &slices,
                   media->runs().subspan(begin, next - begin), PatchesOfTile(layout, tile)));
  }
  return Status();
}

Status MediaEncoder::EncodeTile(Engine* engine, const PatchSource& source, Slices* slices,
                                std::span<const MediaRun> runs, PatchGrid grid) {
  InputStore& inputs = engine->inputs();
  const auto columns = static_cast<int32_t>(grid.columns / merge_);
  // Each run's rows are places of their own; of those that are there still, none.
  std::array<uint32_t, Media::kMostRuns> first;
  first.fill(InputStore::kNowhere);
  Status status;
  for (size_t i = 0; status.ok() && i < runs.size(); ++i) {
    if (!inputs.IsGone(runs[i].input)) continue;
    const Result<uint32_t> places = inputs.TakeRows(runs[i].rows);
    status = places.status();
    if (status.ok()) first[i] = *places;
  }
  size_t run = 0;
  uint32_t place = InputStore::kNowhere;
  const auto put = [&](size_t further, uint64_t i, const float* values) {
    if (i == 0) place = first[run = 0];
    if (i == runs[run].first_row + runs[run].rows) place = first[++run];
    if (first[run] == InputStore::kNowhere) return;
    const auto in_run = static_cast<int32_t>(i - runs[run].first_row);
    const auto row = static_cast<int32_t>(i);
    const int32_t coordinates[kCoordinates] = {has_grid_ ? 0 : in_run,
                                               has_grid_ ? row / columns : in_run,
                                               has_grid_ ? row % columns : in_run};
    place = inputs.Put(place, {values, inputs.width()}, coordinates, further);
  };
  if (status.ok()) tower_.Begin(grid);
  Cancellation cancel;
  bool more = true;
  while (status.ok() && more) {
    engine->RunSlice([&] { more = tower_.RunSlice(source, cancel, put); });
    slices->done = std::min(slices->done + 1, slices->all);
    if (Stops(slices->progress, slices->done, slices->all)) status = Cancelled();
  }
  for (size_t i = 0; i < runs.size(); ++i) {
    if (first[i] == InputStore::kNowhere) continue;
    if (status.ok()) {
      inputs.Fill(runs[i].input, first[i]);
    } else {
      inputs.FreeRows(first[i], runs[i].rows);
    }
  }
  return status;
}

}  // namespace rondo
