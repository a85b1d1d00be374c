#include <mbedtls/md.h>

#include "tools/common/error.h"
#include "tools/pull/hash.h"

namespace rondo::tools {

struct Hash::State {
  State() { mbedtls_md_init(&context); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() { mbedtls_md_free(&context); }

  mbedtls_md_context_t context;
};

Hash::Hash(Kind kind) : state_(std::make_unique<State>()) {
  const mbedtls_md_info_t* const method =
      mbedtls_md_info_from_type(kind == Kind::kSha1 ? MBEDTLS_MD_SHA1 : MBEDTLS_MD_SHA256);
  if (mbedtls_md_setup(&state_->context, method, 0) != 0 ||
      mbedtls_md_starts(&state_->context) != 0) {
    Fail("checksums cannot be computed: Mbed TLS refuses to");
  }
}

Hash::Hash(Hash&& other) noexcept = default;
Hash& Hash::operator=(Hash&& other) noexcept = default;
Hash::~Hash() = default;

void Hash::Add(std::string_view bytes) {
  mbedtls_md_update(&state_->context, reinterpret_cast<const unsigned char*>(bytes.data()),
                    bytes.size());
}

std::vector<uint8_t> Hash::Finish() {
  std::vector<uint8_t> digest(mbedtls_md_get_size(mbedtls_md_info_from_ctx(&state_->context)));
  mbedtls_md_finish(&state_->context, digest.data());
  return digest;
}

}  // namespace rondo::tools
