// Glob: a shell's pattern for names: * is any text, with slashes, ? any character, [a-z] one of
// these.
#pragma once

#include <string>

namespace rondo::tools {

// What is no pattern ("[") matches itself alone.
bool GlobMatches(const std::string& pattern, const std::string& name);

}  // namespace rondo::tools
