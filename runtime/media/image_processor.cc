#include "runtime/media/image_processor.h"

#include <cmath>

#include "runtime/media/image.h"

namespace rondo {
namespace {

constexpr uint64_t kMaxPixels = uint64_t{1} << 30;
constexpr uint32_t kMaxFactor = 1024;
constexpr uint32_t kMaxTiles = 256;

Status InRange(const char* what, uint64_t value, uint64_t least, uint64_t most) {
  if (value >= least && value <= most) return Status();
  return Status::Error(
      StatusCode::kCorrupt, "the image processor's %s is %llu, and may be %llu to %llu", what,
      static_cast<unsigned long long>(value), static_cast<unsigned long long>(least),
      static_cast<unsigned long long>(most));
}

template <typename Enum>
Status InRange(const char* what, Enum value, Enum last) {
  return InRange(what, static_cast<uint64_t>(value), 0, static_cast<uint64_t>(last));
}

Status CheckTiles(const ImageProcessor& p) {
  RONDO_RETURN_IF_ERROR(InRange("tile", p.tile, p.patch * p.merge, kMaxImageSide));
  if (p.tile / p.patch % p.merge != 0) {
    return Status::Error(StatusCode::kCorrupt,
                         "the image processor's tile has %u patches a side, expected a multiple of "
                         "the %u that become one row",
                         p.tile / p.patch, p.merge);
  }
  if (p.rule != SizeRule::kGrid && p.rule != SizeRule::kBetweenOrGrid) return Status();
  RONDO_RETURN_IF_ERROR(InRange("largest number of tiles", p.max_tiles, 1, kMaxTiles));
  RONDO_RETURN_IF_ERROR(InRange("least number of tiles", p.min_tiles, 1, p.max_tiles));
  return Status();
}

Status CheckPixels(const ImageProcessor& p) {
  const uint64_t factor = p.patch * p.merge;
  RONDO_RETURN_IF_ERROR(
      InRange("largest number of pixels", p.max_pixels, factor * factor, kMaxPixels));
  RONDO_RETURN_IF_ERROR(InRange("least number of pixels", p.min_pixels, 0, p.max_pixels));
  if (!(p.split_from >= 1 && p.split_from <= kMaxTiles)) {
    return Status::Error(StatusCode::kCorrupt,
                         "the image processor splits from %g times the largest number of pixels",
                         p.split_from);
  }
  return Status();
}

}  // namespace

Status CheckImageProcessor(const ImageProcessor& p) {
  RONDO_RETURN_IF_ERROR(InRange("size rule", p.rule, SizeRule::kBetweenOrGrid));
  RONDO_RETURN_IF_ERROR(InRange("filter", p.resampling.filter, Filter::kLanczos));
  RONDO_RETURN_IF_ERROR(InRange("kind of weights", p.resampling.bits, WeightBits::kTorch));
  RONDO_RETURN_IF_ERROR(InRange("order of values", p.order, PatchOrder::kChannels));
  RONDO_RETURN_IF_ERROR(InRange("patch", p.patch, 1, kMaxFactor));
  RONDO_RETURN_IF_ERROR(
      InRange("number of merged patches a side", p.merge, 1, kMaxFactor / p.patch));
  for (size_t c = 0; c < kChannels; ++c) {
    if (!std::isfinite(p.mean[c]) || !std::isfinite(p.std[c]) || !(p.std[c] > 0)) {
      return Status::Error(StatusCode::kCorrupt,
                           "the image processor's mean and std of channel %zu are %g and %g", c,
                           p.mean[c], p.std[c]);
    }
  }
  if (p.has_tiles()) RONDO_RETURN_IF_ERROR(CheckTiles(p));
  switch (p.rule) {
    case SizeRule::kSquare:
    case SizeRule::kGrid:
      break;
    case SizeRule::kBudget:
    case SizeRule::kBetween:
    case SizeRule::kBetweenOrGrid:
      return CheckPixels(p);
    case SizeRule::kLongestEdge:
    case SizeRule::kLongestEdgeTiles:
      return InRange("longest edge", p.longest_edge, 1, kMaxImageSide);
  }
  return Status();
}

}  // namespace rondo
