// ImageProcessor: how a family makes patches of a picture, as data. The runtime knows rules and no
// families: one struct holds all that sizes, pixels and their order depend on.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/base/status.h"
#include "runtime/media/axis_weights.h"
#include "runtime/media/row_source.h"

namespace rondo {

// What size a picture is resized to, and whether it is cut into tiles first.
enum class SizeRule : uint8_t {
  kSquare,            // stretched to one tile (Gemma 3, PaliGemma)
  kBudget,            // as large as the budget of pixels allows, whatever its own size (Gemma 4)
  kBetween,           // about its own size, between two numbers of pixels (Qwen)
  kLongestEdge,       // its own size, or smaller (Pixtral, Mistral 3)
  kLongestEdgeTiles,  // enlarged to a longest edge, then to whole tiles (Idefics 3, SmolVLM)
  kGrid,              // the grid of tiles whose shape is nearest to its own (InternVL)
  kBetweenOrGrid,     // as kBetween, or where it is much larger as kGrid (LFM2-VL)
};

enum class PatchOrder : uint8_t {
  kPixels,    // (y, x, channel)
  kChannels,  // (channel, y, x)
};

struct ImageProcessor {
  SizeRule rule = SizeRule::kSquare;
  Resampling resampling;
  uint32_t patch = 0;  // pixels a side
  uint32_t merge = 1;  // patches a side that become one row of the text's
  PatchOrder order = PatchOrder::kPixels;
  bool merged_in_turn = false;  // patches that become one row stand one behind another
  uint32_t tile = 0;            // pixels a side: kSquare, and where there are tiles
  bool split = true;            // into tiles, where the rule would
  bool thumbnail = true;        // the whole picture behind the tiles of a grid
  uint32_t min_tiles = 1;       // of a grid
  uint32_t max_tiles = 1;
  uint32_t longest_edge = 0;
  uint64_t min_pixels = 0;      // kBetween, kBetweenOrGrid
  uint64_t max_pixels = 0;      // there, and the budget
  uint32_t max_aspect = 0;      // of a longer picture; 0: any, and a short side is a row at least
  bool fills_row = false;       // kBetween: what is too small for a row counts as enlarged to one
  double split_from = 1;        // kBetweenOrGrid: a grid for more than this times max_pixels
  double mean[kChannels] = {};  // a value is (byte / 255 - mean) / std
  double std[kChannels] = {1, 1, 1};

  // What it sees has the size of a tile, as a whole or in parts; of other rules `tile` says
  // nothing.
  bool has_tiles() const {
    return rule == SizeRule::kSquare || rule == SizeRule::kLongestEdgeTiles ||
           rule == SizeRule::kGrid || rule == SizeRule::kBetweenOrGrid;
  }
};

// Whether numbers from a file make sense. Error: kCorrupt, which number, and its bounds.
Status CheckImageProcessor(const ImageProcessor& processor);

// What becomes of a picture: tiles, row by row, then the whole of it.
struct ImageLayout {
  ImageSize first;              // what it is resized to before all else; 0 x 0: nothing
  ImageSize tiled;              // what tiles are cut from; 0 x 0 where there are none
  ImageSize whole;              // 0 x 0 where there is none
  bool whole_of_tiled = false;  // it is made of the pixels of the tiles
  uint32_t tile_columns = 0;
  uint32_t tile_rows = 0;
  uint64_t tile_patches = 0;   // of one
  uint64_t whole_patches = 0;  // a row of the tower each
  uint64_t rows = 0;           // of the text's

  uint64_t tiles() const { return uint64_t{tile_columns} * tile_rows; }
  bool has_whole() const { return whole.width > 0; }
  // With the whole, which counts as one more tile, the last.
  uint64_t all_tiles() const { return tiles() + (has_whole() ? 1 : 0); }
  ImageSize size_of(uint64_t tile) const {
    if (tile == tiles()) return whole;
    return {tiled.width / tile_columns, tiled.height / tile_rows};
  }
  uint64_t patches() const { return tiles() * tile_patches + whole_patches; }
};

// `processor` has passed CheckImageProcessor. Error: kInvalidArgument, where the family takes no
// picture of this size.
Result<ImageLayout> LayOutImage(const ImageProcessor& processor, ImageSize size);

}  // namespace rondo
