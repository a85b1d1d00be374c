// An engine with kv_tokens 0 never says that its pool is full, whatever sessions do side by side:
// random schedules of steps for many, forks, undos, snapshots and cancels, with drafts of each
// kind. And what copies and shared blocks leave is right: under STOP each session's logits are in
// the end those of its tokens alone, to the bit.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

#include "tests/support/test_model.h"
#include "tests/temp_folder.h"
#include "tests/tools/convert/checkpoint_of.h"

namespace rondo::whole_pool_model_test {
namespace {

struct Case {
  const char* name;
  const char* config;
};

constexpr Case kCases[] = {
    {"llama", R"("architectures": ["LlamaForCausalLM"])"},
    {"gemma3", R"("architectures": ["Gemma3ForCausalLM"], "head_dim": 16, "sliding_window": 70,
      "sliding_window_pattern": 2, "rope_local_base_freq": 100.0)"},
    {"lfm2", R"("architectures": ["Lfm2ForCausalLM"], "conv_bias": true, "conv_L_cache": 4,
      "layer_types": ["conv", "full_attention"])"},
    {"qwen3_5", R"("architectures": ["Qwen3_5ForCausalLM"], "head_dim": 16,
      "layer_types": ["linear_attention", "full_attention"], "linear_num_key_heads": 2,
      "linear_num_value_heads": 4, "linear_key_head_dim": 16, "linear_value_head_dim": 16)"},
    {"mamba2", R"("architectures": ["Mamba2ForCausalLM"], "num_heads": 4, "head_dim": 16,
      "n_groups": 1, "state_size": 16)"},
};

class Schedule {
 public:
  Schedule(const TestModel& model, uint32_t seed) : model_(model), random_(seed) {
    options_.threads = 1;
    options_.policy = seed % 3 == 2 ? ContextPolicy::kSlide : ContextPolicy::kStop;
    options_.context = slides() ? 128 + 64 * Below(2) : 40 + Below(200);
    options_.max_rows = std::vector<uint32_t>{2, 9, 64, 130, 700}[Below(5)];
    options_.max_sessions = 2 + Below(4);
    if (seed % 2 == 1) options_.draft = {&model.file(), model.tokenizer()};
    engine_ = model.NewEngine(options_);
    sessions_.assign(options_.max_sessions, nullptr);
  }

  void Run(int calls) {
    for (int i = 0; i < calls && !testing::Test::HasFailure(); ++i) Call();
    for (Session* session : sessions_) {
      if (session != nullptr && !slides() && session->position() > 0) ExpectAsAlone(session);
    }
  }

 private:
  uint32_t Below(uint32_t n) { return static_cast<uint32_t>(random_() % n); }
  bool slides() const { return options_.policy == ContextPolicy::kSlide; }

  void Expect(const Status& status, const char* call) {
    EXPECT_NE(status.code(), StatusCode::kKvPoolFull)
        << call << ": " << options_.max_sessions << " sessions, context " << options_.context
        << ", max_rows " << options_.max_rows;
  }

  std::vector<int32_t> Ids(uint64_t n) {
    std::vector<int32_t> ids(n);
    for (int32_t& id : ids) id = static_cast<int32_t>(Below(5));
    return ids;
  }

  SessionOptions Options() {
    SessionOptions options;
    options.ignore_eos = true;
    options.speculation = static_cast<Speculation>(Below(options_.draft.file != nullptr ? 3 : 2));
    return options;
  }

