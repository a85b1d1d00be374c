// What Rondo's copy of pthreadpool does otherwise (pthreadpool.cmake puts it there). C11.
//
// A command is open until its caller finds no task left. The caller then waits for the workers that
// joined the command, not for those that the system has not let run since: on a core shared with
// other work that takes milliseconds, for nothing.
#pragma once

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "platforms/cmake/pthreadpool_spin.h"

// A bit of active_threads, which else counts the workers that joined: none joins any more.
#define RONDO_CLOSED (~(SIZE_MAX >> 1))

static inline bool rondo_join_command(_Atomic(size_t)* active_threads) {
  size_t active = atomic_load_explicit(active_threads, memory_order_relaxed);
  while ((active & RONDO_CLOSED) == 0) {
    // Acquires what the caller wrote before it opened the command.
    if (atomic_compare_exchange_weak_explicit(active_threads, &active, active + 1,
                                              memory_order_acquire, memory_order_relaxed)) {
      return true;
    }
  }
  return false;
}

// Whether no worker is at work in the command.
static inline bool rondo_close_command(_Atomic(size_t)* active_threads) {
  return atomic_fetch_or_explicit(active_threads, RONDO_CLOSED, memory_order_acq_rel) == 0;
}

// Counts threads that sleep: `change` is 1 before, -1 behind. Whoever wrote what they wait for asks
// (0) whether there are any; those that come later see what was written.
static inline bool rondo_sleepers(_Atomic(uint32_t)* sleepers, int change) {
  return atomic_fetch_add_explicit(sleepers, (uint32_t)change, memory_order_acq_rel) != 0;
}

// Between two commands a worker offers its core to others, before its time slice ends (3 ms on
// Linux): that would be within a task, for which all wait. `last` is when it last did so, in ns.
static inline void rondo_give_way(uint64_t* last) {
  const uint64_t period = 1500000;
  const uint64_t now = rondo_now();
  if (now - *last < period) return;
  sched_yield();
  *last = now;
}

// Workers are of the class that their creator's work has for the system. Where there are such
// classes, a new thread is else of a lower one than the user's own, on slow cores.
static inline int rondo_create_worker(pthread_t* thread, void* (*run)(void*), void* context) {
#if defined(__APPLE__)
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return -1;
  pthread_attr_set_qos_class_np(&attributes, qos_class_self(), 0);
  const int error = pthread_create(thread, &attributes, run, context);
  pthread_attr_destroy(&attributes);
  return error;
#else
  return pthread_create(thread, NULL, run, context);
#endif
}
