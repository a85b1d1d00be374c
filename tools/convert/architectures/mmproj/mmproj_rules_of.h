#pragma once

#include "tools/convert/sources/gguf/mmproj_rules.h"

namespace rondo::convert {

// The rules of what sees in a mmproj of llama.cpp: a FindMmprojRules.
MmprojRules MmprojRulesOf(const GgufKeys& keys);

}  // namespace rondo::convert
