// Several sequences in one pass: each row's logits are those of its sequence alone, to the bit,
// whatever joins, leaves, is forked, restored, taken over, cancelled, cut back or refused beside
// it.
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <random>

#include "tests/support/combinations.h"
#include "tests/support/test_model.h"
#include "tests/temp_folder.h"
#include "tests/tools/convert/checkpoint_of.h"

namespace rondo::step_model_test {
namespace {

constexpr uint32_t kVocab = 97;

struct Architecture {
  const char* name;
  const char* config;
};

// What schedules must not disturb: windows of layers, convolutions, experts.
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
    {"mixtral", R"("architectures": ["MixtralForCausalLM"], "num_local_experts": 5,
      "num_experts_per_tok": 2, "sliding_window": 33)"},
};

struct Format {
  const char* name;
  format::TensorFormat weights;
  KvFormat kv;
};
constexpr Format kFormats[] = {{"q8", format::TensorFormat::Q8, KvFormat::kInt8},
                               {"q4", format::TensorFormat::Q4, KvFormat::kInt8},
                               {"q8k4v4", format::TensorFormat::Q8, KvFormat::kK4V4},
                               {"f32", format::TensorFormat::F32, KvFormat::kFloat32}};

struct Case {
  Architecture architecture;
  Format format;
  const KernelSet* set;
  bool slides;
};

std::vector<Case> Cases() {
  std::vector<Case> cases;
  for (const bool slow : {false, true}) {
    const std::vector<const KernelSet*> sets = AvailableKernels(slow);
    for (const Choice& c :
         Choices({std::size(kArchitectures), std::size(kFormats), sets.size(), 2})) {
      cases.push_back({kArchitectures[c[0]], kFormats[c[1]], sets[c[2]], c[3] == 1});
    }
  }
  return cases;
}

std::string Name(const testing::TestParamInfo<Case>& info) {
  const Case& c = info.param;
  return std::string(c.architecture.name) + "_" + c.format.name + "_" + c.set->name +
         (c.slides ? "_slide" : "_stop");
}

// One text, a function of its number: a sequence that is cut back goes on with the same tokens.
std::vector<int32_t> Text(uint32_t number, size_t length) {
  std::mt19937 random(number);
  std::vector<int32_t> ids(length);
  for (int32_t& id : ids) id = static_cast<int32_t>(random() % kVocab);
  return ids;
}

class Schedules : public testing::TestWithParam<Case> {
 protected:
  static constexpr size_t kLength = 330;  // of a text
  static constexpr uint32_t kTexts = 3;
  static constexpr size_t kMostSessions = 16;

  Schedules() {
    const std::string json =
        std::string(R"({"vocab_size": 97, "hidden_size": 32, "intermediate_size": 48,
          "num_hidden_layers": 3, "num_attention_heads": 4, "num_key_value_heads": 2,
          "max_position_embeddings": 400, )") +
        GetParam().architecture.config + "}";
    convert::WriteCheckpointOf(folder_ / "model", nlohmann::json::parse(json).dump());
    model_ = std::make_unique<TestModel>(folder_ / "model", GetParam().format.weights);
    EngineOptions alone = Options(1, kTexts);
    alone.no_prefix_cache = true;
    const auto engine = model_->NewEngine(alone);
    for (uint32_t text = 0; text < kTexts; ++text) {
      expected_.push_back(AllLogits(*NewSession(*engine), Text(text, kLength)));
    }
  }

  EngineOptions Options(uint32_t threads, uint32_t sessions) const {
    EngineOptions options;
    options.context = GetParam().slides ? 128 : 400;
    options.policy = GetParam().slides ? ContextPolicy::kSlide : ContextPolicy::kStop;
    options.max_rows = 24;
    options.max_sessions = sessions;
    options.threads = threads;
    options.kv_format = GetParam().format.kv;
    options.kernels = GetParam().set->name;
    return options;
  }

  // One of the sequences of a schedule, and what its rows must give.
  struct Member {
    Schedules* test = nullptr;
    Session* session = nullptr;
    uint32_t text = 0;
    int wanted = 0;  // rows that were asked for and did not come yet; below 0: not counted

