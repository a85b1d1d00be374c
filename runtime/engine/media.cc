#include "runtime/engine/media.h"

#include <algorithm>

#include "platforms/this_thread.h"
#include "runtime/base/digest.h"
#include "runtime/engine/engine.h"
#include "runtime/media/canvas.h"
#include "runtime/media/patches.h"

namespace rondo {

namespace {

using ull = unsigned long long;

const format::Tower& TowerOf(const Engine& engine) {
  return *engine.model().model().vision()->tower();
}

PatchGrid PatchesOf(const ImageProcessor& processor, ImageSize size) {
  return {size.height / processor.patch, size.width / processor.patch};
}

// What the text gets of these.
PatchGrid RowsOf(const ImageProcessor& processor, PatchGrid patches) {
  return {patches.rows / processor.merge, patches.columns / processor.merge};
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

template <typename Number, size_t n>
void AddNumbers(const Number (&numbers)[n], Digester* digester) {
  digester->Add({reinterpret_cast<const uint8_t*>(numbers), sizeof numbers});
}

Digest DigestOf(const Engine& engine, const Image& image, const ImageLayout& layout,
                std::span<uint8_t> scratch) {
  Digester digester;
  digester.Add(DigestOfImage(image, scratch));
  const uint64_t key[] = {engine.model().model().identity(),
                          layout.tile_columns,
                          layout.tile_rows,
                          layout.tiled.width,
                          layout.tiled.height,
                          layout.whole.width,
                          layout.whole.height};
  AddNumbers(key, &digester);
  return digester.Finish();
}

// `grid`: of its tile's rows.
InputFacts FactsOfRun(const format::Tower& tower, const Digest& picture, const MediaRun& run,
                      PatchGrid grid) {
  Digester digester;
  digester.Add(picture);
  const uint32_t place[] = {run.tile, run.first_row, run.rows};
  AddNumbers(place, &digester);
  const bool has_grid = tower.coordinates() == format::RowCoordinates::kGrid;
  const uint32_t advance = has_grid ? std::max(grid.rows, grid.columns) : run.rows;
  return {digester.Finish(), run.rows, static_cast<int32_t>(advance), tower.sees_whole(), has_grid};
}

Status CheckRows(const Engine& engine, const ImageProcessor& processor, const ImageLayout& layout,
                 ImageSize size) {
  const EngineOptions& options = engine.plan().options;
  if (layout.rows > options.max_media_rows) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "a picture of %u x %u pixels becomes %llu rows, but engine option "
                         "max_media_rows is %u",
                         size.width, size.height, ull{layout.rows}, options.max_media_rows);
  }
  const uint64_t together =
      std::max(layout.tile_patches, layout.whole_patches) / processor.merge / processor.merge;
  if (TowerOf(engine).sees_whole() && together > options.max_rows) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "%llu rows of the picture see each other and are of one pass, but engine "
                         "option max_rows is %u",
                         ull{together}, options.max_rows);
  }
  return Status();
}

}  // namespace

void Media::Release(InputStore* inputs) {
  for (const MediaRun& run : runs()) inputs->Release(run.input);
  n_runs_ = 0;
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
  RONDO_ASSIGN(const ImageProcessor processor, ProcessorOf(model, {}));
  const ModelFile vision = model.Vision();
  const uint64_t rows = options.max_media_rows;
  const uint64_t patches =
      std::min<uint64_t>(rows * processor.merge * processor.merge, vision.model().context_length());
  MediaEncoder encoder;
  memory->BeginPart("sight: ");
  encoder.canvas_region_ =
      memory->Add(Segment::kWorkspace, MostCanvasBytes(processor, rows), "canvas");
  RONDO_ASSIGN(encoder.tower_,
               Tower::Plan(vision, set, {options.max_rows, kMostLogitRows, options.threads},
                           options.kv_format, static_cast<size_t>(patches), kResizeBytes, memory));
  memory->EndPart();
  return encoder;
}

