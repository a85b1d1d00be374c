// ParallelFor: independent tasks over the machine's cores.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <thread>
#include <vector>

#include "tools/common/interrupt.h"

namespace rondo::convert {

// Calls task(i) once for each i < count, on at most `threads` threads, in any order, and returns
// when all are done. The first exception that a task throws, or an interruption, is thrown here;
// the tasks after it may then not run.
template <typename Task>
void ParallelFor(size_t threads, size_t count, const Task& task) {
  std::atomic<size_t> next{0};
  std::atomic<bool> failed{false};
  std::exception_ptr error;
  const auto work = [&] {
    for (size_t i; !failed && (i = next.fetch_add(1)) < count;) {
      try {
        tools::CheckInterrupt();
        task(i);
      } catch (...) {
        if (!failed.exchange(true)) error = std::current_exception();
      }
    }
  };
  std::vector<std::thread> helpers;
  for (size_t i = 1; i < std::min(threads, count); ++i) helpers.emplace_back(work);
  work();
  for (std::thread& helper : helpers) helper.join();
  if (error) std::rethrow_exception(error);
}

}  // namespace rondo::convert
