// A session that was restored goes on like the one that was saved: the same logits, tokens, text
// and undo, to the bit, in whichever engine of the model and the kernel set.
#include "runtime/engine/snapshot.h"

#include <gtest/gtest.h>

#include <cstring>
#include <nlohmann/json.hpp>
#include <random>

#include "tests/support/combinations.h"
#include "tests/support/test_model.h"
#include "tests/temp_folder.h"
#include "tests/tools/convert/checkpoint_of.h"

namespace rondo::snapshot_model_test {
namespace {

constexpr uint32_t kVocab = 97;
constexpr uint32_t kRows = 24;  // of one pass of the engine that saves

struct Architecture {
  const char* name;
  const char* config;
};

// What a snapshot holds of a position differs: windows, convolutions, frequencies that change.
constexpr Architecture kArchitectures[] = {
    {"llama", R"("architectures": ["LlamaForCausalLM"])"},
    {"gemma3", R"("architectures": ["Gemma3ForCausalLM"], "head_dim": 16, "sliding_window": 20,
      "sliding_window_pattern": 2, "rope_local_base_freq": 100.0)"},
    {"qwen3_5", R"("architectures": ["Qwen3_5ForCausalLM"], "head_dim": 16,
      "layer_types": ["linear_attention", "full_attention", "linear_attention"],
      "linear_num_key_heads": 2, "linear_num_value_heads": 4, "linear_key_head_dim": 16,
      "linear_value_head_dim": 16)"},
    {"bamba", R"("architectures": ["BambaForCausalLM"], "attn_layer_indices": [1],
      "mamba_n_heads": 8, "mamba_n_groups": 2, "mamba_d_state": 16)"},
    {"falcon_h1", R"("architectures": ["FalconH1ForCausalLM"], "mamba_d_ssm": 48,
      "mamba_n_heads": 2, "mamba_d_state": 8, "mamba_d_conv": 3, "mamba_rms_norm": true)"},
    {"mamba2", R"("architectures": ["Mamba2ForCausalLM"], "num_heads": 4, "head_dim": 16,
      "n_groups": 1, "state_size": 16)"},
    {"lfm2", R"("architectures": ["Lfm2ForCausalLM"], "conv_bias": true, "conv_L_cache": 4,
      "layer_types": ["conv", "full_attention", "conv"])"},
    {"phi3", R"("architectures": ["Phi3ForCausalLM"], "original_max_position_embeddings": 150,
      "sliding_window": 90, "rope_scaling": {"type": "longrope", "short_factor": [1, 1, 1, 1],
      "long_factor": [1, 2, 3, 4]})"},
};

struct Policy {
  const char* name;
  ContextPolicy policy;
  uint32_t context;
  uint32_t sink_tokens;
};
constexpr Policy kPolicies[] = {{"stop", ContextPolicy::kStop, 400, 0},
                                {"slide", ContextPolicy::kSlide, 128, 0},
                                {"sinks", ContextPolicy::kSlide, 192, 4}};

struct Case {
  Architecture architecture;
  KvFormat kv;
  const KernelSet* set;
  Policy policy;
};

std::vector<Case> Cases() {
  std::vector<Case> cases;
  constexpr KvFormat kKvFormats[] = {KvFormat::kInt8, KvFormat::kFloat32, KvFormat::kK4V4};
  for (const bool slow : {false, true}) {
    const std::vector<const KernelSet*> sets = AvailableKernels(slow);
    for (const Choice& c : Choices({std::size(kArchitectures), std::size(kKvFormats), sets.size(),
                                    std::size(kPolicies)})) {
      cases.push_back({kArchitectures[c[0]], kKvFormats[c[1]], sets[c[2]], kPolicies[c[3]]});
    }
  }
  return cases;
}

std::string Name(const testing::TestParamInfo<Case>& info) {
  const Case& c = info.param;
  return std::string(c.architecture.name) + "_" + RuleOf(c.kv).name + "_" + c.set->name + "_" +
         c.policy.name;
}

std::vector<int32_t> Ids(size_t n, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<int32_t> ids(n);
  for (int32_t& id : ids) id = static_cast<int32_t>(random() % kVocab);
  return ids;
}

std::vector<uint8_t> Saved(const Session& session) {
  size_t bytes = 0;
  EXPECT_EQ(session.Save({}, &bytes).code(), StatusCode::kBufferTooSmall);
  std::vector<uint8_t> snapshot(bytes);
  const Status status = session.Save(snapshot, &bytes);
  EXPECT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(bytes, snapshot.size());
  return snapshot;
}

class SnapshotTest : public testing::TestWithParam<Case> {
 protected:
  SnapshotTest() {
    const std::string json =
        std::string(R"({"vocab_size": 97, "hidden_size": 32, "intermediate_size": 48,
          "num_hidden_layers": 3, "num_attention_heads": 4, "num_key_value_heads": 2,
          "max_position_embeddings": 400, )") +
        GetParam().architecture.config + "}";
    convert::WriteCheckpointOf(folder_ / "model", nlohmann::json::parse(json).dump());
    model_ = std::make_unique<TestModel>(folder_ / "model", format::TensorFormat::Q8);
  }

