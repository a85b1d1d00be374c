// Sessions that slide in a pool which is too small for all of them: a prefill is done whole or not
// at all, whoever computes beside it; and in a pool with room for all nobody is refused.
#include <gtest/gtest.h>

#include <cstring>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>

#include "tests/support/test_model.h"
#include "tests/temp_folder.h"
#include "tests/tools/convert/checkpoint_of.h"

namespace rondo::pool_full_model_test {
namespace {

constexpr uint32_t kVocab = 97;
constexpr uint32_t kSessions = 4;

struct Case {
  const char* name;
  const char* config;
};

constexpr Case kCases[] = {
    {"llama", R"("architectures": ["LlamaForCausalLM"])"},
    {"gemma3", R"("architectures": ["Gemma3ForCausalLM"], "head_dim": 16, "sliding_window": 70,
      "sliding_window_pattern": 2, "rope_local_base_freq": 100.0)"},
    {"qwen3_5", R"("architectures": ["Qwen3_5ForCausalLM"], "head_dim": 16,
      "layer_types": ["linear_attention", "full_attention"], "linear_num_key_heads": 2,
      "linear_num_value_heads": 4, "linear_key_head_dim": 16, "linear_value_head_dim": 16)"},
    {"mamba2", R"("architectures": ["Mamba2ForCausalLM"], "num_heads": 4, "head_dim": 16,
      "n_groups": 1, "state_size": 16)"},
};

class PoolFull : public testing::TestWithParam<Case> {
 protected:
  PoolFull() {
    const std::string json =
        std::string(R"({"vocab_size": 97, "hidden_size": 32, "intermediate_size": 48,
          "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2,
          "max_position_embeddings": 4096, )") +
        GetParam().config + "}";
    convert::WriteCheckpointOf(folder_ / "model", nlohmann::json::parse(json).dump());
    model_ = std::make_unique<TestModel>(folder_ / "model", format::TensorFormat::Q8);
  }

  std::unique_ptr<Engine> NewEngine(uint64_t kv_tokens, uint32_t max_rows,
                                    uint32_t sessions = kSessions) const {
    EngineOptions options;
    options.context = 256;
    options.policy = ContextPolicy::kSlide;
    options.max_rows = max_rows;
    options.max_sessions = sessions;
    options.kv_tokens = kv_tokens;
    options.threads = 1;
    return model_->NewEngine(options);
  }

  static std::vector<int32_t> Ids(size_t n, uint32_t seed) {
    std::mt19937 random(seed);
    std::vector<int32_t> ids(n);
    for (int32_t& id : ids) id = static_cast<int32_t>(random() % kVocab);
    return ids;
  }

  // Calls at random on a session of its own; returns how many prefills were refused.
  static void Calls(Engine* engine, Session* session, uint32_t seed, size_t* refused) {
    std::mt19937 random(seed);
    const uint64_t max_rows = engine->limits().max_rows;
    for (int step = 0; step < 60; ++step) {
      const uint64_t before = session->position();
      const uint32_t what = random() % 8;
      if (what == 0) {
        session->Reset();
      } else if (what == 1) {
        static_cast<void>(session->Undo(std::min(before, random() % (max_rows + 1))));
      } else if (what == 2) {
        for (int i = 0; i < 20 && session->Accept(5).ok(); ++i) continue;
      } else if (what == 3) {
        static_cast<void>(session->Logits());
      } else {
        const Status status = session->Prefill(Ids(1 + random() % (what < 6 ? 60 : 900), random()));
        if (status.ok()) continue;
        ++*refused;
        EXPECT_EQ(status.code(), StatusCode::kKvPoolFull);
        EXPECT_EQ(session->position(), before) << status.message();
        uint64_t done, total;
        session->Progress(&done, &total);
        EXPECT_EQ(total, 0u);
      }
    }
    session->Reset();
  }

  static size_t Together(Engine* engine, uint32_t seed) {
    size_t refused[kSessions] = {};
    std::vector<std::thread> threads;
    for (uint32_t i = 0; i < kSessions; ++i) {
      Session* const session = NewSession(*engine);
      threads.emplace_back(
          [=, &refused] { Calls(engine, session, seed * kSessions + i, &refused[i]); });
    }
    size_t all = 0;
    for (uint32_t i = 0; i < kSessions; ++i) {
      threads[i].join();
      all += refused[i];
    }
    return all;
  }

  const TempFolder folder_;
  std::unique_ptr<TestModel> model_;
};

// All that a session was before a refused prefill it is afterwards.
TEST_P(PoolFull, ARefusedPrefillChangesNothing) {
  for (const uint64_t others : {250u, 300u, 400u}) {
    const auto engine = NewEngine(448, 64, 2);
    Session* const session = NewSession(*engine);
    Session* const other = NewSession(*engine);
    static_cast<void>(other->Prefill(Ids(others, 1)));
    for (const size_t n : {64u, 100u, 128u}) {
      session->Reset();
      if (!session->Prefill(Ids(n, 2)).ok()) continue;
      const Status status = session->Prefill(Ids(700, 3));
      if (status.ok()) continue;
      ASSERT_EQ(status.code(), StatusCode::kKvPoolFull);
      ASSERT_EQ(session->position(), n);
      ASSERT_TRUE(session->Undo(64).ok());
      const std::vector<int32_t> more = Ids(70, 4);
      const std::vector<float> actual = AllLogits(*session, more);
      session->Reset();
      std::vector<int32_t> all = Ids(n, 2);
      all.resize(n - 64);
      if (!all.empty()) {
        ASSERT_TRUE(session->Prefill(all).ok());
      }
      ASSERT_EQ(actual, AllLogits(*session, more));
    }
  }
}

TEST_P(PoolFull, InASmallPoolPrefillsAreDoneWholeOrNotAtAll) {
  for (const uint32_t max_rows : {30u, 64u, 200u}) {
    for (const uint64_t kv_tokens : {300u, 700u, 1000u}) {
      const auto engine = NewEngine(kv_tokens, max_rows);
      Together(engine.get(), 7);
    }
  }
}

TEST_P(PoolFull, InAPoolForAllNobodyIsRefused) {
  for (const uint32_t max_rows : {1u, 30u, 64u, 200u}) {
    const auto engine = NewEngine(0, max_rows);
    EXPECT_EQ(Together(engine.get(), 9), 0u);
  }
}

INSTANTIATE_TEST_SUITE_P(All, PoolFull, testing::ValuesIn(kCases),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace rondo::pool_full_model_test
