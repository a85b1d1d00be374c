#include "tools/common/context.h"

#include <algorithm>

#include "tools/common/library.h"

namespace rondo::tools {

uint32_t ContextFor(const rondo_model* model, uint64_t tokens) {
  const uint64_t wanted = std::max<uint64_t>(tokens, kUsualContext);
  return static_cast<uint32_t>(std::min<uint64_t>(wanted, Facts(model).context_length));
}

}  // namespace rondo::tools
