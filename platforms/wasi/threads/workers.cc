// Each run is a round, which workers join while it is open. The caller takes part, closes it when
// no task is left, and waits for those alone who joined: a worker that wakes late, or never, keeps
// nobody waiting.
#include "platforms/wasi/threads/workers.h"

#include <atomic>

#include "platforms/wasi/threads/word.h"

namespace rondo {
namespace {

// Before a thread sleeps it looks at the word so many times: runs follow each other closely.
constexpr int kLooks = 20000;
// What is added to Round::at_work beside one for each worker.
constexpr uint32_t kClosed = 1u << 31;  // no more may join
constexpr uint32_t kFailed = 1u << 16;  // a task was not done: from then on no round is of use

// What the round is of is written while it is closed and nobody is at work.
struct Round {
  uint32_t threads = 0;
  size_t count = 0;
  void (*task)(void*, size_t, size_t) = nullptr;
  void* context = nullptr;
  std::atomic<size_t> next = 0;
  Word at_work = kClosed;  // how many joined and have not left
  Word number = 0;
  Word sleepers = 0;  // that wait for the next number
};

constinit Round round;
constinit Word workers = 0;

bool ChangesSoon(const Word& word, uint32_t value) {
  for (int i = 0; i < kLooks; ++i) {
    if (word.load(std::memory_order_relaxed) != value) return true;
  }
  return false;
}

bool Join() {
  uint32_t at_work = round.at_work.load();
  do {
    if ((at_work & kClosed) != 0) return false;
  } while (!round.at_work.compare_exchange_weak(at_work, at_work + 1));
  return true;
}

void Leave() {
  if (round.at_work.fetch_sub(1) == (kClosed | 1)) Wake(&round.at_work);
}

void TakeTasks(uint32_t thread) {
  for (size_t i = round.next.fetch_add(1); i < round.count; i = round.next.fetch_add(1)) {
    round.task(round.context, i, thread);
  }
}

void AwaitRoundAfter(uint32_t seen) {
  if (ChangesSoon(round.number, seen)) return;
  round.sleepers.fetch_add(1);
  SleepWhile(&round.number, seen);
  round.sleepers.fetch_sub(1);
}

}  // namespace

uint32_t CountWorkers() { return workers.load(); }

void RunWithWorkers(uint32_t threads, size_t count, void (*task)(void*, size_t, size_t),
                    void* context) {
  if (round.at_work.load() != kClosed) __builtin_trap();  // kFailed
  round.threads = threads;
  round.count = count;
  round.task = task;
  round.context = context;
  round.next.store(0);
  round.at_work.store(0);
  round.number.fetch_add(1);
  if (round.sleepers.load() > 0) Wake(&round.number);
  TakeTasks(0);
  for (uint32_t at_work = round.at_work.fetch_add(kClosed) + kClosed; at_work != kClosed;
       at_work = round.at_work.load()) {
    if (at_work >= kClosed + kFailed) __builtin_trap();
    if (!ChangesSoon(round.at_work, at_work)) SleepWhile(&round.at_work, at_work);
  }
}

#define RONDO_WORKER_CALLS(name) extern "C" __attribute__((export_name(#name)))

// What a worker calls (c_api/bindings/web/lib/thread.js): Join gives it its number, Run does not
// return, and Fail follows where Run was left by an error.
RONDO_WORKER_CALLS(rondo_worker_join) uint32_t rondo_worker_join() {
  return workers.fetch_add(1) + 1;
}

RONDO_WORKER_CALLS(rondo_worker_run) void rondo_worker_run(uint32_t number) {
  for (;;) {
    const uint32_t seen = round.number.load();
    if (Join()) {
      if (number < round.threads) TakeTasks(number);
      Leave();
    }
    AwaitRoundAfter(seen);
  }
}

RONDO_WORKER_CALLS(rondo_worker_fail) void rondo_worker_fail() {
  round.at_work.fetch_add(kFailed);
  Wake(&round.at_work);
}

}  // namespace rondo
