// A pool of the caller's thread and of the workers that there are when it is made. No host's pool
// comes here: a function of JavaScript has no address in the module.
#include "platforms/thread_pool.h"

#include <algorithm>
#include <new>

#include "platforms/wasi/threads/workers.h"

namespace rondo {

ThreadPool* ThreadPool::Create(size_t threads, const HostPool& /*host*/, const CpuSet& /*cpus*/) {
  ThreadPool* const pool = new (std::nothrow) ThreadPool;
  if (pool != nullptr) pool->threads_ = std::min<size_t>(threads, CountWorkers() + 1);
  return pool;
}

void ThreadPool::Destroy(ThreadPool* pool) { delete pool; }

uint64_t ThreadPool::host_faults() const { return 0; }

void ThreadPool::Run(size_t count, void (*task)(void*, size_t, size_t), void* context,
                     bool /*last*/) {
  if (threads_ > 1 && count > 1) return RunWithWorkers(threads_, count, task, context);
  for (size_t i = 0; i < count; ++i) task(context, i, 0);
}

}  // namespace rondo
