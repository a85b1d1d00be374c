// A plan asks the system for nothing: only creating an engine lets the process use AMX.
#include <gtest/gtest.h>

#include <cstdlib>

#include "platforms/cpu.h"
#include "runtime/engine/plan.h"
#include "tests/support/test_model.h"
#include "tests/tools/convert/checkpoint_of.h"

#if defined(__linux__) && defined(__x86_64__)
#include <sys/syscall.h>
#include <unistd.h>

namespace rondo {
namespace {

bool MayUseTiles() {
  constexpr long kGetPermitted = 0x1022, kTileData = 18;
  uint64_t permitted = 0;
  return syscall(SYS_arch_prctl, kGetPermitted, &permitted) == 0 &&
         (permitted >> kTileData & 1) != 0;
}

// 0: only creation asked, and took what the plan said.
int WhoAsks() {
  const TempFolder folder;
  convert::WriteCheckpointOf(folder / "model", R"({"architectures": ["LlamaForCausalLM"],
      "vocab_size": 97, "hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2,
      "intermediate_size": 48, "max_position_embeddings": 100})");
  const TestModel model(folder / "model", format::TensorFormat::Q8);
  if (MayUseTiles()) return 1;
  EngineOptions options;
  const auto plan = PlanEngine(model.file(), nullptr, options);
  options.kernels = "amx";
  if (!plan.ok() || !PlanEngine(model.file(), nullptr, options).ok()) return 2;
  if (!FitContext(model.file(), nullptr, options, SIZE_MAX / 2).ok() || MayUseTiles()) return 3;
  options.kernels = "";
  const auto engine = Engine::Create(model.file(), nullptr, options, nullptr, 0);
  if (!engine.ok() || !MayUseTiles()) return 4;
  const EnginePlan& made = (*engine)->plan();
  return made.set == plan->set && made.memory.arena_bytes() == plan->memory.arena_bytes() ? 0 : 5;
}

TEST(PlanPermissionDeathTest, APlanAsksForNothing) {
  if (!DetectCpu().amx_int8) GTEST_SKIP() << "no AMX here";
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // in a process that has not asked yet
  EXPECT_EXIT(std::exit(WhoAsks()), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace rondo
#endif
