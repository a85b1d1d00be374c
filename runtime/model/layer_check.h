// The checks of what a model's layers ask for: operators that this version has, and tensors of the
// shapes that they need.
#pragma once

#include "rondo_generated.h"
#include "runtime/base/status.h"

namespace rondo {

// All layers, ropes, the final norm, the head, the embedding and the table of positions. The
// tensors have been checked by themselves. `packed`: the file has a layout.
// Errors: kCorrupt, kUnsupported (an operator or a size that this version does not have).
Status CheckLayers(const format::Model& model, bool packed);
// The same of what sees for `whole`, whose tensors it has.
Status CheckVision(const format::Model& whole, bool packed);

}  // namespace rondo
