// The checkpoint in tests/data/seeing as llama.cpp's converter makes two GGUF files of it: the
// text's model, and what sees for it.
#pragma once

#include <cstdint>
#include <string>

#include "tests/tools/convert/sources/gguf/gguf_writer.h"

namespace rondo::convert {

GgufWriter SeeingText();

struct SeeingMmproj {
  std::string projector = "idefics3";
  uint32_t width = 64;  // the text's hidden size
  uint32_t image_size = 32, patch_size = 8, scale_factor = 2;
  uint32_t hidden = 32, n_layers = 2, n_heads = 2;
  bool sees = true;
  bool is_swapped = false;  // up and down are called by each other's name, as in older files
  float epsilon = 1e-6f;

  GgufWriter Keys() const;
  GgufWriter Whole() const;
};

}  // namespace rondo::convert