    static void Row(void* self, uint64_t position, std::span<const float> logits) {
      auto* member = static_cast<Member*>(self);
      const float* expected =
          member->test->expected_[member->text].data() + position * logits.size();
      ++member->test->rows_seen_;
      --member->wanted;
      EXPECT_EQ(std::memcmp(logits.data(), expected, logits.size_bytes()), 0)
          << "text " << member->text << " position " << position;
    }
    Sequence& sequence() const { return session->sequence(); }
    // Queues the next tokens of its text, and asks for the logits of all of them or of the last. An
    // input stands for the first of them now and then, whose rows are their embeddings.
    void Append(Engine* engine, size_t n, bool all, std::mt19937* random) {
      const std::vector<int32_t> text = Text(this->text, kLength);
      uint64_t at = sequence().position();
      n = std::min<uint64_t>({n, sequence().room(), kLength - at});
      if (n == 0) return;
      if (random != nullptr && n > 1 && (*random)() % 3 == 0) {
        const size_t rows = 1 + (*random)() % (n - 1);
        if (AppendInput(engine, std::span(text).subspan(at, rows))) {
          at += rows;
          n -= rows;
          ++test->inputs_;
        }
      }
      sequence().Append(std::span(text).subspan(at, n), all ? 0 : n - 1);
      wanted = all ? static_cast<int>(n) : 1;
    }
    // False where other inputs take all the room.
    bool AppendInput(Engine* engine, std::span<const int32_t> ids) const {
      const std::vector<float> rows = EmbeddingsOf(*engine, ids);
      const Result<uint32_t> input =
          engine->inputs().Add({rows.data(), RowFormat::kFloat32, ids.size(), nullptr, false});
      if (!input.ok()) {
        EXPECT_EQ(input.status().code(), StatusCode::kKvPoolFull) << input.status().message();
        return false;
      }
      sequence().AppendInput(*input, 0, static_cast<uint32_t>(ids.size()));
      engine->inputs().Release(*input);
      return true;
    }
  };

  // The engine's pool, which in the middle of a pass may cancel a sequence.
  struct Canceller {
    size_t calls = 0;
    Sequence* sequence = nullptr;

    static void ParallelFor(void* self, size_t count, void (*task)(void*, size_t), void* context) {
      auto* const canceller = static_cast<Canceller*>(self);
      if (canceller->sequence != nullptr && canceller->calls-- == 0) {
        canceller->sequence->Cancel();
        canceller->sequence = nullptr;
      }
      for (size_t i = 0; i < count; ++i) task(context, i);
    }
  };

