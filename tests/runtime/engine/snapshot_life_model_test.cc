// Whatever calls came before, what a session saves can be restored, and goes on with the same bits:
// for every operator that keeps something of what it saw.
#include <gtest/gtest.h>

#include <cstring>
#include <nlohmann/json.hpp>
#include <random>

#include "tests/support/test_model.h"
#include "tests/temp_folder.h"
#include "tests/tools/convert/checkpoint_of.h"

namespace rondo::snapshot_life_model_test {
namespace {

constexpr uint32_t kVocab = 97;
constexpr uint32_t kSteps = 120;

struct Case {
  const char* name;
  const char* config;
};

constexpr Case kCases[] = {
    {"llama", R"("architectures": ["LlamaForCausalLM"])"},
    {"gemma3", R"("architectures": ["Gemma3ForCausalLM"], "head_dim": 16, "sliding_window": 20,
      "sliding_window_pattern": 2, "rope_local_base_freq": 100.0)"},
    {"llama4",
     R"("architectures": ["Llama4ForCausalLM"], "head_dim": 8, "intermediate_size_mlp": 24,
      "attention_chunk_size": 70, "interleave_moe_layer_step": 2, "no_rope_layer_interval": 2,
      "floor_scale": 2, "num_local_experts": 2)"},
    {"deepseek", R"("architectures": ["DeepseekV3ForCausalLM"], "q_lora_rank": 12,
      "num_key_value_heads": 4, "kv_lora_rank": 16, "qk_nope_head_dim": 8, "qk_rope_head_dim": 8,
      "v_head_dim": 8, "n_routed_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 8,
      "first_k_dense_replace": 1, "n_group": 2, "topk_group": 1)"},
    {"qwen3_5", R"("architectures": ["Qwen3_5ForCausalLM"], "head_dim": 16,
      "layer_types": ["linear_attention", "full_attention"], "linear_num_key_heads": 2,
      "linear_num_value_heads": 4, "linear_key_head_dim": 16, "linear_value_head_dim": 16)"},
    {"falcon_h1", R"("architectures": ["FalconH1ForCausalLM"], "mamba_d_ssm": 48,
      "mamba_n_heads": 2, "mamba_d_state": 8, "mamba_d_conv": 3, "mamba_rms_norm": true)"},
    {"bamba", R"("architectures": ["BambaForCausalLM"], "attn_layer_indices": [1],
      "mamba_n_heads": 8, "mamba_n_groups": 2, "mamba_d_state": 16)"},
    {"mamba2", R"("architectures": ["Mamba2ForCausalLM"], "num_heads": 4, "head_dim": 16,
      "n_groups": 1, "state_size": 16)"},
    {"lfm2", R"("architectures": ["Lfm2ForCausalLM"], "conv_L_cache": 4,
      "layer_types": ["conv", "full_attention"])"},
    {"phi3", R"("architectures": ["Phi3ForCausalLM"], "original_max_position_embeddings": 150,
      "sliding_window": 90, "rope_scaling": {"type": "longrope", "short_factor": [1, 1, 1, 1],
      "long_factor": [1, 2, 3, 4]})"},
};

struct Sizes {
  ContextPolicy policy;
  uint32_t context;
  uint32_t sink_tokens;
  uint32_t max_rows;
};
constexpr Sizes kSizes[] = {{ContextPolicy::kStop, 1024, 0, 256},
                            {ContextPolicy::kStop, 512, 0, 30},
                            {ContextPolicy::kSlide, 128, 0, 256},
                            {ContextPolicy::kSlide, 192, 4, 64}};

class SnapshotLife : public testing::TestWithParam<std::tuple<Case, Sizes>> {
 protected:
  SnapshotLife() : sizes_(std::get<1>(GetParam())) {
    const std::string json =
        std::string(R"({"vocab_size": 97, "hidden_size": 32, "intermediate_size": 48,
          "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2,
          "max_position_embeddings": 1024, )") +
        std::get<0>(GetParam()).config + "}";
    convert::WriteCheckpointOf(folder_ / "model", nlohmann::json::parse(json).dump());
    model_ = std::make_unique<TestModel>(folder_ / "model", format::TensorFormat::Q8);
  }

  std::unique_ptr<Engine> NewEngine(uint32_t max_rows, uint32_t threads) const {
    EngineOptions options;
    options.context = sizes_.context;
    options.policy = sizes_.policy;
    options.sink_tokens = sizes_.sink_tokens;
    options.max_rows = max_rows;
    options.max_sessions = 3;
    options.threads = threads;
    return model_->NewEngine(options);
  }

  static std::vector<int32_t> Ids(size_t n, std::mt19937& random) {
    std::vector<int32_t> ids(n);
    for (int32_t& id : ids) id = static_cast<int32_t>(random() % kVocab);
    return ids;
  }

  static std::vector<uint8_t> Saved(const Session& session) {
    size_t bytes = 0;
    EXPECT_EQ(session.Save({}, &bytes).code(), StatusCode::kBufferTooSmall);
    std::vector<uint8_t> snapshot(bytes);
    EXPECT_TRUE(session.Save(snapshot, &bytes).ok());
    return snapshot;
  }

