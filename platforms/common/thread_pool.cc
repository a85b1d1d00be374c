#include "platforms/thread_pool.h"

#include <pthreadpool.h>

#include <atomic>
#include <new>

#include "platforms/cpu.h"
#include "platforms/host_lanes.h"
#include "platforms/sync.h"
#include "platforms/this_thread.h"
#include "platforms/worker_signals.h"

namespace rondo {

namespace {
struct Call {
  void (*task)(void*, size_t, size_t);
  void* context;
};

void Trampoline(void* call, size_t thread, size_t i) {
  const Call* c = static_cast<const Call*>(call);
  c->task(c->context, i, thread);
}

// Each task waits for the others, so that each runs on a thread of its own; the caller's is left
// alone.
void KeepWorkersTo(const CpuSet& cpus, ThreadPool* pool) {
  std::atomic<size_t> arrived = 0;
  pool->For(
      pool->threads(),
      [&](size_t, size_t thread) {
        if (thread != 0) KeepThisThreadTo(cpus);
        arrived.fetch_add(1);
        while (arrived.load() < pool->threads()) YieldThread();
      },
      true);
}
}  // namespace

ThreadPool* ThreadPool::Create(size_t threads, const HostPool& host, const CpuSet& cpus) {
  ThreadPool* pool = new (std::nothrow) ThreadPool;
  if (pool == nullptr || threads <= 1) return pool;
  if (host.parallel_for != nullptr) {
    pool->threads_ = std::min(threads, HostLanes::kMost);
    pool->host_ = HostLanes::Create(host, pool->threads_);
    if (pool->host_ != nullptr) return pool;
    delete pool;
    return nullptr;
  }
  {
    const WorkerSignals blocked;
    pool->pool_ = pthreadpool_create(threads);
  }
  if (pool->pool_ == nullptr) {
    delete pool;
    return nullptr;
  }
  pool->threads_ = pthreadpool_get_threads_count(static_cast<pthreadpool_t>(pool->pool_));
  pool->process_ = ThisProcess();
  if (cpus.Count() > 0) KeepWorkersTo(cpus, pool);
  return pool;
}

void ThreadPool::Destroy(ThreadPool* pool) {
  if (pool == nullptr) return;
  // A child's copy of a pool is left to the child's end: its destruction would join the workers.
  if (pool->pool_ != nullptr && pool->process_ == ThisProcess()) {
    pthreadpool_destroy(static_cast<pthreadpool_t>(pool->pool_));
  }
  if (pool->host_ != nullptr) pool->host_->Close();
  delete pool;
}

uint64_t ThreadPool::host_faults() const { return host_ == nullptr ? 0 : host_->faults(); }

void ThreadPool::Run(size_t count, void (*task)(void*, size_t, size_t), void* context, bool last) {
  if (host_ != nullptr && count > 1) {
    host_->Run(count, task, context);
    return;
  }
  if (pool_ == nullptr || count <= 1) {
    for (size_t i = 0; i < count; ++i) task(context, i, 0);
    return;
  }
  Call call{task, context};
  pthreadpool_parallelize_1d_with_thread(static_cast<pthreadpool_t>(pool_), Trampoline, &call,
                                         count, last ? PTHREADPOOL_FLAG_YIELD_WORKERS : 0);
}

}  // namespace rondo
