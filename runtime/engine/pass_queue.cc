#include "runtime/engine/pass_queue.h"

#include <algorithm>

#include "platforms/this_thread.h"

namespace rondo {

namespace {

// Cancelling rings no bell, as signal handlers may do it: whoever waits to begin looks so often.
constexpr Nanoseconds kGlance = kMillisecond;

bool IsCancelled(const Sequence* sequence) { return sequence->cancelled(); }

// Ends what is cancelled of a request that is in no pass.
void End(PassRequest* request) {
  for (Sequence* sequence : request->sequences) {
    sequence->BeginPass();
    sequence->EndIfCancelled();
  }
  request->served = request->done = true;
}

bool Has(const PassRequest& request, const Sequence* sequence) {
  return std::find(request.sequences.begin(), request.sequences.end(), sequence) !=
         request.sequences.end();
}

}  // namespace

void PassQueue::Add(PassRequest* request) {
  request->thread = ThisThread();
  request->number = next_number_++;
  const std::span<Sequence* const> sequences = request->sequences;
  if (!sequences.empty() && std::all_of(sequences.begin(), sequences.end(), IsCancelled)) {
    End(request);
    return;
  }
  Requeue(request);
  changed_.NotifyAll();
}

void PassQueue::Requeue(PassRequest* request) {
  PassRequest** link = &first_;
  while (*link != nullptr && (*link)->number < request->number) link = &(*link)->next;
  request->next = *link;
  *link = request;
}

// The oldest request says whether the next pass is one request's alone, which only its own thread
// runs, or one for all others.
bool PassQueue::MayRun(const PassRequest& request) const {
  if (running_) return false;
  if (under_way_ || !first_->alone) return !request.alone;
  return first_ == &request;
}

// Those that the last pass worked for are on their way back, as a rule: a pass that waits a little
// for them serves them together. Whoever does not come is not waited for again.
bool PassQueue::CompanionsAreHere() const {
  return std::all_of(companions_.begin(), companions_.begin() + n_companions_,
                     [&](const Companion& companion) {
                       for (const PassRequest* r = first_; r != nullptr; r = r->next) {
                         if (r->thread == companion.thread || Has(*r, companion.sequence)) {
                           return true;
                         }
                       }
                       return false;
                     });
}

bool PassQueue::AwaitBegin(MutexLock& lock, const PassRequest& request) {
  const Nanoseconds impatient = Now() + patience_;
  for (;;) {
    const Nanoseconds now = Now();
    Nanoseconds until = rest_until_;
    if (!request.alone && !CompanionsAreHere()) until = std::max(until, impatient);
    if (now >= until) return true;
    changed_.WaitUntil(lock, std::min(until, now + kGlance));
    if (ReleaseCancelled()) changed_.NotifyAll();
    if (request.done) return false;
  }
}

void PassQueue::TakeRequests(PassRequest* request) {
  PassRequest** taken_end = &in_pass_;
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
  begun_at_ = Now();
}

// Requests that had no rows wait on.
void PassQueue::PassBegins(bool begun) {
  under_way_ = begun;
  if (begun) n_companions_ = 0;
  ReleaseLeft(begun);
}

bool PassQueue::ReleaseLeft(bool begun) {
  bool some = false;
  PassRequest** link = &in_pass_;
  while (*link != nullptr) {
    PassRequest* const r = *link;
    if (r->in_pass > 0) {
      link = &r->next;
      continue;
    }
    *link = r->next;
    r->done = r->served;
    some |= r->done;
    if (!r->done) {
      Requeue(r);
      continue;
    }
    for (const Sequence* sequence : r->sequences) {
      if (begun && n_companions_ < companions_.size())
        companions_[n_companions_++] = {sequence, r->thread};
    }
  }
  return some;
}

void PassQueue::ReleaseServed(bool over) {
  if (over) {
    const Nanoseconds now = Now();
    const Nanoseconds took = now - begun_at_;
    patience_ = std::min(took / 8, 10 * kMillisecond);
    rest_until_ = std::max(rest_until_, now) + took * (100 - duty_percent_) / duty_percent_;
  }
  for (PassRequest* r = in_pass_; over && r != nullptr; r = r->next) r->in_pass = 0;
  const bool cancelled = ReleaseCancelled();
  if (ReleaseLeft(true) || cancelled) changed_.NotifyAll();
}

bool PassQueue::ReleaseCancelled() {
  bool some = false;
  for (PassRequest** link = &first_; *link != nullptr;) {
    PassRequest* const r = *link;
    if (std::none_of(r->sequences.begin(), r->sequences.end(), IsCancelled)) {
      link = &r->next;
      continue;
    }
    *link = r->next;
    End(r);
    some = true;
  }
  return some;
}

}  // namespace rondo
