// Fast CPUs, by trees of files as machines have them.
#include "platforms/posix/topology.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "platforms/apple/cores.h"
#include "tests/temp_folder.h"

namespace rondo {
namespace {

class TopologyTest : public testing::Test {
 protected:
  void Put(const std::string& name, const std::string& text) {
    const auto path = folder_ / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text << '\n';
  }
  // One number for each CPU.
  void PutEach(const char* name, const std::vector<int>& numbers) {
    for (size_t cpu = 0; cpu < numbers.size(); ++cpu) {
      Put("system/cpu/cpu" + std::to_string(cpu) + "/" + name, std::to_string(numbers[cpu]));
    }
  }
  // The fast ones of so many.
  std::vector<uint32_t> Fast(uint32_t count) { return FastOf(First(count)); }
  std::vector<uint32_t> FastOf(const CpuSet& allowed) {
    const CpuSet fast = FastCpus(folder_.path().c_str(), allowed);
    std::vector<uint32_t> cpus;
    for (uint32_t cpu = 0; cpu < CpuSet::kMost; ++cpu) {
      if (fast.Has(cpu)) cpus.push_back(cpu);
    }
    EXPECT_EQ(fast.Count(), cpus.size());
    return cpus;
  }
  static CpuSet First(uint32_t count) {
    CpuSet set;
    for (uint32_t cpu = 0; cpu < count; ++cpu) set.Add(cpu);
    return set;
  }

  const TempFolder folder_;
};

using Cpus = std::vector<uint32_t>;

TEST_F(TopologyTest, AllWhereNothingIsTold) { EXPECT_EQ(Fast(3), (Cpus{0, 1, 2})); }

// Snapdragon 8 Gen 2: three A510, two A715, two A710, one X3.
TEST_F(TopologyTest, APhonesCapacities) {
  PutEach("cpu_capacity", {325, 325, 325, 809, 809, 800, 800, 1024});
  PutEach("cpufreq/cpuinfo_max_freq",  // which counts only where capacities are not told
          {2016000, 2016000, 2016000, 2803200, 2803200, 2803200, 2803200, 3187200});
  EXPECT_EQ(Fast(8), (Cpus{3, 4, 5, 6, 7}));
  // What the process may not run on does not count.
  EXPECT_EQ(Fast(3), (Cpus{0, 1, 2}));
  CpuSet some = First(2);
  some.Add(7);
  EXPECT_EQ(FastOf(some), (Cpus{7}));
}

// RK3588, whose kernel tells clocks only: four A55, four A76.
TEST_F(TopologyTest, ABoardsClocks) {
  PutEach("cpufreq/cpuinfo_max_freq",
          {1800000, 1800000, 1800000, 1800000, 2256000, 2256000, 2304000, 2304000});
  EXPECT_EQ(Fast(8), (Cpus{4, 5, 6, 7}));
}

// Core i5-12500H: four cores with two threads each, eight efficient ones; its best silicon is
// faster.
TEST_F(TopologyTest, IntelsHybrids) {
  Put("cpu_core/cpus", "0-7");
  Put("cpu_atom/cpus", "8-15");
  PutEach("cpufreq/cpuinfo_max_freq",
          {4500000, 4500000, 4500000, 4500000, 4300000, 4300000, 4300000, 4300000, 3300000, 3300000,
           3300000, 3300000, 3300000, 3300000, 3300000, 3300000});
  EXPECT_EQ(Fast(16), (Cpus{0, 1, 2, 3, 4, 5, 6, 7}));
  CpuSet efficient;
  for (uint32_t cpu = 8; cpu < 12; ++cpu) efficient.Add(cpu);
  EXPECT_EQ(FastOf(efficient), (Cpus{8, 9, 10, 11}));
}

TEST_F(TopologyTest, CoresThatAreAlike) {
  Put("cpu_core/cpus", "0-7");
  PutEach("cpufreq/cpuinfo_max_freq", {5200000, 5200000, 5000000, 4900000});
  EXPECT_EQ(Fast(4), (Cpus{0, 1, 2, 3}));
}

TEST_F(TopologyTest, ListsOfAllKindsAndNonsense) {
  Put("cpu_atom/cpus", "1");
  const std::pair<const char*, Cpus> kLists[] = {
      {"0,2-3,9", {0, 2, 3}}, {"3", {3}},          {"2-99999999", {2, 3}}, {"2-", {0, 1, 2, 3}},
      {"", {0, 1, 2, 3}},     {"x", {0, 1, 2, 3}}, {"5-4,0", {0}},
  };
  for (const auto& [text, expected] : kLists) {
    Put("cpu_core/cpus", text);
    EXPECT_EQ(Fast(4), expected) << text;
  }
  Put("cpu_core/cpus", "");
  PutEach("cpu_capacity", {1024, 0, 1024, 1024});  // one is not told: none counts
  EXPECT_EQ(Fast(4), (Cpus{0, 1, 2, 3}));
}

TEST(AppleCores, OfAMacWithTwoKindsAndOfOneWithout) {
  using Answers = std::map<std::string, int>;
  const auto cores = [](const Answers& answers) {
    return FastCores([&](const char* name) {
      const auto found = answers.find(name);
      return found == answers.end() ? 0 : found->second;
    });
  };
  const Answers m1 = {{"hw.perflevel0.physicalcpu", 4}, {"hw.physicalcpu", 8}, {"hw.ncpu", 8}};
  EXPECT_EQ(cores(m1), 4u);
  EXPECT_EQ(cores({{"hw.physicalcpu", 4}, {"hw.ncpu", 8}}), 4u);  // Intel's, two threads a core
  EXPECT_EQ(cores({{"hw.ncpu", 2}}), 2u);
  EXPECT_EQ(cores({}), 1u);
}

}  // namespace
}  // namespace rondo
