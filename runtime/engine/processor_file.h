// The image processor that a model file has for its pictures.
#pragma once

#include "rondo_generated.h"
#include "runtime/base/status.h"
#include "runtime/media/image_processor.h"

namespace rondo {

// Checked. Error: kCorrupt (which number), kUnsupported (a rule that this version lacks).
Result<ImageProcessor> ReadImageProcessor(const format::ImageProcessor& from);

}  // namespace rondo
