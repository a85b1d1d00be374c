// How many texts a second a model turns into vectors.
#pragma once

#include "rondo/rondo.h"

namespace rondo::tools {

// Prints a table: 1, 8 and 32 texts at a time, of 64 and 512 random tokens, as far as the model
// takes texts as long. `options`: with threads and KV format.
void MeasureSpeed(rondo_model* model, const rondo_engine_options& options);

}  // namespace rondo::tools
