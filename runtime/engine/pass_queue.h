// PassQueue: who waits for a pass, and who runs it. Calls of several threads that wait at once are
// served by one of them, in one pass; where that one is cancelled, another goes on with the pass.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "platforms/clock.h"
#include "platforms/sync.h"
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
  bool served = false;  // one of its sequences had rows or was cancelled, or `status` is an error
  size_t in_pass = 0;   // of its sequences, those that the pass under way still works for

  // In place of sequences, and alone: what the pass is; called once.
  void (*work)(void* context) = nullptr;
  void* context = nullptr;

  // For the queue.
  uint64_t thread = 0;
  uint64_t number = 0;  // in the order of their coming
  bool done = false;
  PassRequest* next = nullptr;
};

class PassQueue {
 public:
  // Before the first Serve: passes take this share of the time at most, and between them is rest.
  void set_duty_percent(uint32_t percent) { duty_percent_ = percent; }

  // Returns when `request` was served: behind its pass, or as soon as its sequences are cancelled;
  // while it waits for its pass, as soon as one of them is. Passes run on this thread for the
  // requests of others, too, or on another thread for this one. Runner:
  //   bool Begin(PassRequest* first)  begins a pass for some of a list of requests, in the order of
  //                                   their coming; false: none of them needs one
  //   bool Continue(PassRequest*)     a slice of the pass: a layer, or a few rows of the output
  //                                   head, given those requests of Begin's that are still in it;
  //                                   false: the pass is over
  //   auto report()                   what there is to tell of the pass that is over
  //   void Tell(report)               tells it, behind the queue: others may run passes meanwhile
  template <typename Runner>
  void Serve(PassRequest* request, Runner* runner) {
    MutexLock lock(mutex_);
    Add(request);
    while (!request->done) {
      if (!MayRun(*request)) {
        changed_.Wait(lock);
        continue;
      }
      running_ = true;
      bool over = false;
      if (!under_way_ && AwaitBegin(lock, *request)) {
        TakeRequests(request);
        lock.Unlock();
        const bool begun = runner->Begin(in_pass_);
        lock.Lock();
        PassBegins(begun);
      }
      while (under_way_ && !request->done) {
        lock.Unlock();
        over = !runner->Continue(in_pass_);
        lock.Lock();
        under_way_ = !over;
        ReleaseServed(over);
      }
      const auto report = runner->report();
      running_ = false;
      changed_.NotifyAll();
      if (!over) continue;
      lock.Unlock();
      runner->Tell(report);
      lock.Lock();
    }
  }

 private:
  // Someone that the last pass worked for.
  struct Companion {
    const Sequence* sequence;
    uint64_t thread;
  };

  void Add(PassRequest* request);
  bool MayRun(const PassRequest& request) const;
  // Waits until the next pass may begin; false where `request` was cancelled meanwhile.
  bool AwaitBegin(MutexLock& lock, const PassRequest& request);
  bool CompanionsAreHere() const;
  // Moves the requests that a pass of `request`'s thread may serve to in_pass_.
  void TakeRequests(PassRequest* request);
  void PassBegins(bool begun);
  // Of the requests that the pass works for no more, whoever was not served waits on. True where
  // some was. `begun`: there is a pass.
  bool ReleaseLeft(bool begun);
  // Lets those go that wait and are cancelled, and those that the pass works for no more.
  void ReleaseServed(bool over);
  // Those that wait, and of whose sequences one is cancelled. True where there were some.
  bool ReleaseCancelled();
  void Requeue(PassRequest* request);

  Mutex mutex_;
  Condition changed_;
  bool running_ = false;            // a thread runs a pass, or waits to begin one
  bool under_way_ = false;          // a pass has begun and is not over
  PassRequest* first_ = nullptr;    // the requests that wait, in the order of their coming
  PassRequest* in_pass_ = nullptr;  // those that the pass under way serves
  uint64_t next_number_ = 0;
  std::array<Companion, kMaxSessions> companions_ = {};
  size_t n_companions_ = 0;
  Nanoseconds begun_at_ = 0;
  Nanoseconds patience_ = 0;
  uint32_t duty_percent_ = 100;
  Nanoseconds rest_until_ = 0;
};

}  // namespace rondo
