// PromptPictures: the pictures that a prompt is given on the command line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tools/common/library.h"
#include "tools/common/sight.h"

namespace rondo::tools {

struct PicturesWish {
  std::vector<std::string> files;
  ImageOptions options;
};

class PromptPictures {
 public:
  // Reads the files, and looks what becomes of them. Throws Error: no picture, or the model does
  // not see.
  PromptPictures(const Model& model, const PicturesWish& wish);

  bool empty() const { return pictures_.empty(); }
  // Of all pictures, for max_media_rows.
  uint32_t rows() const { return rows_; }
  // The token that stands for one in what Tokenize gives; -1: the model does not see.
  int32_t token() const { return token_; }

  // The ids of a prompt that has the text of a picture's token for each picture; where it has none
  // they stand in front. Throws Error as CheckPlaces.
  std::vector<int32_t> Tokenize(std::string_view prompt, bool add_special) const;
  // Throws Error where the ids have not as many places as there are pictures, which may be none.
  void CheckPlaces(const std::vector<int32_t>& ids) const;
  // That these ids take of the context.
  uint64_t PositionsOf(const std::vector<int32_t>& ids) const;

  // To be called once; pixels are then gone.
  void Encode(const Engine& engine);
  const std::vector<Media>& media() const { return media_; }

 private:
  size_t CountPlaces(const std::vector<int32_t>& ids) const;

  const Model& model_;
  const ImageOptions options_;
  const int32_t token_;
  std::vector<Picture> pictures_;
  std::vector<Media> media_;
  uint64_t positions_ = 0;  // of all pictures
  uint32_t rows_ = 0;
};

}  // namespace rondo::tools
