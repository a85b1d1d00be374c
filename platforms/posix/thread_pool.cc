#include "platforms/thread_pool.h"

#include <pthreadpool.h>

#include <new>

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
}  // namespace

ThreadPool* ThreadPool::Create(size_t threads) {
  ThreadPool* pool = new (std::nothrow) ThreadPool;
  if (pool == nullptr || threads <= 1) return pool;
  pool->pool_ = pthreadpool_create(threads);
  if (pool->pool_ == nullptr) {
    delete pool;
    return nullptr;
  }
  pool->threads_ = pthreadpool_get_threads_count(static_cast<pthreadpool_t>(pool->pool_));
  return pool;
}

void ThreadPool::Destroy(ThreadPool* pool) {
  if (pool == nullptr) return;
  if (pool->pool_ != nullptr) pthreadpool_destroy(static_cast<pthreadpool_t>(pool->pool_));
  delete pool;
}

void ThreadPool::Run(size_t count, void (*task)(void*, size_t, size_t), void* context, bool last) {
  if (pool_ == nullptr || count <= 1) {
    for (size_t i = 0; i < count; ++i) task(context, i, 0);
    return;
  }
  Call call{task, context};
  pthreadpool_parallelize_1d_with_thread(static_cast<pthreadpool_t>(pool_), Trampoline, &call,
                                         count, last ? PTHREADPOOL_FLAG_YIELD_WORKERS : 0);
}

}  // namespace rondo