Status MediaEncoder::Bind(const ModelFile& model, const MemoryPlan& memory, uint8_t* arena,
                          ThreadPool* threads) {
  canvas_ = arena + memory.region(canvas_region_).offset;
  return tower_.Bind(model.Vision(), memory, arena, threads);
}

Status MediaEncoder::Encode(Engine* engine, const Image& image, const ImageOptions& options,
                            const LoadProgress& progress, Media* media) {
  RONDO_RETURN_IF_ERROR(CheckImage(image));
  const ImageSize size = UprightSize(image);
  RONDO_ASSIGN(const ImageProcessor processor, ProcessorOf(engine->model(), options));
  RONDO_ASSIGN(media->facts_, FactsOfImage(engine->model(), processor, size));
  const ImageLayout& layout = media->facts_.layout;
  RONDO_RETURN_IF_ERROR(CheckRows(*engine, processor, layout, size));
  uint64_t slices = 0;
  for (uint64_t tile = 0; tile < layout.all_tiles(); ++tile) {
    slices += tower_.CountSlices(PatchesOf(processor, layout.size_of(tile)));
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
  const format::Tower& tower = TowerOf(*engine);
  InputStore& inputs = engine->inputs();
  const std::span<uint8_t> scratch = tower_.idle_memory();
  const Digest picture = DigestOf(*engine, image, layout, scratch);
  const auto* between = tower.text()->between_rows();
  const bool apart = between != nullptr && between->size() > 0;
  bool is_there = true;
  for (uint32_t tile = 0; tile < layout.all_tiles(); ++tile) {
    const PatchGrid grid = RowsOf(processor, PatchesOf(processor, layout.size_of(tile)));
    const uint32_t rows = apart ? grid.columns : grid.rows * grid.columns;
    for (uint32_t first = 0; first < grid.size(); first += rows) {
      MediaRun run = {tile, first, rows, 0};
      RONDO_ASSIGN(run.input, inputs.Find(FactsOfRun(tower, picture, run, grid)));
      media->runs_[media->n_runs_++] = run;
      is_there = is_there && !inputs.IsGone(run.input);
    }
  }
  if (is_there) return Status();

  MakeCanvas(processor, layout, image, canvas_, scratch.data());
  const PatchCutter cutter(processor, layout);
  size_t next = 0;
  for (uint64_t tile = 0; tile < layout.all_tiles(); ++tile) {
    const size_t begin = next;
    while (next < media->n_runs_ && media->runs_[next].tile == tile) ++next;
    RONDO_RETURN_IF_ERROR(EncodeTile(engine,
                                     TilePatches(cutter, canvas_, tile * layout.tile_patches),
                                     PatchesOf(processor, layout.size_of(tile)),
                                     media->runs().subspan(begin, next - begin), &slices));
  }
  return Status();
}

Status MediaEncoder::EncodeTile(Engine* engine, const PatchSource& source, PatchGrid patches,
                                std::span<const MediaRun> runs, Slices* slices) {
  InputStore& inputs = engine->inputs();
  const auto columns = static_cast<int32_t>(patches.columns / tower_.merge());
  const bool has_grid = TowerOf(*engine).coordinates() == format::RowCoordinates::kGrid;
  // Each run's rows are places of their own; of those that are there still, none.
  std::array<uint32_t, ImageFacts::kMostRuns> first;
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
    if (i == 0) run = 0;
    if (i == runs[run].first_row + runs[run].rows) ++run;
    if (i == runs[run].first_row) place = first[run];
    if (place == InputStore::kNowhere) return;
    const auto in_run = static_cast<int32_t>(i - runs[run].first_row);
    const auto row = static_cast<int32_t>(i);
    const int32_t coordinates[kCoordinates] = {has_grid ? 0 : in_run,
                                               has_grid ? row / columns : in_run,
                                               has_grid ? row % columns : in_run};
    place = inputs.Put(place, {values, inputs.width()}, coordinates, further);
  };
  if (status.ok()) tower_.Begin(patches);
  for (bool more = true; status.ok() && more;) {
    engine->RunSlice([&] { more = tower_.RunSlice(source, put); });
    if (Stops(slices->progress, ++slices->done, slices->all)) status = Cancelled();
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
