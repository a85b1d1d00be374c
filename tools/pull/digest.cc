#include "tools/pull/digest.h"

#include "tools/common/error.h"

namespace rondo::tools {

Digest::Digest(Kind kind, uint64_t size) : context_(EVP_MD_CTX_new()) {
  const EVP_MD* const method = kind == Kind::kGit ? EVP_sha1() : EVP_sha256();
  if (context_ == nullptr || EVP_DigestInit_ex(context_.get(), method, nullptr) != 1) {
    Fail("checksums cannot be computed: the system's libcrypto refuses to");
  }
  if (kind == Kind::kGit) {
    Add("blob " + std::to_string(size));
    Add(std::string(1, '\0'));
  }
}

void Digest::Add(std::string_view bytes) {
  EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size());
}

std::string Digest::Finish() {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  EVP_DigestFinal_ex(context_.get(), digest, &size);
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (unsigned i = 0; i < size; ++i) {
    text += kDigits[digest[i] >> 4];
    text += kDigits[digest[i] & 15];
  }
  return text;
}

}  // namespace rondo::tools
