// Answers calls by a program of the user's.
#pragma once

#include <string>

#include "tools/dialogue/answer.h"

namespace rondo::tools {

// What `command NAME` prints, by the system's shell, with the call's arguments as its standard
// input. Throws Error: no name that a shell takes as it is; it failed, or printed too much;
// Interrupted.
std::string RunCall(const std::string& command, const Call& call);

}  // namespace rondo::tools
