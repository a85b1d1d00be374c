// Pictures as the library sees them, and files read from memory.
#pragma once

#include <string>
#include <vector>

#include "runtime/media/image.h"
#include "tools/common/bytes.h"
#include "tools/common/picture_file.h"

namespace rondo {

inline tools::Picture Decoded(const std::string& file) {
  return tools::DecodePicture("the picture", tools::BytesOf(file));
}

// Turned and mirrored.
inline std::vector<uint8_t> UprightPixels(const tools::Picture& picture) {
  Image image;
  image.width = picture.width;
  image.height = picture.height;
  image.planes[0] = {picture.rgb.data(), size_t{picture.width} * 3};
  image.rotation = picture.rotation;
  image.mirror = picture.mirror;
  std::vector<uint8_t> rgb(picture.rgb.size());
  ImageRows(image).Read(UprightSize(image).height, rgb.data());
  return rgb;
}

}  // namespace rondo
