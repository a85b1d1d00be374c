// CheckWritten: what was written is read back before it gets its name.
#pragma once

#include <filesystem>

namespace rondo::convert {

// Opens the file as the runtime does and compares every checksum; needs memory for a piece of it.
// Throws Error.
void CheckWritten(const std::filesystem::path& path);

}  // namespace rondo::convert
