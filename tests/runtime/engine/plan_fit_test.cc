// FitContext against the plans of all contexts, for models whose positions end and which do not,
// at lengths that are no whole blocks.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "runtime/engine/plan.h"
#include "tests/support/test_model.h"
#include "tests/tools/convert/checkpoint_of.h"

namespace rondo {
namespace {

TestModel Model(bool learned, uint32_t length) {
  const TempFolder folder;
  const std::string sizes = R"("vocab_size": 97, "hidden_size": 32, "n_embd": 32, "n_layer": 1,
      "num_hidden_layers": 1, "n_head": 2, "num_attention_heads": 2, "intermediate_size": 48,)";
  const std::string n = std::to_string(length);
  convert::WriteCheckpointOf(
      folder / "model",
      "{" + sizes +
          (learned ? R"("architectures": ["GPT2LMHeadModel"], "n_positions": )"
                   : R"("architectures": ["LlamaForCausalLM"], "max_position_embeddings": )") +
          n + "}");
  return {folder / "model", format::TensorFormat::Q8};
}

// 0: there is none.
std::vector<size_t> BytesOfAll(const TestModel& model, EngineOptions options, uint32_t length) {
  std::vector<size_t> bytes(length + 1);
  for (options.context = 1; options.context <= length; ++options.context) {
    const auto plan = PlanEngine(model.file(), nullptr, options);
    if (plan.ok()) bytes[options.context] = plan->memory.arena_bytes();
  }
  return bytes;
}

TEST(PlanFit, LearnedPositionsEndWhereTheyEnd) {
  const TestModel model = Model(true, 40);
  EngineOptions options;
  for (options.context = 39; options.context <= 41; ++options.context) {
    const auto plan = PlanEngine(model.file(), nullptr, options);
    ASSERT_EQ(plan.ok(), options.context <= 40) << options.context;
    if (plan.ok()) continue;
    EXPECT_NE(std::string(plan.status().message()).find("positions end at 40"), std::string::npos)
        << plan.status().message();
  }
}

TEST(PlanFit, IsTheLargestContextOfAll) {
  std::mt19937 random(5);
  for (const bool learned : {false, true}) {
    for (const uint32_t length : {1u, 40u, 64u, 100u, 129u, 250u}) {
      const TestModel model = Model(learned, length);
      for (int form = 0; form < 6; ++form) {
        EngineOptions options;
        options.threads = 1;
        options.max_rows = 1 + random() % 60;
        options.max_sessions = 1 + form % 2;
        if (form >= 2) {
          options.policy = ContextPolicy::kSlide;
          options.sink_tokens = form == 2 ? 0 : static_cast<uint32_t>(random() % 130);
        }
        if (form == 5) options.kv_tokens = 64;
        const std::vector<size_t> all = BytesOfAll(model, options, length);
        std::vector<size_t> budgets = {0, 1000, SIZE_MAX / 2};
        for (const size_t bytes : all) {
          if (bytes > 0) budgets.insert(budgets.end(), {bytes - 1, bytes, bytes + 1});
        }
        for (const size_t budget : budgets) {
          uint32_t best = 0;
          for (uint32_t context = 1; context <= length; ++context) {
            if (all[context] > 0 && all[context] <= budget) best = context;
          }
          const auto fit = FitContext(model.file(), nullptr, options, budget);
          EXPECT_EQ(fit.ok() ? *fit : 0u, best)
              << (learned ? "learned " : "") << length << ", form " << form << ", " << budget
              << " bytes: " << fit.status().message();
        }
      }
    }
  }
}

}  // namespace
}  // namespace rondo
