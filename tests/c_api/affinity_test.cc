// Which CPUs an engine's threads may run on, as Linux tells it.
#include <sched.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/c_api/tiny_model.h"

namespace rondo::abi_test {
namespace {

// CPUs that this thread may run on.
std::vector<uint32_t> Allowed() {
  cpu_set_t set;
  CPU_ZERO(&set);
  EXPECT_EQ(sched_getaffinity(0, sizeof set, &set), 0);
  std::vector<uint32_t> cpus;
  for (uint32_t cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
  }
  return cpus;
}

// "Cpus_allowed_list" of each thread of this process.
std::vector<std::string> Lists() {
  std::vector<std::string> lists;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream status(task.path() / "status");
    const std::string key = "Cpus_allowed_list:\t";
    for (std::string line; std::getline(status, line);) {
      if (line.starts_with(key)) lists.push_back(line.substr(key.size()));
    }
  }
  return lists;
}

class AffinityTest : public testing::Test {
 protected:
  std::string Refusal(const rondo_engine_options& options, int32_t expected) {
    rondo_engine* engine = nullptr;
    char why[256] = "";
    EXPECT_EQ(rondo_engine_create(model_.get(), &options, nullptr, 0, &engine, why, sizeof why),
              expected)
        << why;
    return why;
  }

  const Model model_ = OpenTiny();
};

TEST_F(AffinityTest, WorkersKeepToTheCpusAndTheCallerStays) {
  const std::vector<uint32_t> allowed = Allowed();
  if (allowed.size() < 2) GTEST_SKIP() << "one CPU leaves nothing to choose";
  rondo_engine_options options = EngineOptions();
  options.threads = 3;
  // A sanitizer starts a thread of its own beside the process's first one.
  NewEngine(model_.get(), options);
  const std::vector<std::string> before = Lists();
  options.affinity = RONDO_AFFINITY_CPUS;
  options.cpus = &allowed.back();
  options.n_cpus = 1;
  {
    const Engine engine = NewEngine(model_.get(), options);
    const std::string one = std::to_string(allowed.back());
    const std::vector<std::string> lists = Lists();
    EXPECT_EQ(static_cast<size_t>(std::count(lists.begin(), lists.end(), one)), 2u);
    EXPECT_EQ(lists.size(), before.size() + 2);
    EXPECT_EQ(Allowed(), allowed);
  }
  options.affinity = RONDO_AFFINITY_PERFORMANCE;
  options.cpus = nullptr;
  options.n_cpus = 0;
  const Engine engine = NewEngine(model_.get(), options);  // here all are alike, or some are slow
  EXPECT_EQ(Lists().size(), before.size() + 2);
  EXPECT_EQ(Allowed(), allowed);
}

TEST_F(AffinityTest, AsManyThreadsAsCpus) {
  const std::vector<uint32_t> allowed = Allowed();
  rondo_engine_options options = EngineOptions();
  options.threads = 0;
  options.affinity = RONDO_AFFINITY_CPUS;
  options.cpus = allowed.data();
  for (uint32_t n = 1; n <= std::min<size_t>(allowed.size(), 3); ++n) {
    options.n_cpus = n;
    rondo_memory_plan plan = {};
    plan.struct_size = sizeof plan;
    ASSERT_EQ(rondo_plan(model_.get(), &options, &plan, nullptr, 0), RONDO_STATUS_OK);
    EXPECT_EQ(plan.threads, n);
  }
}

// A plan is that of every thread; an engine starts no more threads than may run where it is made.
TEST_F(AffinityTest, APlanOfAThreadThatIsKeptToOneCpuIsThatOfAll) {
  if (Allowed().size() < 2) GTEST_SKIP() << "one CPU leaves nothing to choose";
  rondo_engine_options options = EngineOptions();
  options.threads = 0;
  const auto plan_of = [&] {
    rondo_memory_plan plan = {};
    plan.struct_size = sizeof plan;
    EXPECT_EQ(rondo_plan(model_.get(), &options, &plan, nullptr, 0), RONDO_STATUS_OK);
    return plan;
  };
  const rondo_memory_plan here = plan_of();
  rondo_memory_plan there = {}, made = {};
  std::thread([&] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(Allowed().back(), &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    there = plan_of();
    const Engine engine = NewEngine(model_.get(), options);
    made.struct_size = sizeof made;
    EXPECT_EQ(rondo_engine_memory(engine.get(), &made), RONDO_STATUS_OK);
  }).join();
  EXPECT_GE(here.threads, 2u);
  EXPECT_EQ(there.threads, here.threads);
  EXPECT_EQ(there.arena_bytes, here.arena_bytes);
  EXPECT_EQ(made.threads, 1u);
  EXPECT_EQ(made.arena_bytes, here.arena_bytes);
}

TEST_F(AffinityTest, RefusesByName) {
  const auto has = [](const std::string& text, const char* words) {
    EXPECT_NE(text.find(words), std::string::npos) << text;
  };
  const std::vector<uint32_t> allowed = Allowed();
  const std::vector<uint32_t> twice = {allowed[0], allowed[0]};
  const uint32_t absent = 1023, beyond = 1u << 30;
  rondo_engine_options options = EngineOptions();
  options.affinity = 3;
  has(Refusal(options, RONDO_STATUS_INVALID_ARGUMENT), "affinity is 3");
  options.affinity = RONDO_AFFINITY_CPUS;
  has(Refusal(options, RONDO_STATUS_INVALID_ARGUMENT), "n_cpus is 0");
  options.n_cpus = 1;
  has(Refusal(options, RONDO_STATUS_INVALID_ARGUMENT), "cpus is NULL");
  options.cpus = &absent;
  has(Refusal(options, RONDO_STATUS_INVALID_ARGUMENT), "CPU 1023");
  options.cpus = &beyond;
  has(Refusal(options, RONDO_STATUS_INVALID_ARGUMENT), "cpus[0] is 1073741824");
  options.cpus = twice.data();
  options.n_cpus = 2;
  has(Refusal(options, RONDO_STATUS_INVALID_ARGUMENT), "cpus[1]");
  options.n_cpus = 257;
  has(Refusal(options, RONDO_STATUS_INVALID_ARGUMENT), "n_cpus is 257");
  options.n_cpus = 1;
  options.affinity = RONDO_AFFINITY_PERFORMANCE;
  has(Refusal(options, RONDO_STATUS_INVALID_ARGUMENT), "n_cpus is 1");
  options.n_cpus = 0;
  has(Refusal(options, RONDO_STATUS_INVALID_ARGUMENT), "cpus is not NULL");
  options.cpus = nullptr;
  options.parallel_for = [](void*, size_t, rondo_task, void*) {};
  has(Refusal(options, RONDO_STATUS_INVALID_ARGUMENT), "parallel_for");
}

}  // namespace
}  // namespace rondo::abi_test
