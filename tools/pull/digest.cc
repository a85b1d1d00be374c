#include "tools/pull/digest.h"

namespace rondo::tools {

Digest::Digest(Kind kind, uint64_t size)
    : hash_(kind == Kind::kGit ? Hash::Kind::kSha1 : Hash::Kind::kSha256) {
  if (kind == Kind::kGit) {
    Add("blob " + std::to_string(size));
    Add(std::string(1, '\0'));
  }
}

std::string Digest::Finish() {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const uint8_t byte : hash_.Finish()) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

}  // namespace rondo::tools
