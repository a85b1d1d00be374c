// Digest: the number that a hub knows a file by.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tools/pull/hash.h"

namespace rondo::tools {

class Digest {
 public:
  // Of a file in git itself (SHA-1 of "blob SIZE", a zero byte and the file), or in its store for
  // large files (SHA-256 of the file).
  enum class Kind { kGit, kSha256 };
  Digest(Kind kind, uint64_t size);

  void Add(std::string_view bytes) { hash_.Add(bytes); }
  // In hexadecimal digits. Once.
  std::string Finish();

 private:
  Hash hash_;
};

}  // namespace rondo::tools
