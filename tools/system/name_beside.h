// NameBeside: what a file is called until it is whole.
#pragma once

#include <filesystem>

namespace rondo::tools {

// TARGET.partial-PROCESS, in the target's folder. File systems have names of a certain length only:
// of a long one its beginning stands there, with a number that all of it makes.
std::filesystem::path NameBeside(const std::filesystem::path& target);

}  // namespace rondo::tools
