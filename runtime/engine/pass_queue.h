// PassQueue: who waits for a pass, and who runs it. Calls of several threads that wait at once are
// served by one of them, in one pass.
#pragma once

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>

#include "runtime/base/status.h"
#include "runtime/engine/options.h"
#include "runtime/engine/sequence.h"

namespace rondo {

// What one call wants of a pass. Lives on the stack of the call.
struct PassRequest {
  std::span<Sequence* const> sequences;  // distinct, each with something pending
  bool alone;                            // runs on the thread that asks, beside no other request
  // Set by who runs the pass:
  Status status;        // ok, or why the request took no part in the pass
  bool served = false;  // one of its sequences had rows, or `status` is an error

  // For the queue.
  uint64_t thread = 0;
  bool done = false;
  PassRequest* next = nullptr;
};

class PassQueue {
 public:
  // Before the first Serve: passes take this share of the time at most, and between them is rest.
  void set_duty_percent(uint32_t percent) { duty_percent_ = percent; }

  // Returns when `request` was served. `run` runs one pass for some requests, a list in the order
  // of their coming: on this thread for those of others, too, or on another thread for this one.
  template <typename Run>  // run(PassRequest* first)
  void Serve(PassRequest* request, const Run& run) {
    std::unique_lock lock(mutex_);
    Add(request);
    while (!request->done) {
      if (running_) {
        changed_.wait(lock);
        continue;
      }
      running_ = true;
      AwaitCompanions(lock, *request);
      PassRequest* const cancelled = Rest(lock);
      PassRequest* const requests = cancelled != nullptr ? Take(cancelled) : TakeRequests(request);
      lock.unlock();
      const auto begin = std::chrono::steady_clock::now();
      run(requests);
      const auto end = std::chrono::steady_clock::now();
      lock.lock();
      EndPass(requests, end - begin);
    }
  }

 private:
  void Add(PassRequest* request);
  // Those whose calls were served by the last pass are on their way back, as a rule: a pass that
  // waits a little for them serves them together. Whoever does not come is not waited for again.
  void AwaitCompanions(std::unique_lock<std::mutex>& lock, const PassRequest& request);
  // Waits until the next pass may begin, or until a request is cancelled, which then is served
  // alone: it computes nothing.
  PassRequest* Rest(std::unique_lock<std::mutex>& lock);
  PassRequest* Take(PassRequest* request);
  PassRequest* TakeRequests(PassRequest* request);
  void EndPass(PassRequest* requests, std::chrono::steady_clock::duration took);

  std::mutex mutex_;
  std::condition_variable changed_;
  bool running_ = false;
  PassRequest* first_ = nullptr;  // the requests that wait, in the order of their coming
  std::array<uint64_t, kMaxSessions> companions_ = {};  // threads that the last pass served
  size_t n_companions_ = 0;
  std::chrono::steady_clock::duration patience_ = {};
  uint32_t duty_percent_ = 100;
  std::chrono::steady_clock::time_point rest_until_ = {};
};

}  // namespace rondo
