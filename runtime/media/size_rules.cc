// The rules by which image processors choose sizes, in the order of their own operations: where
// doubles are rounded decides what a side is.
#include <algorithm>
#include <cmath>

#include "runtime/base/checked.h"
#include "runtime/media/image.h"
#include "runtime/media/image_processor.h"

namespace rondo {
namespace {

// A side in pixels; doubles hold all that a rule may come to.
struct Sides {
  double width = 0;
  double height = 0;
};

double RoundHalfToEven(double x) {
  const double floor = std::floor(x);
  if (x - floor != 0.5) return std::floor(x + 0.5);
  return std::fmod(floor, 2) == 0 ? floor : floor + 1;
}

double UpTo(double side, double factor) { return std::ceil(side / factor) * factor; }
double DownTo(double side, double factor) { return std::floor(side / factor) * factor; }
double NearestTo(double side, double factor) { return RoundHalfToEven(side / factor) * factor; }

double Factor(const ImageProcessor& p) { return static_cast<double>(p.patch * p.merge); }

// What the rule takes for the picture's own size.
Sides OwnSides(const ImageProcessor& p, ImageSize size) {
  const Sides own = {static_cast<double>(size.width), static_cast<double>(size.height)};
  const double factor = Factor(p);
  if (!p.fills_row || (own.width >= factor && own.height >= factor)) return own;
  const double scale = std::max(factor / own.height, factor / own.width);
  return {std::floor(own.width * scale), std::floor(own.height * scale)};
}

Sides Budget(const ImageProcessor& p, ImageSize size) {
  const double factor = Factor(p);
  const double width = size.width;
  const double height = size.height;
  const double scale = std::sqrt(static_cast<double>(p.max_pixels) / (width * height));
  Sides to = {DownTo(scale * width, factor), DownTo(scale * height, factor)};
  const double longest = std::floor(static_cast<double>(p.max_pixels) / (factor * factor)) * factor;
  if (to.height == 0) {
    to = {std::min(std::floor(width / height) * factor, longest), factor};
  } else if (to.width == 0) {
    to = {factor, std::min(std::floor(height / width) * factor, longest)};
  }
  return to;
}

Sides Between(const ImageProcessor& p, ImageSize size) {
  const double factor = Factor(p);
  const double least = p.max_aspect == 0 ? factor : 0;
  const auto [width, height] = OwnSides(p, size);
  const auto min_pixels = static_cast<double>(p.min_pixels);
  const auto max_pixels = static_cast<double>(p.max_pixels);
  const Sides to = {std::max(NearestTo(width, factor), least),
                    std::max(NearestTo(height, factor), least)};
  if (to.width * to.height > max_pixels) {
    const double shrink = std::sqrt(height * width / max_pixels);
    return {std::max(factor, DownTo(width / shrink, factor)),
            std::max(factor, DownTo(height / shrink, factor))};
  }
  if (to.width * to.height < min_pixels) {
    const double grow = std::sqrt(min_pixels / (height * width));
    return {UpTo(width * grow, factor), UpTo(height * grow, factor)};
  }
  return to;
}

Sides LongestEdge(const ImageProcessor& p, ImageSize size) {
  Sides to = {static_cast<double>(size.width), static_cast<double>(size.height)};
  const double edge = p.longest_edge;
  const double ratio = std::max(to.height / edge, to.width / edge);
  if (ratio > 1) to = {std::floor(to.width / ratio), std::floor(to.height / ratio)};
  return {UpTo(to.width, Factor(p)), UpTo(to.height, Factor(p))};
}

double Even(double side) { return std::fmod(side, 2) == 0 ? side : side + 1; }

// The longest side becomes `longest_edge`.
Sides Scaled(const ImageProcessor& p, ImageSize size) {
  const double aspect = static_cast<double>(size.width) / size.height;
  const double edge = p.longest_edge;
  const Sides to = size.width >= size.height ? Sides{edge, Even(std::floor(edge / aspect))}
                                             : Sides{Even(std::floor(edge * aspect)), edge};
  return {std::max(to.width, 1.0), std::max(to.height, 1.0)};
}

Sides WholeTiles(const ImageProcessor& p, Sides scaled) {
  const double aspect = scaled.width / scaled.height;
  const double tile = p.tile;
  if (scaled.width >= scaled.height) {
    const double width = UpTo(scaled.width, tile);
    return {width, UpTo(std::floor(width / aspect), tile)};
  }
  const double height = UpTo(scaled.height, tile);
  return {UpTo(std::floor(height * aspect), tile), height};
}

struct Grid {
  uint32_t columns = 1;
  uint32_t rows = 1;
};

// The grid whose shape is nearest to the picture's. Of those equally near the larger one, unless
// half of it is more than the picture has. Grids are tried by their number of tiles; processors
// differ in which of one number comes first, which no picture shows where 4 tiles may be more.
Grid NearestGrid(const ImageProcessor& p, ImageSize size) {
  const double aspect = static_cast<double>(size.width) / size.height;
  const double area = static_cast<double>(size.width) * size.height;
  const double tile_area = static_cast<double>(p.tile) * p.tile;
  Grid best;
  double nearest = HUGE_VAL;
  for (uint32_t tiles = p.min_tiles; tiles <= p.max_tiles; ++tiles) {
    for (uint32_t columns = 1; columns <= tiles; ++columns) {
      if (tiles % columns != 0) continue;
      const Grid grid = {columns, tiles / columns};
      const double away = std::abs(aspect - static_cast<double>(grid.columns) / grid.rows);
      if (away < nearest || (away == nearest && area > 0.5 * tile_area * tiles)) best = grid;
      nearest = std::min(nearest, away);
    }
  }
  return best;
}

class LayoutMaker {
 public:
  LayoutMaker(const ImageProcessor& processor, ImageSize size) : p_(processor), size_(size) {}

