// Digest: the number that a hub knows a file by.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include <openssl/evp.h>

namespace rondo::tools {

class Digest {
 public:
  // Of a file in git itself (SHA-1 of "blob SIZE", a zero byte and the file), or in its store for
  // large files (SHA-256 of the file).
  enum class Kind { kGit, kSha256 };
  Digest(Kind kind, uint64_t size);

  void Add(std::string_view bytes);
  // In hexadecimal digits. Once.
  std::string Finish();

 private:
  struct Free {
    void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
  };
  std::unique_ptr<EVP_MD_CTX, Free> context_;
};

}  // namespace rondo::tools