  std::unique_ptr<Engine> NewEngine(uint32_t max_rows, uint32_t threads, uint32_t sessions) const {
    const Case& c = GetParam();
    EngineOptions options;
    options.context = c.policy.context;
    options.policy = c.policy.policy;
    options.sink_tokens = c.policy.sink_tokens;
    options.max_rows = max_rows;
    options.max_sessions = sessions;
    options.threads = threads;
    options.kv_format = c.kv;
    options.kernels = c.set->name;
    return model_->NewEngine(options);
  }

  static SessionOptions Options() {
    SessionOptions options;
    options.sampler.temperature = 1.3f;
    options.sampler.repetition_penalty = 1.2f;
    options.sampler.penalty_last_n = 4096;
    options.sampler.seed = 5;
    options.ignore_eos = true;
    options.max_tokens = 90;
    return options;
  }

  // Something random happens to the session.
  static void Live(Session* session, std::mt19937& random, uint64_t* furthest) {
    const uint64_t room = session->remaining();
    const auto ids = Ids(1 + random() % (std::min<uint64_t>(room, 149) + 1), random());
    switch (random() % 8) {
      case 0:
      case 1:
        if (ids.size() > room) break;
        ASSERT_TRUE(session->Prefill(ids).ok());
        break;
      case 2:
        if (ids.size() > room) break;
        session->Cancel();
        ASSERT_EQ(session->Prefill(ids).code(), StatusCode::kCancelled);
        break;
      case 3:
      case 4:  // tokens that wait
        for (size_t i = 0; i < std::min<size_t>({ids.size(), room, 40}); ++i) {
          ASSERT_TRUE(session->Accept(ids[i]).ok());
        }
        break;
      case 5:
        static_cast<void>(session->Undo(random() % 60));
        break;
      case 6:
        if (random() % 8 == 0) {
          session->Reset();
          *furthest = 0;
        }
        break;
      default:
        for (int i = 0; i < 30 && session->position() > 0; ++i) {
          ASSERT_TRUE(session->Next().ok());
        }
    }
    *furthest = std::max(*furthest, session->position());
  }

  static void ExpectSameLogits(Session* a, Session* b, const std::string& what) {
    const auto expected = a->Logits();
    const auto actual = b->Logits();
    ASSERT_EQ(expected.status().code(), actual.status().code()) << what;
    if (!expected.ok()) return;
    ASSERT_EQ(std::memcmp(expected->data(), actual->data(), expected->size_bytes()), 0) << what;
  }

  // Both go the same way.
  static void ExpectTheSameLife(Session* a, Session* b, uint64_t undoable, uint32_t seed,
                                const std::string& what) {
    for (int i = 0; i < 6; ++i) {
      const auto expected = a->Next(), actual = b->Next();
      ASSERT_EQ(expected.status().code(), actual.status().code()) << what;
      if (!expected.ok()) break;
      ASSERT_EQ(expected->token, actual->token) << what;
      ASSERT_EQ(expected->reason, actual->reason) << what;
    }
    undoable += 6;  // of what came since there is more than came
    for (const uint64_t n : {uint64_t{1}, undoable / 2, undoable - undoable / 2 - 7}) {
      const uint64_t some = std::min(n, a->position());
      ASSERT_TRUE(a->Undo(some).ok()) << what;
      ASSERT_TRUE(b->Undo(some).ok()) << what << " undo " << n;
      ASSERT_NO_FATAL_FAILURE(ExpectSameLogits(a, b, what + " undo " + std::to_string(n)));
    }
    const auto ids = Ids(std::min<uint64_t>(a->remaining(), 100), seed);
    if (ids.empty()) return;
    const auto expected = AllLogits(*a, ids), actual = AllLogits(*b, ids);
    ASSERT_EQ(std::memcmp(expected.data(), actual.data(), expected.size() * sizeof(float)), 0)
        << what;
  }

