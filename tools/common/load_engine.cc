#include "tools/common/load_engine.h"

#include <iostream>

#include <unistd.h>

#include "tools/common/progress_bar.h"

namespace rondo::tools {

Engine LoadEngine(rondo_model* model, rondo_engine_options options) {
  if (isatty(STDERR_FILENO) == 0) return CreateEngine(model, options);
  ProgressBar bar(std::cerr, true);
  options.progress = [](void* bar, uint64_t done, uint64_t total) -> int32_t {
    static_cast<ProgressBar*>(bar)->Update(done, total);
    return 0;
  };
  options.progress_user = &bar;
  return CreateEngine(model, options);
}

}  // namespace rondo::tools
