// RONDO_VECTOR_CLONES: a function compiled for several vector widths, chosen when the program
// starts. Only for loops whose results do not depend on the width. Elsewhere it means nothing.
#pragma once

#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define RONDO_VECTOR_CLONES __attribute__((target_clones("default", "avx2", "avx512f")))
#else
#define RONDO_VECTOR_CLONES
#endif
