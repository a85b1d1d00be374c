// A pool of the caller's thread alone; or of the host's, which may have some after all.
#include "platforms/thread_pool.h"

#include <algorithm>
#include <new>

#include "platforms/host_lanes.h"

namespace rondo {

ThreadPool* ThreadPool::Create(size_t threads, const HostPool& host, const CpuSet& /*cpus*/) {
  ThreadPool* const pool = new (std::nothrow) ThreadPool;
  if (pool == nullptr || threads <= 1 || host.parallel_for == nullptr) return pool;
  pool->threads_ = std::min(threads, HostLanes::kMost);
  pool->host_ = HostLanes::Create(host, pool->threads_);
  if (pool->host_ != nullptr) return pool;
  delete pool;
  return nullptr;
}

void ThreadPool::Destroy(ThreadPool* pool) {
  if (pool == nullptr) return;
  if (pool->host_ != nullptr) pool->host_->Close();
  delete pool;
}

uint64_t ThreadPool::host_faults() const { return host_ == nullptr ? 0 : host_->faults(); }

void ThreadPool::Run(size_t count, void (*task)(void*, size_t, size_t), void* context,
                     bool /*last*/) {
  if (host_ != nullptr && count > 1) return host_->Run(count, task, context);
  for (size_t i = 0; i < count; ++i) task(context, i, 0);
}

}  // namespace rondo
