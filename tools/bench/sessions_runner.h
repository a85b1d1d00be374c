// The measuring of many sessions: those tests that the options ask for, for each number of threads.
#pragma once

#include "tools/bench/runner.h"

namespace rondo::tools {

// `options.sessions`: sessions side by side, a prompt beside one that decodes, two callers;
// `fork`, `prefix`, `snapshot`: these. Sessions have prompt_tokens before they decode
// decode_tokens, each at least 1. What is compared takes turns. Throws Error.
void RunSessionsBench(const BenchModel& model, const BenchOptions& options,
                      const BenchCallbacks& callbacks);

}  // namespace rondo::tools
