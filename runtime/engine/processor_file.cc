#include "runtime/engine/processor_file.h"

#include <algorithm>

namespace rondo {

namespace {

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

}  // namespace

Result<ImageProcessor> ReadImageProcessor(const format::ImageProcessor& from) {
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
  p.split_from = from.split_from();
  RONDO_RETURN_IF_ERROR(ReadThree("mean", from.mean(), p.mean));
  RONDO_RETURN_IF_ERROR(ReadThree("std", from.std(), p.std));
  RONDO_RETURN_IF_ERROR(CheckImageProcessor(p));
  return p;
}

}  // namespace rondo
