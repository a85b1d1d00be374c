#include "tools/serve/workers.h"

#include <utility>

namespace rondo::tools::serve {

Workers::Workers(size_t threads, size_t most_queued) : most_queued_(most_queued) {
  for (size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { Run(); });
}

Workers::~Workers() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

bool Workers::Add(std::function<void()> work) {
  {
    const std::lock_guard lock(mutex_);
    if (stopping_ || queue_.size() >= most_queued_) return false;
    queue_.push_back(std::move(work));
  }
  changed_.notify_one();
  return true;
}

size_t Workers::queued() const {
  const std::lock_guard lock(mutex_);
  return queue_.size();
}

void Workers::Run() {
  for (;;) {
    std::function<void()> work;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
      if (stopping_) return;
      work = std::move(queue_.front());
      queue_.pop_front();
    }
    work();
  }
}

}  // namespace rondo::tools::serve
