// An engine's threads among the host's: systems that refuse some, the host's signals, fork().
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <thread>

#include "tests/c_api/tiny_model.h"
#include "tests/support/time_limit.h"

// ---- A system that starts so many threads and no more ----

namespace {
std::atomic<int> threads_left{INT32_MAX};
}

extern "C" {
using Main = void* (*)(void*);

// The sanitizers' own, which must see every thread.
__attribute__((weak)) int __interceptor_pthread_create(pthread_t*, const pthread_attr_t*, Main,
                                                       void*);

__attribute__((visibility("default"))) int pthread_create(pthread_t* thread,
                                                          const pthread_attr_t* attributes,
                                                          Main main, void* argument) {
  using Create = int (*)(pthread_t*, const pthread_attr_t*, Main, void*);
  static const Create next = __interceptor_pthread_create != nullptr
                                 ? &__interceptor_pthread_create
                                 : reinterpret_cast<Create>(dlsym(RTLD_NEXT, "pthread_create"));
  if (threads_left.fetch_sub(1) <= 0) return EAGAIN;
  return next(thread, attributes, main, argument);
}
}  // extern "C"

namespace rondo::abi_test {
namespace {

constexpr unsigned kSeconds = 60;  // far more than any of these takes

rondo_engine_options Threads(uint32_t threads) {
  rondo_engine_options options = EngineOptions();
  options.threads = threads;
  return options;
}

uint32_t ThreadsOf(const rondo_engine* engine) {
  rondo_memory_plan plan = {};
  plan.struct_size = sizeof plan;
  EXPECT_EQ(rondo_engine_memory(engine, &plan), RONDO_STATUS_OK);
  return plan.threads;
}

void Prefill(const rondo_model* model, rondo_session* session) {
  const std::vector<int32_t> ids = Ids(model, "Once upon a time, there was a girl.");
  EXPECT_EQ(rondo_session_prefill(session, ids.data(), ids.size()), RONDO_STATUS_OK);
}

std::vector<float> LogitsOf(const rondo_model* model, rondo_engine* engine) {
  const Session session = NewSession(engine);
  Prefill(model, session.get());
  EXPECT_EQ(Generate(session.get(), 8).tokens.size(), 8u);
  const float* logits = nullptr;
  size_t count = 0;
  EXPECT_EQ(rondo_session_logits(session.get(), &logits, &count), RONDO_STATUS_OK);
  return {logits, logits + count};
}

TEST(ThreadsTest, GoesOnWithThoseThatCouldBeStarted) {
  const TimeLimit limit(kSeconds);
  const Model model = OpenTiny();
  const std::vector<float> expected = LogitsOf(model.get(), NewEngine(model.get()).get());
  for (const int started : {0, 1, 2, 3}) {
    std::string told;
    rondo_engine_options options = Threads(4);
    options.log_user = &told;
    options.log = [](void* user, int32_t, const char* message) {
      *static_cast<std::string*>(user) += message;
    };
    threads_left = started;
    const Engine engine = NewEngine(model.get(), options);
    threads_left = INT32_MAX;
    ASSERT_NE(engine, nullptr);
    EXPECT_EQ(ThreadsOf(engine.get()), uint32_t(started) + 1);
    EXPECT_EQ(told, started == 3 ? ""
                                 : "the system started only " + std::to_string(started + 1) +
                                       " of 4 threads");
    const std::vector<float> logits = LogitsOf(model.get(), engine.get());
    ASSERT_EQ(logits.size(), expected.size());
    EXPECT_EQ(std::memcmp(logits.data(), expected.data(), logits.size() * sizeof(float)), 0);
  }
}

// ---- Signals ----

pthread_t host;
std::atomic<int> handled_by_host{0};
std::atomic<int> handled_elsewhere{0};

void Handle(int) { (pthread_equal(pthread_self(), host) ? handled_by_host : handled_elsewhere)++; }

sigset_t MaskOfThisThread() {
  sigset_t mask;
  pthread_sigmask(SIG_SETMASK, nullptr, &mask);
  return mask;
}

TEST(ThreadsTest, SignalsAreTheHosts) {
  host = pthread_self();
  struct sigaction action = {};
  struct sigaction before[2];
  action.sa_handler = Handle;
  constexpr std::array kSignals = {SIGUSR1, SIGVTALRM};
  for (size_t i = 0; i < 2; ++i) sigaction(kSignals[i], &action, &before[i]);
  sigset_t own;
  sigemptyset(&own);
  sigaddset(&own, SIGUSR2);
  pthread_sigmask(SIG_BLOCK, &own, nullptr);
  const sigset_t mask = MaskOfThisThread();

  const Model model = OpenTiny();
  const Engine engine = NewEngine(model.get(), Threads(3));
  const sigset_t mask_after = MaskOfThisThread();
  for (int signal = 1; signal < NSIG; ++signal) {
    EXPECT_EQ(sigismember(&mask_after, signal), sigismember(&mask, signal)) << signal;
  }

  // A signal to the process goes to any thread that does not block it: here only workers could.
  sigset_t blocked;
  sigemptyset(&blocked);
  for (const int signal : kSignals) sigaddset(&blocked, signal);
  pthread_sigmask(SIG_BLOCK, &blocked, nullptr);
  const Session session = NewSession(engine.get());
  Prefill(model.get(), session.get());
  for (int i = 0; i < 20; ++i) {
    for (const int signal : kSignals) kill(getpid(), signal);
    Generate(session.get(), 1);
  }
  EXPECT_EQ(handled_elsewhere, 0);
  EXPECT_EQ(handled_by_host, 0);
  pthread_sigmask(SIG_UNBLOCK, &blocked, nullptr);
  EXPECT_EQ(handled_elsewhere, 0);
  EXPECT_EQ(handled_by_host, 2);  // one of each waited

  pthread_sigmask(SIG_UNBLOCK, &own, nullptr);
  for (size_t i = 0; i < 2; ++i) sigaction(kSignals[i], &before[i], nullptr);
}

// ---- fork() ----

// What the child returns, which runs `body` and ends; -1 where it did not end by itself.
template <typename Body>
int InChild(const Body& body) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(kSeconds / 2);
    _exit(body());
  }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(ForkTest, TheChildClosesAndTheParentGoesOn) {
  const Model model = OpenTiny();
  const rondo_engine_options options = Threads(3);
  rondo_memory_plan plan = {};
  plan.struct_size = sizeof plan;
  ASSERT_EQ(rondo_plan(model.get(), &options, &plan, nullptr, 0), RONDO_STATUS_OK);
  // Both processes see the caller's arena: what the child writes there the parent would meet.
  void* arena =
      mmap(nullptr, plan.arena_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(arena, MAP_FAILED);
  Generated expected;
  {
    const Engine engine = NewEngine(model.get(), options);
    const Session session = NewSession(engine.get());
    Prefill(model.get(), session.get());
    expected = Generate(session.get(), 14);
  }
  for (const bool shared : {false, true}) {
    rondo_engine* made = nullptr;
    ASSERT_EQ(rondo_engine_create(model.get(), &options, shared ? arena : nullptr,
                                  shared ? plan.arena_bytes : 0, &made, nullptr, 0),
              RONDO_STATUS_OK);
    Engine engine(made);
    Session session = NewSession(engine.get());
    Prefill(model.get(), session.get());
    Generated generated = Generate(session.get(), 2);
    std::array<int, 3> order = {0, 1, 2};
    do {
      EXPECT_EQ(InChild([&] {
                  for (const int which : order) {
                    if (which == 0) rondo_session_close(session.get());
                    if (which == 1) rondo_engine_close(engine.get());
                    if (which == 2) rondo_model_close(model.get());
                  }
                  return 0;
                }),
                0);
      const Generated more = Generate(session.get(), 2);
      generated.tokens.insert(generated.tokens.end(), more.tokens.begin(), more.tokens.end());
    } while (std::next_permutation(order.begin(), order.end()));
    EXPECT_EQ(generated.tokens, expected.tokens);
  }
  EXPECT_EQ(munmap(arena, plan.arena_bytes), 0);
}

struct Forker {
  rondo_session* other;
  rondo_engine* engine;
  int answer;
};

// While a call of the parent runs, and holds what calls hold: in the child nobody gives it back.
void CloseInAChild(void* user, size_t index, const float*, size_t) {
  if (index != 0) return;
  Forker& f = *static_cast<Forker*>(user);
  std::thread([&f] {  // a thread that is in no callback
    f.answer = InChild([&f] {
      rondo_session_close(f.other);
      rondo_engine_close(f.engine);
      return 0;
    });
  })
      .join();
}

TEST(ForkTest, TheChildClosesWhatACallOfTheParentUses) {
  const Model model = OpenTiny();
  rondo_engine_options options = Threads(2);
  options.max_sessions = 2;
  const Engine engine = NewEngine(model.get(), options);
  const Session session = NewSession(engine.get());
  const Session other = NewSession(engine.get());
  Forker forker = {other.get(), engine.get(), -1};
  const std::vector<int32_t> ids = Ids(model.get(), "Once");
  EXPECT_EQ(
      rondo_session_prefill_logits(session.get(), ids.data(), ids.size(), CloseInAChild, &forker),
      RONDO_STATUS_OK);
  EXPECT_EQ(forker.answer, 0);
  Prefill(model.get(), other.get());
  EXPECT_EQ(Generate(other.get(), 3).tokens.size(), 3u);
}

TEST(ForkTest, TheChildIsRefusedWhatNeedsTheThreads) {
  const Model model = OpenTiny();
  rondo_engine_options options = Threads(2);
  options.max_sessions = 2;
  const Engine engine = NewEngine(model.get(), options);
  const Session session = NewSession(engine.get());
  Prefill(model.get(), session.get());
  EXPECT_EQ(InChild([&] {
              rondo_event event = {};
              event.struct_size = sizeof event;
              const int32_t id = 1;
              const rondo_session_options session_options = SessionOptions();
              rondo_session* second = nullptr;
              rondo_session* const own = session.get();
              uint64_t position = 0;
              size_t bytes = 0;
              const auto busy = [](int32_t status) { return status == RONDO_STATUS_BUSY; };
              const bool all =
                  busy(rondo_session_next(own, &event)) &&
                  busy(rondo_session_prefill(own, &id, 1)) && busy(rondo_session_undo(own, 1)) &&
                  busy(rondo_session_reset(own)) && busy(rondo_session_position(own, &position)) &&
                  busy(rondo_session_save(own, nullptr, 0, &bytes)) &&
                  busy(rondo_session_fork(own, &session_options, &second, nullptr, 0)) &&
                  busy(rondo_engine_step(engine.get(), &own, 1, nullptr, 0)) &&
                  busy(rondo_session_open(engine.get(), &session_options, &second, nullptr, 0));
              return all ? 0 : 1;
            }),
            0);
}

TEST(ForkTest, TheChildMakesItsOwn) {
  const Model model = OpenTiny();
  const Engine engine = NewEngine(model.get(), Threads(2));
  EXPECT_EQ(InChild([&] {
              rondo_engine_close(engine.get());
              const Model own = OpenTiny();
              const Engine another = NewEngine(own.get());
              const Session session = NewSession(another.get());
              Prefill(own.get(), session.get());
              return Generate(session.get(), 3).tokens.size() == 3 ? 0 : 1;
            }),
            0);
}

}  // namespace
}  // namespace rondo::abi_test
