// The system refuses memory at each place where a call asks for it: the call says so or, where it
// can do without, gives the same; nothing is lost, and what it was given serves as before.
#include <cstdio>
#include <fstream>
#include <iterator>
#include <set>

#include "tests/c_api/allocation_walk_world.h"
#include "tests/c_api/allocations.h"
#include "tests/support/places.h"

namespace rondo::abi_test {
namespace {

std::vector<Scenario> Scenarios() {
  std::vector<Scenario> all;
  AddCreations(&all);
  AddChat(&all);
  AddQuiet(&all);
  return all;
}

// What the API's description names.
std::set<std::string> Functions() {
  std::ifstream file(std::string(kSourceFolder) + "/c_api/abi/api.json");
  const std::string json{std::istreambuf_iterator<char>(file), {}};
  std::set<std::string> names;
  constexpr std::string_view kName = "{\"name\": \"";
  for (size_t at = json.find("\"functions\": ["); (at = json.find(kName, at)) != json.npos;) {
    at += kName.size();
    names.insert(json.substr(at, json.find('"', at) - at));
  }
  return names;
}

TEST(AllocationWalkTest, EveryFunctionHasAScenario) {
  const std::set<std::string> functions = Functions();
  EXPECT_GT(functions.size(), 60u);
  std::set<std::string> walked;
  for (const Scenario& scenario : Scenarios()) walked.insert(scenario.function);
  EXPECT_EQ(walked, functions);
}

TEST(AllocationWalkTest, SaysSoOrDoesWithout) {
  if (!AllocationsAreCounted()) {
    GTEST_SKIP() << "no allocator to interpose here: not glibc, or a sanitizer's own";
  }
  for (const char* part : {"chat", "grammar"}) {
    int64_t is_there = 0;
    EXPECT_EQ(rondo_query(part, &is_there), RONDO_STATUS_OK);
    if (is_there == 0) GTEST_SKIP() << "the library was built without a part: " << part;
  }
  FilesOfWalk();
  Walked sum;
  for (const Scenario& scenario : Scenarios()) {
    SCOPED_TRACE(scenario.function + " (" + scenario.what + ")");
    const Walked walked = Walk(scenario);
    EXPECT_EQ(walked.met, scenario.allocates);
    EXPECT_EQ(walked.crashes, 0);
    EXPECT_EQ(walked.wrong, 0);
    sum.points += walked.points;
    sum.crashes += walked.crashes;
    sum.wrong += walked.wrong;
    if (walked.points > 0) {
      std::printf("%-28s %-36s %4d points\n", scenario.function.c_str(), scenario.what.c_str(),
                  walked.points);
    }
  }
  std::printf("%zu functions, %d points, crashes %d, wrong %d\n", Functions().size(), sum.points,
              sum.crashes, sum.wrong);
}

}  // namespace
}  // namespace rondo::abi_test
