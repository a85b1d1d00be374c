// How many texts a second a model turns into vectors.
#pragma once

#include "tools/common/library.h"

namespace rondo::tools {

// Prints a table: 1, 8 and 32 texts at a time, of 64 and 512 random tokens, as far as the model
// takes texts as long. `options`: with threads and KV format.
void MeasureSpeed(const Model& model, const EngineOptions& options);

}  // namespace rondo::tools