  void Call() {
    Session*& session = sessions_[Below(options_.max_sessions)];
    const uint32_t what = Below(13);
    if (session == nullptr || what == 0) return Reopen(&session);
    if (what == 12) return ForkForAll(session);
    if (what == 1) {
      Expect(session->Undo(std::min<uint64_t>(session->position(), Below(80))), "undo");
    } else if (what == 2) {
      size_t bytes = 0;
      static_cast<void>(session->Save({}, &bytes));
      snapshot_.resize(bytes);
      if (!session->Save(snapshot_, &bytes).ok()) snapshot_.clear();
    } else if (what == 3 && !snapshot_.empty()) {
      Expect(session->Restore(snapshot_), "restore");
    } else if (what == 4) {
      session->Cancel();
    } else if (what == 5) {
      Expect(session->Logits().status(), "logits");
    } else if (what < 8 && session->remaining() > 1) {
      // Often all that is left of the context, but for the token that a step then samples.
      const uint64_t most = std::min<uint64_t>(session->remaining() - 1, options_.context);
      const uint64_t n = Below(2) == 0 ? most : 1 + Below(static_cast<uint32_t>(most));
      Expect(session->Queue(Ids(n)), "queue");
    } else {
      Step();
    }
  }

  void Reopen(Session** session) {
    const Session* const other = sessions_[Below(options_.max_sessions)];
    if (*session != nullptr && other == *session) return;
    if (*session != nullptr) engine_->CloseSession(*session);
    const auto opened = other != nullptr ? engine_->ForkSession(*other, Options())
                                         : engine_->OpenSession(Options());
    ASSERT_TRUE(opened.ok());
    *session = *opened;
  }

  // All are forks of one, which go their own ways to the end of their contexts at once.
  void ForkForAll(const Session* first) {
    for (Session*& session : sessions_) {
      if (session == first) continue;
      if (session != nullptr) engine_->CloseSession(session);
      session = *engine_->ForkSession(*first, Options());
    }
    for (Session* session : sessions_) {
      const uint64_t left = std::max<uint64_t>(session->remaining(), 1) - 1;
      const uint64_t most = std::min<uint64_t>(left, options_.context);
      if (most > 0) Expect(session->Queue(Ids(most)), "queue");
    }
    Step(true);
  }

  void Step(bool all = false) {
    std::vector<Session*> some;
    for (Session* session : sessions_) {
      if (session != nullptr && (all || Below(5) > 0)) some.push_back(session);
    }
    Expect(Session::Step(engine_.get(), some), "step");
    for (Session* session : some) {
      for (;;) {
        const auto event = session->TakeEvent();
        Expect(event.status(), "event");
        if (!event.ok() || event->token < 0) break;
      }
    }
  }

  void ExpectAsAlone(Session* session) {
    std::vector<int32_t> ids;
    for (uint64_t i = 0; i < session->position(); ++i) ids.push_back(session->keys()[i]);
    static_cast<void>(session->Logits());  // ends a cancel that is late
    const auto actual = session->Logits();
    ASSERT_TRUE(actual.ok()) << actual.status().message();
    const auto alone = model_.NewEngine(options_);
    Session* const other = NewSession(*alone);
    ASSERT_TRUE(other->Prefill(ids).ok());
    const auto expected = other->Logits();
    ASSERT_TRUE(expected.ok());
    EXPECT_EQ(std::memcmp(actual->data(), expected->data(), expected->size_bytes()), 0);
  }

  const TestModel& model_;
  std::mt19937 random_;
  EngineOptions options_;
  std::unique_ptr<Engine> engine_;
  std::vector<Session*> sessions_;
  std::vector<uint8_t> snapshot_;
};

class WholePool : public testing::TestWithParam<Case> {};

TEST_P(WholePool, IsNeverFull) {
  const std::string json =
      std::string(R"({"vocab_size": 97, "hidden_size": 32, "intermediate_size": 48,
        "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2,
        "max_position_embeddings": 4096, )") +
      GetParam().config + "}";
  const TempFolder folder;
  convert::WriteCheckpointOf(folder / "model", nlohmann::json::parse(json).dump());
  const TestModel model(folder / "model", format::TensorFormat::Q8);
  for (uint32_t seed = 0; seed < 30 && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Schedule(model, seed).Run(60);
  }
}

INSTANTIATE_TEST_SUITE_P(All, WholePool, testing::ValuesIn(kCases),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace rondo::whole_pool_model_test
