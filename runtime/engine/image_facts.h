// What becomes of a picture, by its size alone.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/base/status.h"
#include "runtime/media/image_processor.h"
#include "runtime/model/model_file.h"

namespace rondo {

// What of a family's processor a host may choose for a picture; 0: as the model's makers did.
struct ImageOptions {
  uint32_t min_tokens = 0;  // rows in the text, of families that have such bounds
  uint32_t max_tokens = 0;
  bool one_tile = false;  // it is not cut into tiles
};

struct ImageFacts {
  // Runs of rows that lie side by side in the text.
  static constexpr size_t kMostRuns = 512;

  ImageLayout layout;
  uint64_t positions = 0;  // of a text: its rows, and the tokens around them
};

// Memory in which a picture is resized: enough for any that is not much longer than it is wide.
inline constexpr size_t kResizeBytes = 4 << 20;

// Errors: kInvalidArgument (which option), kUnsupported, kCorrupt (which number of the file's
// processor).
Result<ImageProcessor> ProcessorOf(const ModelFile& model, const ImageOptions& options);
// `processor`: the model's. `size`: upright. Error: kInvalidArgument.
Result<ImageFacts> FactsOfImage(const ModelFile& model, const ImageProcessor& processor,
                                ImageSize size);

}  // namespace rondo
