// Workers: threads for what takes longer than a socket may wait: reading requests, loading models,
// encoding pictures.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace rondo::tools::serve {

class Workers {
 public:
  Workers(size_t threads, size_t most_queued);
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;
  // Work that has not begun is left undone.
  ~Workers();

  // False: as much waits as may. The work does not throw. [any thread]
  bool Add(std::function<void()> work);
  size_t queued() const;

 private:
  void Run();

  const size_t most_queued_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> queue_;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace rondo::tools::serve
