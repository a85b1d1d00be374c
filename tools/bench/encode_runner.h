// The measuring of what sees for a model, for each number of threads.
#pragma once

#include "tools/bench/runner.h"

namespace rondo::tools {

// A picture of `options.picture` and random pixels is encoded. Throws Error.
void RunEncodeBench(const BenchModel& model, const BenchOptions& options,
                    const BenchCallbacks& callbacks);

}  // namespace rondo::tools
