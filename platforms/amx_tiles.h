// Loads and stores of AMX's tiles, `tile` being a literal and `stride` a row's bytes.
#pragma once

#include <immintrin.h>

#include <cstdint>

// GCC's intrinsics take the stride as a long, which is half an address on Windows.
#if defined(_WIN32) && !defined(__clang__)
#define RONDO_TILE_LOAD(tile, from, stride)                         \
  __asm__ volatile("tileloadd\t(%0,%1,1), %%tmm" #tile ::"r"(from), \
                   "r"(static_cast<int64_t>(stride)))
#define RONDO_TILE_STORE(tile, to, stride)                            \
  __asm__ volatile("tilestored\t%%tmm" #tile ", (%0,%1,1)" ::"r"(to), \
                   "r"(static_cast<int64_t>(stride))                  \
                   : "memory")
#else
#define RONDO_TILE_LOAD(tile, from, stride) _tile_loadd(tile, from, stride)
#define RONDO_TILE_STORE(tile, to, stride) _tile_stored(tile, to, stride)
#endif
