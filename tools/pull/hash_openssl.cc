#include <openssl/evp.h>

#include "tools/common/error.h"
#include "tools/pull/hash.h"

namespace rondo::tools {

struct Hash::State {
  State() : context(EVP_MD_CTX_new()) {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() { EVP_MD_CTX_free(context); }

  EVP_MD_CTX* context;
};

Hash::Hash(Kind kind) : state_(std::make_unique<State>()) {
  const EVP_MD* const method = kind == Kind::kSha1 ? EVP_sha1() : EVP_sha256();
  if (state_->context == nullptr || EVP_DigestInit_ex(state_->context, method, nullptr) != 1) {
    Fail("checksums cannot be computed: the system's libcrypto refuses to");
  }
}

Hash::Hash(Hash&& other) noexcept = default;
Hash& Hash::operator=(Hash&& other) noexcept = default;
Hash::~Hash() = default;

void Hash::Add(std::string_view bytes) {
  EVP_DigestUpdate(state_->context, bytes.data(), bytes.size());
}

std::vector<uint8_t> Hash::Finish() {
  std::vector<uint8_t> digest(EVP_MAX_MD_SIZE);
  unsigned size = 0;
  EVP_DigestFinal_ex(state_->context, digest.data(), &size);
  digest.resize(size);
  return digest;
}

}  // namespace rondo::tools
