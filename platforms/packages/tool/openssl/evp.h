/* What the program asks of libcrypto, by Mbed TLS, which is a tenth of it: for the program that is one static
 * file. tool_libraries.sh puts it where the compiler looks. */
#pragma once

#include <mbedtls/md.h>
#include <stdlib.h>

#define EVP_MAX_MD_SIZE MBEDTLS_MD_MAX_SIZE
typedef mbedtls_md_context_t EVP_MD_CTX;
typedef mbedtls_md_info_t EVP_MD;

static inline const EVP_MD* EVP_sha1(void) { return mbedtls_md_info_from_type(MBEDTLS_MD_SHA1); }
static inline const EVP_MD* EVP_sha256(void) { return mbedtls_md_info_from_type(MBEDTLS_MD_SHA256); }

static inline EVP_MD_CTX* EVP_MD_CTX_new(void) {
  EVP_MD_CTX* const context = (EVP_MD_CTX*)malloc(sizeof(EVP_MD_CTX));
  if (context) mbedtls_md_init(context);
  return context;
}

static inline void EVP_MD_CTX_free(EVP_MD_CTX* context) {
  mbedtls_md_free(context);
  free(context);
}

static inline int EVP_DigestInit_ex(EVP_MD_CTX* context, const EVP_MD* kind, const void* engine) {
  (void)engine;
  return mbedtls_md_setup(context, kind, 0) == 0 && mbedtls_md_starts(context) == 0;
}

static inline int EVP_DigestUpdate(EVP_MD_CTX* context, const void* bytes, size_t count) {
  return mbedtls_md_update(context, (const unsigned char*)bytes, count) == 0;
}

static inline int EVP_DigestFinal_ex(EVP_MD_CTX* context, unsigned char* digest, unsigned* size) {
  *size = mbedtls_md_get_size(mbedtls_md_info_from_ctx(context));
  return mbedtls_md_finish(context, digest) == 0;
}
