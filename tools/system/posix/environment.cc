#include "tools/system/environment.h"

namespace rondo::tools {

const char* const kHomeVariable = "HOME";
const char* const kTemporaryVariable = "TMPDIR";

}  // namespace rondo::tools
