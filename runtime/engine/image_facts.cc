#include "runtime/engine/image_facts.h"

#include <algorithm>

#include "runtime/media/canvas.h"
#include "runtime/media/image.h"

namespace rondo {

namespace {

using ull = unsigned long long;

// As the schema numbers them.
static_assert(static_cast<int>(SizeRule::kBetweenOrGrid) ==
              static_cast<int>(format::SizeRule::kBetweenOrGrid));
static_assert(static_cast<int>(Filter::kLanczos) == static_cast<int>(format::Filter::kLanczos));

Status ReadThree(const char* name, const flatbuffers::Vector<double>* from, double* to) {
  if (from != nullptr && from->size() == kChannels) {
    std::copy(from->begin(), from->end(), to);
    return Status();
  }
  return Status::Error(StatusCode::kCorrupt, "the image processor's %s has %u numbers, expected 3",
                       name, from == nullptr ? 0 : from->size());
}

Result<ImageProcessor> ReadProcessor(const format::ImageProcessor& from) {
  ImageProcessor p;
  p.rule = static_cast<SizeRule>(from.rule());
  p.resampling.filter = static_cast<Filter>(from.filter());
  p.resampling.bits = from.torch_weights() ? WeightBits::kTorch : WeightBits::kPillow;
  p.patch = from.patch();
  p.merge = from.merge();
  p.order = from.channels_first() ? PatchOrder::kChannels : PatchOrder::kPixels;
  p.merged_in_turn = from.merged_in_turn();
  p.tile = from.tile();
  p.split = from.split();
  p.thumbnail = from.thumbnail();
  p.min_tiles = from.min_tiles();
  p.max_tiles = from.max_tiles();
  p.longest_edge = from.longest_edge();
  p.min_pixels = from.min_pixels();
  p.max_pixels = from.max_pixels();
  p.max_aspect = from.max_aspect();
  p.fills_row = from.fills_row();
  p.split_from = from.split_from();
  RONDO_RETURN_IF_ERROR(ReadThree("mean", from.mean(), p.mean));
  RONDO_RETURN_IF_ERROR(ReadThree("std", from.std(), p.std));
  RONDO_RETURN_IF_ERROR(CheckImageProcessor(p));
  return p;
}

// Bounds in rows of the text's become bounds in pixels.
Status SetTokens(const ImageOptions& options, ImageProcessor* p) {
  if (options.min_tokens == 0 && options.max_tokens == 0) return Status();
  const bool has_min = p->rule == SizeRule::kBetween || p->rule == SizeRule::kBetweenOrGrid;
  if (!has_min && p->rule != SizeRule::kBudget) {
    const bool is_max = options.max_tokens > 0;
    return Status::Error(StatusCode::kUnsupported,
                         "image option %s is %u, but the number of rows of this model's pictures "
                         "cannot be chosen",
                         is_max ? "max_tokens" : "min_tokens",
                         is_max ? options.max_tokens : options.min_tokens);
  }
  if (options.min_tokens > 0 && !has_min) {
    return Status::Error(StatusCode::kUnsupported,
                         "image option min_tokens is %u, but each picture of this model has about "
                         "max_tokens",
                         options.min_tokens);
  }
  const uint64_t pixels = uint64_t{p->patch} * p->patch * p->merge * p->merge;
  if (options.max_tokens > 0) {
    p->max_pixels = options.max_tokens * pixels;
    p->min_pixels = std::min(p->min_pixels, p->max_pixels);
  }
  if (options.min_tokens > 0) p->min_pixels = options.min_tokens * pixels;
  constexpr uint64_t kMost = uint64_t{1} << 30;
  if (p->max_pixels > kMost) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "image option max_tokens is %u, but must be at most %llu for %llu pixels",
                         options.max_tokens, ull{kMost / pixels}, ull{kMost});
  }
  if (p->min_pixels > p->max_pixels) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "image option min_tokens is %u, but must be at most max_tokens, %llu",
                         options.min_tokens, ull{p->max_pixels / pixels});
  }
  return Status();
}

uint64_t Size(const flatbuffers::Vector<uint32_t>* ids) { return ids == nullptr ? 0 : ids->size(); }

// `side`: pixels of a row of the text's.
uint64_t CountRuns(const format::PictureText& text, const ImageLayout& layout, uint32_t side) {
  if (Size(text.between_rows()) == 0) return layout.all_tiles();
  return layout.tiles() * (layout.size_of(0).height / side) + layout.whole.height / side;
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
  if (layout.has_whole()) {
    n += Size(layout.tiles() > 0 ? text.before_whole() : text.before_only());
  }
  return n + (runs - layout.all_tiles()) * Size(text.between_rows());
}

}  // namespace

Result<ImageProcessor> ProcessorOf(const ModelFile& model, const ImageOptions& options) {
  if (model.model().vision() == nullptr) {
    return Status::Error(
        StatusCode::kUnsupported,
        "this model reads texts alone; if its checkpoint sees pictures, convert it "
        "without --text-only, from a folder with its processor's config, or from "
        "a GGUF file with --mmproj");
  }
  RONDO_ASSIGN(ImageProcessor p, ReadProcessor(*model.model().vision()->tower()->processor()));
  RONDO_RETURN_IF_ERROR(SetTokens(options, &p));
  if (options.one_tile) p.split = false;
  return p;
}

Result<ImageFacts> FactsOfImage(const ModelFile& model, const ImageProcessor& processor,
                                ImageSize size) {
  if (size.width == 0 || size.height == 0 || size.width > kMaxImageSide ||
      size.height > kMaxImageSide) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "a picture is %u x %u pixels, but sides must be 1 to %u", size.width,
                         size.height, kMaxImageSide);
  }
  ImageFacts facts;
  RONDO_ASSIGN(facts.layout, LayOutImage(processor, size));
  const format::Model& vision = *model.model().vision();
  const uint64_t patches = std::max(facts.layout.tile_patches, facts.layout.whole_patches);
  if (patches > vision.context_length()) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "a picture of %u x %u pixels has %llu patches in one tile, but the model "
                         "takes %u",
                         size.width, size.height, ull{patches}, vision.context_length());
  }
  const size_t scratch = CanvasScratchBytes(processor, facts.layout, size);
  if (scratch > kResizeBytes) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "a picture of %u x %u pixels takes %zu bytes to resize, but %zu are "
                         "planned",
                         size.width, size.height, scratch, kResizeBytes);
  }
  const format::PictureText& text = *vision.tower()->text();
  const uint64_t runs = CountRuns(text, facts.layout, processor.patch * processor.merge);
  if (runs > ImageFacts::kMostRuns) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "a picture of %u x %u pixels stands in the text in %llu parts, but must "
                         "be at most %zu",
                         size.width, size.height, ull{runs}, ImageFacts::kMostRuns);
  }
  RONDO_ASSIGN(const uint64_t tokens, CountTokens(text, facts.layout, runs));
  facts.positions = facts.layout.rows + tokens;
  return facts;
}

}  // namespace rondo
