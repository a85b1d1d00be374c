#include "tools/system/environment.h"

namespace rondo::tools {

const char* const kHomeVariable = "USERPROFILE";
const char* const kTemporaryVariable = "TMP";

}  // namespace rondo::tools
