// A plan asks the system for nothing: only creating an engine lets the process use AMX. Here, as
// lists of kernels for tests below the ABI ask before any test runs.
#include <cstdlib>
#include <cstring>

#include "tests/c_api/tiny_model.h"

#if defined(__linux__) && defined(__x86_64__)
#include <sys/syscall.h>
#include <unistd.h>

namespace rondo::abi_test::plan_permission_test {
namespace {

bool MayUseTiles() {
  constexpr long kGetPermitted = 0x1022, kTileData = 18;
  uint64_t permitted = 0;
  return syscall(SYS_arch_prctl, kGetPermitted, &permitted) == 0 &&
         (permitted >> kTileData & 1) != 0;
}

rondo_memory_plan Plan(const rondo_model* model, const char* kernels) {
  rondo_engine_options options = EngineOptions();
  options.kernels = kernels;
  rondo_memory_plan plan = {};
  plan.struct_size = sizeof plan;
  rondo_plan(model, &options, &plan, nullptr, 0);
  return plan;
}

// 0: only creation asked, and took what the plan said.
int WhoAsks() {
  const Model model = OpenTiny();
  if (MayUseTiles()) return 1;
  const rondo_memory_plan plan = Plan(model.get(), nullptr);
  if (plan.arena_bytes == 0 || Plan(model.get(), "amx").arena_bytes == 0) return 2;
  const rondo_engine_options options = EngineOptions();
  uint32_t context = 0;
  const int32_t fits = rondo_plan_fit(model.get(), &options, UINT64_MAX / 2, &context, nullptr, 0);
  if (fits != RONDO_STATUS_OK || MayUseTiles()) return 3;
  const Engine engine = NewEngine(model.get());
  rondo_memory_plan made = {};
  made.struct_size = sizeof made;
  if (rondo_engine_memory(engine.get(), &made) != RONDO_STATUS_OK || !MayUseTiles()) return 4;
  return std::strcmp(made.kernels, plan.kernels) == 0 && made.arena_bytes == plan.arena_bytes ? 0
                                                                                              : 5;
}

TEST(PlanPermissionDeathTest, APlanAsksForNothing) {
  const Model model = OpenTiny();
  if (std::strcmp(Plan(model.get(), nullptr).kernels, "amx") != 0) GTEST_SKIP() << "no AMX here";
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // in a process that has not asked yet
  EXPECT_EXIT(std::exit(WhoAsks()), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace rondo::abi_test::plan_permission_test
#endif