  Result<ImageLayout> Run() {
    RONDO_RETURN_IF_ERROR(CheckAspect());
    switch (p_.rule) {
      case SizeRule::kSquare:
        RONDO_RETURN_IF_ERROR(SetWhole(Tile()));
        break;
      case SizeRule::kBudget:
        RONDO_RETURN_IF_ERROR(SetWhole(Budget(p_, size_)));
        break;
      case SizeRule::kBetween:
        RONDO_RETURN_IF_ERROR(SetWhole(Between(p_, size_)));
        break;
      case SizeRule::kLongestEdge:
        RONDO_RETURN_IF_ERROR(SetWhole(LongestEdge(p_, size_)));
        break;
      case SizeRule::kLongestEdgeTiles:
        RONDO_RETURN_IF_ERROR(SetLongestEdgeTiles());
        break;
      case SizeRule::kGrid:
        RONDO_RETURN_IF_ERROR(SetGrid(Tile()));
        break;
      case SizeRule::kBetweenOrGrid:
        RONDO_RETURN_IF_ERROR(IsLarge() ? SetGrid(Between(p_, size_))
                                        : SetWhole(Between(p_, size_)));
        break;
    }
    const uint64_t tile_rows = uint64_t{Across(p_.tile)} * Across(p_.tile);
    const uint64_t tile_patches = uint64_t{p_.tile / p_.patch} * (p_.tile / p_.patch);
    const ImageSize whole = layout_.whole;
    layout_.tile_patches = layout_.tiles() == 0 ? 0 : tile_patches;
    layout_.whole_patches = uint64_t{whole.width / p_.patch} * (whole.height / p_.patch);
    layout_.rows =
        layout_.tiles() * tile_rows + uint64_t{Across(whole.width)} * Across(whole.height);
    return layout_;
  }

 private:
  Sides Tile() const { return {static_cast<double>(p_.tile), static_cast<double>(p_.tile)}; }
  // Rows of the text's along a side.
  uint32_t Across(uint32_t side) const { return side / p_.patch / p_.merge; }

  Status CheckAspect() const {
    const auto [width, height] = OwnSides(p_, size_);
    const double longer = std::max(width, height);
    const double shorter = std::min(width, height);
    if (p_.max_aspect == 0 || longer / shorter <= p_.max_aspect) return Status();
    return Status::Error(StatusCode::kInvalidArgument,
                         "the model takes pictures up to %u times as long as wide, and this one is "
                         "%u x %u",
                         p_.max_aspect, size_.width, size_.height);
  }

  Status Set(Sides sides, ImageSize* size) const {
    if (!(sides.width >= 1 && sides.height >= 1 && sides.width <= kMaxImageSide &&
          sides.height <= kMaxImageSide)) {
      return Status::Error(StatusCode::kInvalidArgument,
                           "a picture of %u x %u pixels would be resized to %.0f x %.0f; sides may "
                           "be 1 to %u",
                           size_.width, size_.height, sides.width, sides.height, kMaxImageSide);
    }
    *size = {static_cast<uint32_t>(sides.width), static_cast<uint32_t>(sides.height)};
    return Status();
  }
  Status SetWhole(Sides sides) { return Set(sides, &layout_.whole); }

  Status SetTiled(Sides sides) {
    RONDO_RETURN_IF_ERROR(Set(sides, &layout_.tiled));
    layout_.tile_columns = layout_.tiled.width / p_.tile;
    layout_.tile_rows = layout_.tiled.height / p_.tile;
    return Status();
  }

  Status SetLongestEdgeTiles() {
    const Sides scaled = Scaled(p_, size_);
    RONDO_RETURN_IF_ERROR(Set(scaled, &layout_.first));
    const Sides tiled = WholeTiles(p_, scaled);
    if (p_.split && (tiled.width > p_.tile || tiled.height > p_.tile)) {
      RONDO_RETURN_IF_ERROR(SetTiled(tiled));
      layout_.whole_of_tiled = true;
    }
    return SetWhole(Tile());
  }

  bool IsLarge() const {
    const double patch = p_.patch;
    const double width = std::max(NearestTo(size_.width, Factor(p_)), patch);
    const double height = std::max(NearestTo(size_.height, Factor(p_)), patch);
    return width * height > static_cast<double>(p_.max_pixels) * p_.split_from;
  }

  // `whole`: what is behind the tiles, or where there are none the picture.
  Status SetGrid(Sides whole) {
    if (!p_.split || p_.max_tiles == 1) return SetWhole(whole);
    const Grid grid = NearestGrid(p_, size_);
    if (grid.columns * grid.rows == 1) return SetWhole(Tile());
    const double tile = p_.tile;
    RONDO_RETURN_IF_ERROR(SetTiled({grid.columns * tile, grid.rows * tile}));
    return p_.thumbnail ? SetWhole(whole) : Status();
  }

  const ImageProcessor& p_;
  const ImageSize size_;
  ImageLayout layout_;
};

}  // namespace

Result<ImageLayout> LayOutImage(const ImageProcessor& processor, ImageSize size) {
  return LayoutMaker(processor, size).Run();
}

}  // namespace rondo
