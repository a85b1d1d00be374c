#include "tests/c_api/allocation_walk.h"

#include <gtest/gtest.h>

#include <climits>
#include <cstdio>

#include "rondo/rondo.h"
#include "tests/c_api/allocations.h"
#include "tests/support/sanitized.h"

#if defined(__GLIBC__) && !RONDO_SANITIZED
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

namespace rondo::abi_test {
namespace {

int first_refused = -1, last_refused = -1, met = 0;

// One run of the scenario with these allocations refused.
Outcome RunWithout(const Scenario& scenario, int first, int last) {
  first_refused = first;
  last_refused = last;
  met = 0;
  return scenario.run();
}

}  // namespace

int32_t HurtCall(const std::function<int32_t()>& call) {
  int32_t status = 0;
  met = AllocationsOf([&] { status = call(); }, first_refused, last_refused);
  return status;
}

#if defined(__GLIBC__) && !RONDO_SANITIZED
namespace {

constexpr int kMostPoints = 5000;

// Of this test in this process.
int Failures() {
  const testing::TestInfo* const test = testing::UnitTest::GetInstance()->current_test_info();
  return test->result()->total_part_count();
}

class Walker {
 public:
  Walker(const Scenario& scenario, Walked* walked, int* point)
      : scenario_(scenario), walked_(*walked), point_(*point) {}

  // From `*point` on.
  void Run() {
    sound_ = RunWithout(scenario_, -1, -1);
    sound_ = RunWithout(scenario_, -1, -1);  // what is kept for good, as threads' stacks, is there
    walked_.met |= met > 0;
    if (sound_.status != 0 && sound_.status != RONDO_STATUS_BUFFER_TOO_SMALL) {
      Wrong("without refusals", sound_);
    }
    for (; point_ < kMostPoints; ++point_) {
      if (!Refuse(point_)) break;
      Refuse(INT_MAX);
      ++walked_.points;
    }
  }

 private:
  // From the point to `last`; whether the call came so far.
  bool Refuse(int last) {
    const long living = LivingAllocations();
    {
      const Outcome hurt = RunWithout(scenario_, point_, last);
      if (met <= point_) return false;
      const bool unhurt = hurt.status == sound_.status && hurt.outputs == sound_.outputs;
      if (!unhurt && hurt.status != RONDO_STATUS_OUT_OF_MEMORY) Wrong("wrong answer", hurt);
      if (hurt.status == RONDO_STATUS_OUT_OF_MEMORY) {
        if (!hurt.zeroed) Wrong("an output is not zero", hurt);
        // It says what was refused.
        const bool says = hurt.message.empty() ||
                          hurt.message.find("refused") != std::string::npos ||
                          hurt.message.find("memory") != std::string::npos;
        if (!says) Wrong("the message is of something else", hurt);
      }
    }
    if (LivingAllocations() != living) Wrong("a leak", {LivingAllocations() > living ? 1 : -1});
    const Outcome later = RunWithout(scenario_, -1, -1);
    if (later.status != sound_.status || later.outputs != sound_.outputs) {
      Wrong("another answer afterwards", later);
    }
    return true;
  }

  void Wrong(const char* what, const Outcome& outcome) {
    if (++walked_.wrong > 5) return;  // of one scenario
    std::fprintf(stderr, "%s (%s), allocation %d: %s, status 0x%x %s\n", scenario_.function.c_str(),
                 scenario_.what.c_str(), point_, what, static_cast<unsigned>(outcome.status),
                 outcome.message.c_str());
  }

  const Scenario& scenario_;
  Walked& walked_;
  int& point_;
  Outcome sound_;
};

}  // namespace

Walked Walk(const Scenario& scenario) {
  struct Shared {
    Walked walked;
    int point = 0;
  };
  auto* const shared =
      new (mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0))
          Shared;
  for (int ended = 1; ended != 0 && shared->point < kMostPoints;) {
    const pid_t child = fork();
    if (child == 0) {
      const int failures = Failures();
      Walker(scenario, &shared->walked, &shared->point).Run();
      shared->walked.wrong += Failures() - failures;
      _exit(0);
    }
    if (waitpid(child, &ended, 0) != child) break;
    if (ended == 0) break;
    std::fprintf(stderr, "%s (%s), allocation %d: the process ends with %d\n",
                 scenario.function.c_str(), scenario.what.c_str(), shared->point, ended);
    ++shared->walked.crashes;
    ++shared->walked.points;
    ++shared->point;
  }
  const Walked walked = shared->walked;
  munmap(shared, sizeof(Shared));
  return walked;
}
#else
Walked Walk(const Scenario& scenario) {
  const Outcome sound = RunWithout(scenario, -1, -1);
  return {0, 0, sound.status == 0 || sound.status == RONDO_STATUS_BUFFER_TOO_SMALL ? 0 : 1, false};
}
#endif

}  // namespace rondo::abi_test