  // A prefill that is cancelled somewhere, before its first pass or behind some rows.
  static void CancelledPrefill(Session* session, const std::vector<int32_t>& ids, size_t rows) {
    struct Countdown {
      Session* session;
      size_t rows;
    } countdown = {session, rows};
    const LogitsSink sink = {[](void* user, uint64_t, std::span<const float>) {
                               auto* c = static_cast<Countdown*>(user);
                               if (c->rows-- == 0) c->session->Cancel();
                             },
                             &countdown};
    if (rows == 0) session->Cancel();
    static_cast<void>(rows == 0 ? session->Prefill(ids) : session->PrefillLogits(ids, sink));
    session->sequence().ForgetCancel();
  }

  // One random call, whatever becomes of it. Returns its name.
  std::string Call(Engine* engine, Session** session, std::mt19937& random) {
    Session* const s = *session;
    const uint64_t most = std::min<uint64_t>(s->remaining(), random() % 5 == 0 ? 700 : 150);
    const std::vector<int32_t> ids = Ids(most == 0 ? 1 : 1 + random() % most, random);
    const uint64_t position = s->position();
    switch (random() % 12) {
      case 0:
      case 1:
        static_cast<void>(s->Prefill(ids));
        return "prefill";
      case 2:
        CancelledPrefill(s, ids, random() % (2 * ids.size()));
        return "cancelled prefill";
      case 3:
        for (size_t i = 0; i < ids.size() % 70; ++i) static_cast<void>(s->Next());
        return "next";
      case 4:
        for (const int32_t id : ids) static_cast<void>(s->Accept(id));
        return "accept";
      case 5:
        static_cast<void>(s->Undo(random() % (std::min<uint64_t>(position, 70) + 1)));
        return "undo a little";
      case 6:
        static_cast<void>(s->Undo(random() % (position + 1)));
        return "undo";
      case 7:  // to a block's end
        static_cast<void>(s->Undo(position - position / 64 * 64 + 64 * (random() % 3)));
        return "undo to a block";
      case 8:
        static_cast<void>(s->Queue(ids));
        for (uint32_t i = random() % 4; i > 0; --i) {
          static_cast<void>(Session::Step(engine, {session, 1}));
          static_cast<void>(s->TakeEvent());
        }
        return "step";
      case 9: {
        Session* const fork = *engine->ForkSession(*s, {});
        engine->CloseSession(s);
        *session = fork;
        return "fork";
      }
      case 10:
        s->Cancel();
        static_cast<void>(s->Logits());
        s->sequence().ForgetCancel();
        return "cancelled logits";
      default:
        if (random() % 4 == 0) s->Reset();
        return "reset";
    }
  }

  static void ExpectTheSame(Session* a, Session* b, const std::vector<int32_t>& more,
                            const std::string& story) {
    const auto expected = a->Logits(), actual = b->Logits();
    ASSERT_EQ(expected.status().code(), actual.status().code()) << story;
    if (expected.ok()) {
      ASSERT_EQ(std::memcmp(expected->data(), actual->data(), expected->size_bytes()), 0) << story;
    }
    if (a->remaining() < more.size()) return;
    ASSERT_EQ(AllLogits(*a, more), AllLogits(*b, more)) << story;
  }

  const Sizes sizes_;
  const TempFolder folder_;
  std::unique_ptr<TestModel> model_;
};

TEST_P(SnapshotLife, WhatWasSavedIsRestored) {
  const auto engine = NewEngine(sizes_.max_rows, 1);
  const std::unique_ptr<Engine> others[] = {NewEngine(sizes_.max_rows, 2), NewEngine(9, 1),
                                            NewEngine(300, 1)};
  for (uint32_t seed = 0; seed < 2; ++seed) {
    std::mt19937 random(seed);
    Session* session = NewSession(*engine);
    std::vector<uint8_t> earlier = Saved(*session);
    std::string story;
    for (uint32_t step = 0; step < kSteps; ++step) {
      if (random() % 15 == 0) {
        ASSERT_TRUE(session->Restore(earlier).ok()) << story;
        story += ", restore";
      }
      story += ", " + Call(engine.get(), &session, random);
      story += " " + std::to_string(session->position());
      const std::vector<uint8_t> snapshot = Saved(*session);
      if (random() % 8 == 0) earlier = snapshot;
      std::vector<Session*> restored;
      for (const auto& other : others) {
        restored.push_back(NewSession(*other));
        const Status status = restored.back()->Restore(snapshot);
        ASSERT_TRUE(status.ok()) << status.message() << story;
        ASSERT_EQ(restored.back()->position(), session->position());
      }
      Session* const same = *engine->ForkSession(*session, {});
      const size_t to = random() % std::size(others);
      if (step % 3 == 0) {
        const std::vector<int32_t> more = Ids(1 + random() % 90, random);
        ASSERT_NO_FATAL_FAILURE(ExpectTheSame(same, restored[to], more, story));
      }
      engine->CloseSession(same);
      for (size_t i = 0; i < std::size(others); ++i) others[i]->CloseSession(restored[i]);
    }
    engine->CloseSession(session);
  }
}

INSTANTIATE_TEST_SUITE_P(All, SnapshotLife,
                         testing::Combine(testing::ValuesIn(kCases), testing::ValuesIn(kSizes)),
                         [](const auto& info) {
                           const Sizes& sizes = std::get<1>(info.param);
                           return std::string(std::get<0>(info.param).name) +
                                  (sizes.policy == ContextPolicy::kStop ? "_stop_" : "_slide_") +
                                  std::to_string(sizes.context);
                         });

}  // namespace
}  // namespace rondo::snapshot_life_model_test