  // A schedule of 2 to 16 sessions; in every third one the pool is too small for them.
  void Run(uint32_t seed) {
    std::mt19937 random(seed);
    const uint32_t sessions = 2 + random() % (kMostSessions - 1);
    EngineOptions options = Options(1 + seed % 2, sessions);
    if (seed % 5 > 1) options.max_rows = 150;
    if (seed % 3 == 2) options.kv_tokens = (1 + random() % ((sessions + 1) / 2)) * kKvBlockTokens;
    if (seed % 4 == 3) options.rows_per_step = 1 + random() % options.max_rows;
    if (seed % 2 == 0) options.max_input_rows = 1 + random() % 600;
    Canceller canceller;
    if (seed % 2 == 1) options.host_pool = {Canceller::ParallelFor, &canceller};
    const auto engine = model_->NewEngine(options);
    const size_t n_groups = engine->plan().runner.kv.groups().size();
    std::vector<size_t> free_blocks;
    for (size_t g = 0; g < n_groups; ++g) {
      free_blocks.push_back(engine->plan().runner.pool.free_blocks(g));
    }
    std::vector<Member> members(sessions);
    for (int step = 0; step < 30; ++step) {
      std::vector<Sequence*> pass;
      std::vector<uint64_t> before;
      std::vector<bool> cancelled;
      for (Member& member : members) {
        if (member.session == nullptr) {  // joins
          member = {this, NewSession(*engine), static_cast<uint32_t>(random() % kTexts)};
          member.sequence().set_sink({Member::Row, &member});
        }
        Sequence& sequence = member.sequence();
        const uint32_t what = random() % 16;
        if (what == 0) {  // leaves
          engine->CloseSession(member.session);
          member.session = nullptr;
          continue;
        }
        const uint64_t less = sequence.position() - random() % (sequence.position() + 1) / 4;
        if (what == 1 && sequence.CanTruncate(less)) {
          const MutexLock turn(engine->turn());
          sequence.Truncate(less);
          member.wanted = -1;
        }
        const Member& other = members[random() % sessions];
        if (what == 2 && other.session != nullptr && &other != &member) {
          const MutexLock turn(engine->turn());
          sequence.CopyFrom(other.sequence());
          member.text = other.text;
          member.wanted = -1;
        }
        if (what == 5 && other.session != nullptr && &other != &member) {
          size_t bytes = 0;
          ASSERT_EQ(other.session->Save({}, &bytes).code(), StatusCode::kBufferTooSmall);
          std::vector<uint8_t> snapshot(bytes);
          ASSERT_TRUE(other.session->Save(snapshot, &bytes).ok());
          const Status status = member.session->Restore(snapshot);
          if (status.ok()) {
            member.text = other.text;
            member.wanted = -1;
            ++restored_;
          } else {
            ASSERT_EQ(status.code(), StatusCode::kKvPoolFull) << status.message();
          }
        }
        sequence.BeginPass();
        if (sequence.outcome().code() == StatusCode::kUnsupported) {  // rows that nobody has
          const MutexLock turn(engine->turn());
          sequence.Truncate(0);
          ++gone_;
        }
        if (sequence.position() == kLength && sequence.pending() == 0) {
          const MutexLock turn(engine->turn());
          sequence.Truncate(0);
        }
        if (sequence.pending() == 0) {
          const size_t n = random() % 3 == 0 ? 1 + random() % 150 : 1;
          const bool all = random() % 2 == 0;
          member.Append(engine.get(), n, all, options.max_input_rows > 0 ? &random : nullptr);
        }
        if (what == 3 || sequence.pending() == 0) continue;  // waits
        const bool cancel = what == 4;
        if (cancel) {
          sequence.Cancel();
          member.wanted = -1;
        }
        pass.push_back(&sequence);
        before.push_back(sequence.evaluated());
        cancelled.push_back(cancel);
      }
      if (pass.empty()) continue;
      const size_t chosen = random() % pass.size();
      canceller = {random() % 40, random() % 3 == 0 ? pass[chosen] : nullptr};
      if (canceller.sequence != nullptr && options.host_pool.parallel_for != nullptr) {
        cancelled[chosen] = true;
        for (Member& member : members) {
          if (member.session != nullptr && &member.sequence() == pass[chosen]) member.wanted = -1;
        }
      }
      if (const Status status = engine->Step(pass); !status.ok()) {
        ASSERT_EQ(status.code(), StatusCode::kKvPoolFull) << status.message();
        ASSERT_NE(options.kv_tokens, 0u);
        ++refused_;
        const size_t leaves = random() % pass.size();
        for (size_t i = 0; i < pass.size(); ++i) {
          EXPECT_EQ(pass[i]->evaluated(), std::max(before[i], pass[i]->taken_over()));
          pass[i]->ForgetCancel();
        }
        for (Member& member : members) {
          if (member.session == nullptr || &member.sequence() != pass[leaves]) continue;
          engine->CloseSession(member.session);
          member.session = nullptr;
        }
        continue;
      }
      for (const Member& member : members) {
        if (member.session == nullptr || member.sequence().pending() > 0) continue;
        EXPECT_LE(member.wanted, 0) << "a row that was asked for did not come";
      }
      for (size_t i = 0; i < pass.size(); ++i) {
        // One that the pass had no rows for waits for the next.
        if (!cancelled[i] || pass[i]->outcome().ok()) continue;
        ++dropped_;
        EXPECT_EQ(pass[i]->outcome().code(), StatusCode::kCancelled);
        EXPECT_EQ(pass[i]->evaluated(), std::max(before[i], pass[i]->taken_over()));
      }
    }
    taken_over_ += engine->stats().tokens_taken_over;
    // Whatever was given up and refused, no block is lost.
    for (Member& member : members) engine->CloseSession(member.session);
    for (size_t g = 0; g < n_groups; ++g) {
      EXPECT_EQ(engine->plan().runner.pool.free_blocks(g), free_blocks[g]) << "group " << g;
    }
    EXPECT_EQ(engine->inputs().free_rows(), options.max_input_rows);
  }

  const TempFolder folder_;
  std::unique_ptr<TestModel> model_;
  std::vector<std::vector<float>> expected_;
  size_t rows_seen_ = 0;
  size_t refused_ = 0;
  size_t restored_ = 0;
  size_t dropped_ = 0;
  uint64_t taken_over_ = 0;
  size_t inputs_ = 0;
  size_t gone_ = 0;
};

TEST_P(Schedules, EqualEachSequenceAlone) {
  for (uint32_t seed = 0; seed < 11; ++seed) Run(seed);
  EXPECT_GT(rows_seen_, 1000u);
  EXPECT_GT(refused_, 0u);
  EXPECT_GT(restored_, 0u);
  EXPECT_GT(dropped_, 20u);
  EXPECT_GT(taken_over_, 0u);
  EXPECT_GT(inputs_, 20u);
}

INSTANTIATE_TEST_SUITE_P(All, Schedules, testing::ValuesIn(Cases()), Name);

}  // namespace
}  // namespace rondo::step_model_test
