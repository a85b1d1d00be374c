// ThreadPool: runs independent tasks on a fixed set of threads: pthreadpool's, or the host's own.
#pragma once

#include <cstddef>
#include <cstdint>

#include "platforms/cpu_set.h"

namespace rondo {

class HostLanes;

// The host's threads: calls task(context, i) once for each i < count, on any threads and in any
// order, and returns when all have returned. Null: it has none for us.
struct HostPool {
  void (*parallel_for)(void* user, size_t count, void (*task)(void* context, size_t i),
                       void* context) = nullptr;
  void* user = nullptr;
};

// One caller at a time. Workers sleep between Runs that end a burst (see Run).
class ThreadPool {
 public:
  // `threads` counts the caller. Where the system refuses some, the pool has those that could be
  // started; nullptr where it refuses memory. Workers block all signals but those of their own
  // faults, and keep to `cpus` where there are any and the system lets them. With a pool of the
  // host none is started: `threads` are then the most tasks at a time.
  static ThreadPool* Create(size_t threads, const HostPool& host = {}, const CpuSet& cpus = {});
  // In a child of fork(), where there are no workers, it waits for none.
  static void Destroy(ThreadPool* pool);

  size_t threads() const { return threads_; }
  // Tasks run on the host's threads.
  bool is_host() const { return host_ != nullptr; }
  // How many times the host's pool did not do what it must; the work was done all the same.
  uint64_t host_faults() const;

  // Calls task(context, i, thread) once for each i < count, on any thread < threads(), in any
  // order, and returns when all are done. `last` ends a burst of Runs: workers then sleep instead
  // of waiting awake for the next. One task runs on the caller's thread without a barrier. With
  // a pool of the host `thread` is a number that no two tasks have at the same time.
  void Run(size_t count, void (*task)(void* context, size_t i, size_t thread), void* context,
           bool last = false);

  // The same for a callable with operator()(size_t i, size_t thread).
  template <typename Callable>
  void For(size_t count, const Callable& callable, bool last = false) {
    Run(
        count,
        [](void* context, size_t i, size_t thread) {
          (*static_cast<const Callable*>(context))(i, thread);
        },
        const_cast<Callable*>(&callable), last);
  }

 private:
  void* pool_ = nullptr;
  HostLanes* host_ = nullptr;
  size_t threads_ = 1;
  uint64_t process_ = 0;
};

}  // namespace rondo
