// Text in: what is waited for ends with an interruption, too.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace rondo::tools {

// What has come on standard input since the last call, at least a byte; empty at the end. Throws
// Error or Interrupted, as those below do.
std::string ReadInput();
// All of it.
std::string ReadAllInput();

// The lines of all of it, without what ends them and a byte order mark. Throws Error where it is no
// UTF-8.
std::vector<std::string> ReadLines();

// A whole file or pipe, of at most `most` bytes. `what` names it in the error: "the text". `look`
// sees the bytes up to each piece as it comes, and throws Error where no more need be read.
std::string ReadFile(const std::string& what, const std::string& path, uint64_t most = UINT64_MAX,
                     const std::function<void(std::string_view)>& look = nullptr);
// The same of a text for programs, which must be UTF-8: Error says where it is not. A byte order
// mark is no part of it.
std::string ReadTextFile(const std::string& what, const std::string& path);

}  // namespace rondo::tools
