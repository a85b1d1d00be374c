// LoadEngine: an engine, and meanwhile something to look at.
#pragma once

#include "tools/common/library.h"

namespace rondo::tools {

// With a bar on standard error while the weights are packed, where that is a terminal. Throws as
// CreateEngine.
Engine LoadEngine(rondo_model* model, rondo_engine_options options);

}  // namespace rondo::tools