  const TempFolder folder_;
  std::unique_ptr<TestModel> model_;
};

TEST_P(SnapshotTest, TheRestoredSessionGoesOnLikeTheSavedOne) {
  const bool slides = GetParam().policy.policy == ContextPolicy::kSlide;
  const auto saving = NewEngine(kRows, 1, 2);
  const std::unique_ptr<Engine> others[] = {NewEngine(kRows, 2, 1), NewEngine(7, 1, 3),
                                            NewEngine(130, 1, 2)};
  for (uint32_t seed = 0; seed < 3; ++seed) {
    std::mt19937 random(seed);
    Session* session = NewSession(*saving, Options());
    Session* restored[] = {NewSession(*saving, Options()), NewSession(*others[0], Options()),
                           NewSession(*others[1], Options()), NewSession(*others[2], Options())};
    uint64_t furthest = 0;
    for (int step = 0; step < 24; ++step) {
      ASSERT_NO_FATAL_FAILURE(Live(session, random, &furthest));
      if (step % 3 != 0) continue;
      const std::string what = "seed " + std::to_string(seed) + " step " + std::to_string(step);
      const std::vector<uint8_t> snapshot = Saved(*session);
      const uint64_t position = session->position();
      Session* to = restored[random() % 4];
      if (random() % 2 == 0 && to->remaining() >= 100) {  // that is forgotten
        ASSERT_TRUE(to->Prefill(Ids(1 + random() % 100, random())).ok());
      }
      const Status status = to->Restore(snapshot);
      ASSERT_TRUE(status.ok()) << what << ": " << status.message();
      ASSERT_EQ(to->position(), position) << what;
      // Nothing is evaluated again but rows behind a state.
      const uint64_t evaluated = session->sequence().evaluated();
      ASSERT_EQ(to->sequence().evaluated(), session->sequence().kv().StatesFor(evaluated)) << what;
      ASSERT_LE(evaluated - to->sequence().evaluated(), kMostKeptRows) << what;
      ASSERT_NO_FATAL_FAILURE(ExpectSameLogits(session, to, what));
      const uint64_t less = furthest - position;  // taken back already
      const uint64_t rows = to == restored[2] ? 7 : kRows;
      const uint64_t undoable = slides ? rows - std::min(rows, less) : position;
      if (undoable < 10 && slides) continue;
      ASSERT_NO_FATAL_FAILURE(ExpectTheSameLife(session, to, undoable, random(), what));
      furthest = std::max(furthest, session->position());
    }
    saving->CloseSession(session);
    saving->CloseSession(restored[0]);
    for (size_t i = 0; i < 3; ++i) others[i]->CloseSession(restored[i + 1]);
  }
}

// A snapshot of a snapshot is the same bytes, where the rings are as long.
TEST_P(SnapshotTest, WhatWasRestoredIsSavedAlike) {
  const auto a = NewEngine(kRows, 1, 1), b = NewEngine(kRows, 1, 1);
  Session* session = NewSession(*a);
  Session* restored = NewSession(*b);
  const auto ids = Ids(350, 1);
  for (size_t at = 0; at < ids.size(); at += 50) {
    const std::vector<uint8_t> snapshot = Saved(*session);
    ASSERT_TRUE(restored->Restore(snapshot).ok());
    ASSERT_EQ(Saved(*restored), snapshot) << at;
    ASSERT_TRUE(session->Prefill(std::span(ids).subspan(at, 50)).ok());
  }
}

INSTANTIATE_TEST_SUITE_P(All, SnapshotTest, testing::ValuesIn(Cases()), Name);

const TestModel& Tiny() {
  static const TestModel model(TestData("tiny"), format::TensorFormat::Q8);
  return model;
}

EngineOptions TinyOptions(const char* kernels) {
  EngineOptions options;
  options.context = 256;
  options.threads = 1;
  options.kernels = kernels;
  return options;
}

// At every token, with half characters and beginnings of stop strings held back.
TEST(SnapshotText, TheTextGoesOnWhereItWas) {
  const std::string_view stops[] = {"the th", "e e", "zz", "\xc3\xa9\xc3\xa9"};
  SessionOptions options;
  options.sampler.temperature = 1.8f;  // tokens of all kinds, halves of characters among them
  options.ignore_eos = true;
  options.stop_strings = stops;
  size_t ended = 0, empty = 0;
  for (uint64_t seed = 0; seed < 8; ++seed) {
    options.sampler.seed = seed;
    const auto a = Tiny().NewEngine(TinyOptions("")), b = Tiny().NewEngine(TinyOptions(""));
    Session* session = NewSession(*a, options);
    Session* restored = NewSession(*b, options);
    ASSERT_TRUE(session->Prefill(std::vector<int32_t>{1, 300, 40}).ok());
    for (int i = 0; i < 150; ++i) {
      ASSERT_TRUE(restored->Restore(Saved(*session)).ok());
      for (int more = 0; more < 3; ++more) {  // what the restored one says, the saved one says, too
        const auto next = restored->Next();
        ASSERT_TRUE(next.ok());
        if (more > 0) continue;
        const std::string text(next->text);
        const auto expected = session->Next();
        ASSERT_TRUE(expected.ok());
        ASSERT_EQ(text, expected->text) << "seed " << seed << " token " << i;
        ASSERT_EQ(next->token, expected->token);
        ASSERT_EQ(next->reason, expected->reason);
        empty += expected->text.empty();
        if (expected->reason == FinishReason::kNone) continue;
        ++ended;
        ASSERT_TRUE(restored->Restore(Saved(*session)).ok());
        ASSERT_EQ(restored->Next()->reason, expected->reason);  // it stays ended
        // A token of the caller's begins another text.
        ASSERT_TRUE(session->Accept(200).ok());
        ASSERT_TRUE(session->TakeEvent().ok());  // one that was not taken is in no snapshot
        ASSERT_TRUE(restored->Restore(Saved(*session)).ok());
        ASSERT_TRUE(session->Undo(seed % 2).ok());
        break;
      }
    }
  }
  EXPECT_GT(ended, 0u);
  EXPECT_GT(empty, 0u);  // something was held back
}

// Another kernel set goes on with keys and values that it would have rounded a little otherwise.
TEST(SnapshotKernels, AnotherKernelSetGoesOn) {
  constexpr size_t kTokens = 40;
  const auto greedy = [&](Session* session) {
    std::vector<int32_t> tokens;
    for (size_t i = 0; i < kTokens; ++i) tokens.push_back(session->Next()->token);
    return tokens;
  };
  const auto ids = Ids(150, 4);
  SessionOptions options;
  options.ignore_eos = true;
  for (const KernelSet* from : AllKernelSets()) {
    if (!from->available()) continue;
    const auto a = Tiny().NewEngine(TinyOptions(from->name));
    Session* session = NewSession(*a, options);
    ASSERT_TRUE(session->Prefill(ids).ok());
    const std::vector<uint8_t> snapshot = Saved(*session);
    for (const KernelSet* to : AllKernelSets()) {
      if (!to->available()) continue;
      const auto b = Tiny().NewEngine(TinyOptions(to->name));
      Session* restored = NewSession(*b, options);
      ASSERT_TRUE(restored->Restore(snapshot).ok());
      const auto expected = session->Logits(), actual = restored->Logits();
      float largest = 0;
      for (size_t i = 0; i < expected->size(); ++i) {
        largest = std::max(largest, std::abs((*expected)[i] - (*actual)[i]));
      }
      EXPECT_LT(largest, 1e-4f) << from->name << " to " << to->name;
      ASSERT_TRUE(session->Prefill(std::vector<int32_t>{5}).ok());
      ASSERT_TRUE(restored->Prefill(std::vector<int32_t>{5}).ok());
      EXPECT_EQ(greedy(session), greedy(restored)) << from->name << " to " << to->name;
      ASSERT_TRUE(session->Undo(kTokens + 1).ok());
      RecordProperty(std::string(from->name) + "_to_" + to->name, std::to_string(1e6 * largest));
    }
  }
}

}  // namespace
}  // namespace rondo::snapshot_model_test
