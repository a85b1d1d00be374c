#include "runtime/engine/pass_queue.h"

#include <algorithm>

#include "platforms/this_thread.h"

namespace rondo {

void PassQueue::Add(PassRequest* request) {
  request->thread = ThisThread();
  PassRequest** end = &first_;
  while (*end != nullptr) end = &(*end)->next;
  *end = request;
  changed_.notify_all();
}

void PassQueue::AwaitCompanions(std::unique_lock<std::mutex>& lock, const PassRequest& request) {
  if (request.alone) return;
  const auto all_here = [&] {
    return std::all_of(companions_.begin(), companions_.begin() + n_companions_,
                       [&](uint64_t thread) {
                         for (const PassRequest* r = first_; r != nullptr; r = r->next) {
                           if (r->thread == thread) return true;
                         }
                         return false;
                       });
  };
  changed_.wait_for(lock, patience_, all_here);
}

PassRequest* PassQueue::Rest(std::unique_lock<std::mutex>& lock) {
  using Clock = std::chrono::steady_clock;
  // Cancelling rings no bell, as signal handlers may do it.
  constexpr Clock::duration kGlance = std::chrono::milliseconds(5);
  for (Clock::time_point now = Clock::now(); now < rest_until_; now = Clock::now()) {
    for (PassRequest* r = first_; r != nullptr; r = r->next) {
      if (std::all_of(r->sequences.begin(), r->sequences.end(),
                      [](const Sequence* sequence) { return sequence->cancelled(); })) {
        return r;
      }
    }
    changed_.wait_for(lock, std::min(kGlance, rest_until_ - now));
  }
  return nullptr;
}

// Out of the queue, where it is.
PassRequest* PassQueue::Take(PassRequest* request) {
  PassRequest** link = &first_;
  while (*link != request) link = &(*link)->next;
  *link = request->next;
  request->next = nullptr;
  return request;
}

// Takes what waits out of the queue, but for requests that run alone; of these, only `request`.
PassRequest* PassQueue::TakeRequests(PassRequest* request) {
  PassRequest* taken = nullptr;
  PassRequest** taken_end = &taken;
  for (PassRequest** link = &first_; *link != nullptr;) {
    PassRequest* const r = *link;
    if (r != request && (request->alone || r->alone)) {
      link = &r->next;
      continue;
    }
    *link = r->next;
    r->next = nullptr;
    *taken_end = r;
    taken_end = &r->next;
  }
  return taken;
}

// Requests that were served leave; the others go back to the queue's head.
void PassQueue::EndPass(PassRequest* requests, std::chrono::steady_clock::duration took) {
  using std::chrono::milliseconds;
  patience_ = std::min<std::chrono::steady_clock::duration>(took / 8, milliseconds(10));
  n_companions_ = 0;
  const auto now = std::chrono::steady_clock::now();
  rest_until_ = std::max(rest_until_, now) + took * (100 - duty_percent_) / duty_percent_;
  PassRequest* unserved = nullptr;
  PassRequest** unserved_end = &unserved;
  while (requests != nullptr) {
    PassRequest* const r = requests;
    requests = r->next;
    r->next = nullptr;
    if (n_companions_ < companions_.size()) companions_[n_companions_++] = r->thread;
    r->done = r->served;
    if (r->done) continue;
    *unserved_end = r;
    unserved_end = &r->next;
  }
  *unserved_end = first_;
  first_ = unserved;
  running_ = false;
  changed_.notify_all();
}

}  // namespace rondo
