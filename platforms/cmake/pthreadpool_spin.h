// How long threads of Rondo's copy of pthreadpool wait awake for each other before they sleep
// (pthreadpool.cmake puts it there): about as long as it takes to be woken. C11 and C++.
//
// By the clock, not by a number of pauses: an x86's takes some 40 ns, most ARM cores' one. A
// thousand of theirs are over before the caller has made a row for the next command, and each of a
// token's two hundred commands then wakes sleepers.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#ifdef _WIN32
#include <windows.h>
#else
#include <time.h>
#endif

// In ns.
static inline uint64_t rondo_now(void) {
#ifdef _WIN32
  LARGE_INTEGER ticks, per_second;
  QueryPerformanceCounter(&ticks);
  QueryPerformanceFrequency(&per_second);
  const double now = ticks.QuadPart, second = per_second.QuadPart;
  const uint64_t ns = now / second * 1e9;
  return ns;
#else
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  const uint64_t seconds = time.tv_sec, ns = time.tv_nsec;
  return seconds * 1000000000u + ns;
#endif
}

// Whether to look once more, after `looks` looks. `until` begins as 0.
static inline bool rondo_stays_awake(uint32_t looks, uint64_t* until) {
  if (looks % 64 != 63) return true;  // reading the clock costs as much as some looks
  const uint64_t awake = 50000, now = rondo_now();
  if (*until == 0) *until = now + awake;
  return now < *until;
}
