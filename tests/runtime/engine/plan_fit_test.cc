// FitContext against the plans of all contexts, for models whose positions end and which do not,
// at lengths that are no whole blocks.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "runtime/engine/plan.h"
#include "tests/support/test_model.h"
#include "tests/tools/convert/checkpoint_of.h"

namespace rondo::plan_fit_test {
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

TestModel Mixed(const std::string& config) {
  const TempFolder folder;
  convert::WriteCheckpointOf(folder / "model", R"({"vocab_size": 97, "hidden_size": 32,
      "intermediate_size": 48, "num_hidden_layers": 2, "num_attention_heads": 4,
      "num_key_value_heads": 2, "max_position_embeddings": 600, )" +
                                                   config + "}");
  return {folder / "model", format::TensorFormat::Q8};
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

// A window of no more than that may slide: no row then sees what it would have to be turned for.
TEST(PlanFit, ADynamicRopeEndsAtTheModelsContext) {
  const TestModel model = Mixed(R"("architectures": ["LlamaForCausalLM"],
      "rope_scaling": {"type": "dynamic", "factor": 4.0})");
  EngineOptions options;
  for (const ContextPolicy policy : {ContextPolicy::kStop, ContextPolicy::kSlide}) {
    options.policy = policy;
    for (options.context = 599; options.context <= 601; ++options.context) {
      const auto plan = PlanEngine(model.file(), nullptr, options);
      ASSERT_EQ(plan.ok(), options.context <= 600) << options.context;
      if (plan.ok()) continue;
      EXPECT_EQ(plan.status().message(),
                std::string("engine option context is 601, but the model's dynamic RoPE ends at "
                            "600"));
    }
  }
}

// Layers of several kinds and a pool of so many tokens: a longer context may take less.
TEST(PlanFit, IsTheLargestContextWhereALongerOneTakesLess) {
  std::mt19937 random(7);
  bool falls = false;
  for (const char* config : {
           R"("architectures": ["Gemma3ForCausalLM"], "head_dim": 16, "sliding_window": 70,
              "sliding_window_pattern": 2, "rope_local_base_freq": 100.0)",
           R"("architectures": ["Lfm2ForCausalLM"], "conv_bias": true, "conv_L_cache": 4,
              "layer_types": ["conv", "full_attention"])",
           R"("architectures": ["Qwen3_5ForCausalLM"], "head_dim": 16,
              "layer_types": ["linear_attention", "full_attention"], "linear_num_key_heads": 2,
              "linear_num_value_heads": 4, "linear_key_head_dim": 16, "linear_value_head_dim": 16)",
           R"("architectures": ["Mamba2ForCausalLM"], "num_heads": 4, "head_dim": 16,
              "n_groups": 1, "state_size": 16)",
       }) {
    const TestModel model = Mixed(config);
    for (uint32_t form = 0; form < 6; ++form) {
      EngineOptions options;
      options.threads = 1;
      options.max_rows = 1 + random() % 200;
      options.max_sessions = 1 + form % 4;
      options.kv_tokens = form < 2 ? 0 : 1 + random() % 5000;
      if (form % 3 == 2) {
        options.policy = ContextPolicy::kSlide;
        options.sink_tokens = static_cast<uint32_t>(random() % 130);
      }
      const std::vector<size_t> all = BytesOfAll(model, options, 600);
      for (uint32_t context = 2; context <= 600; ++context) {
        falls = falls || (all[context - 1] > 0 && all[context] < all[context - 1]);
      }
      for (uint32_t context = 1; context <= 600; context += 1 + random() % 90) {
        if (all[context] == 0) continue;
        for (const size_t budget : {all[context] - 1, all[context]}) {
          uint32_t best = 600;
          while (best > 0 && (all[best] == 0 || all[best] > budget)) --best;
          const auto fit = FitContext(model.file(), nullptr, options, budget);
          ASSERT_EQ(fit.ok() ? *fit : 0u, best)
              << config << ", form " << form << ": " << fit.status().message();
        }
      }
    }
  }
  EXPECT_TRUE(falls);
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
}  // namespace rondo::plan_fit_test
