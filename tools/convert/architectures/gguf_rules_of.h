// From an architecture's row to what a GGUF file of it is read by.
#pragma once

#include "tools/convert/sources/gguf/gguf_rules.h"

namespace rondo::convert {

// Of the file's architecture. Throws Error naming it and those known.
GgufRules GgufRulesOf(const GgufKeys& keys);

}  // namespace rondo::convert
