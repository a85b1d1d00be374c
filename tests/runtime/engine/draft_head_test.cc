// The draft head against the forward pass in plain loops, however its rows are cut; and what asks
// for one that is not there.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <functional>
#include <nlohmann/json.hpp>

#include "platforms/memory.h"
#include "tests/runtime/model/plain_forward.h"
#include "tests/support/test_model.h"
#include "tests/temp_folder.h"
#include "tests/tools/convert/checkpoint_of.h"
#include "tests/tools/convert/identities/scale_at_random.h"

namespace rondo::draft_head_test {
namespace {

struct Case {
  const char* name;
  const char* config;
};

// With states beside, experts, latent attention, a chain by the norm and without.
const Case kCases[] = {
    {"Qwen3_5", R"("architectures": ["Qwen3_5ForCausalLM"], "head_dim": 16,
      "layer_types": ["linear_attention", "full_attention"], "linear_num_key_heads": 2,
      "linear_num_value_heads": 4, "linear_key_head_dim": 16, "linear_value_head_dim": 16)"},
    {"Qwen3Next", R"("architectures": ["Qwen3NextForCausalLM"], "head_dim": 16,
      "layer_types": ["linear_attention", "full_attention"], "linear_num_key_heads": 2,
      "linear_num_value_heads": 4, "linear_key_head_dim": 8, "linear_value_head_dim": 16,
      "num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 24,
      "shared_expert_intermediate_size": 24)"},
    {"DeepSeekV3", R"("architectures": ["DeepseekV3ForCausalLM"], "q_lora_rank": 24,
      "kv_lora_rank": 16, "qk_nope_head_dim": 16, "qk_rope_head_dim": 8, "v_head_dim": 16,
      "n_routed_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 24, "n_group": 1,
      "topk_group": 1, "n_shared_experts": 1, "first_k_dense_replace": 1,
      "num_nextn_predict_layers": 1)"},
    {"Glm4MoeLite", R"("architectures": ["Glm4MoeLiteForCausalLM"], "q_lora_rank": 24,
      "kv_lora_rank": 16, "qk_nope_head_dim": 16, "qk_rope_head_dim": 8, "v_head_dim": 16,
      "n_routed_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 24, "n_group": 1,
      "topk_group": 1, "n_shared_experts": 1, "num_nextn_predict_layers": 1)"},
    {"Glm4Moe", R"("architectures": ["Glm4MoeForCausalLM"], "head_dim": 16,
      "n_routed_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 24, "n_group": 1,
      "topk_group": 1, "n_shared_experts": 1, "first_k_dense_replace": 1, "use_qk_norm": true,
      "num_nextn_predict_layers": 1)"},
};

TestModel Converted(const char* config, bool draft_head = true, bool scaled = false) {
  const TempFolder folder;
  const std::string json = std::string(R"({"vocab_size": 97, "hidden_size": 32,
      "intermediate_size": 48, "num_hidden_layers": 2, "num_attention_heads": 4,
      "num_key_value_heads": 2, "max_position_embeddings": 400, )") +
                           config + "}";
  convert::WriteCheckpointWithAnyDraftHead(folder / "model", nlohmann::json::parse(json).dump());
  if (!scaled) return TestModel(folder / "model", format::TensorFormat::F32, 32, draft_head);
  convert::ConvertOptions options;
  options.directory = folder / "model";
  options.weights = options.embedding = format::TensorFormat::F32;
  options.draft_head = draft_head;
  options.change = std::bind_front(convert::ScaleAtRandom, 2);
  return TestModel(options);
}

// The decoder with one sequence, and its draft head behind every pass.
class Head {
 public:
  Head(const ModelFile& file, const KernelSet& set, KvFormat kv, uint32_t max_rows) {
    EngineOptions options;
    options.context = 256;
    options.max_rows = max_rows;
    options.threads = 2;
    options.kv_format = kv;
    options.draft_head = true;
    const ContextWindow window = {.blocks = 4};
    runner_ = std::move(*Runner::Plan(file, set, options, window, options.context, &memory_));
    if (!memory_.Layout().ok()) throw std::runtime_error("no layout");
    arena_ = static_cast<uint8_t*>(MapMemory(memory_.arena_bytes()));
    threads_ = ThreadPool::Create(2, {});
    const Status status = runner_.Bind(file, memory_, arena_, threads_, {});
    if (!status.ok()) throw std::runtime_error(status.message());
    table_memory_.resize(BlockTable::Bytes(runner_.kv) / sizeof(uint64_t) + 1);
    table_ = runner_.NewTable(std::as_writable_bytes(std::span(table_memory_)));
    kept_.resize(file.model().hidden_size());
  }
  ~Head() {
    ThreadPool::Destroy(threads_);
    UnmapMemory(arena_, memory_.arena_bytes());
  }
  Head(const Head&) = delete;
  Head& operator=(const Head&) = delete;

  // Behind each of `ids`, of which the last 1 + chained are drafts' rows.
  // `drafts_only`: the head follows the others without saying anything.
  std::vector<float> Logits(const std::vector<int32_t>& ids, size_t rows, size_t chained,
                            bool drafts_only = false) {
    std::vector<float> all;
    const size_t evaluated = ids.size() - 1 - chained;
    for (size_t begin = 0; begin < evaluated; begin += rows) {
      const size_t n = std::min(rows, evaluated - begin);
      EXPECT_TRUE(table_.Prepare(begin, begin + n));
      SequenceRows of = Rows(ids, begin, n);
      Pass pass(decoder().resources(), {&of, 1});
      decoder().Forward(pass);
      const std::vector<float> before = kept_;
      if (begin > 0) of.before = before.data();
      decoder().KeepHidden(pass, n - 1, kept_.data());
      if (drafts_only) of.first_wanted = n;
      Pass head(decoder().resources(), {&of, 1}, PassPart::kDrafts);
      Run(head);
      if (!drafts_only) AddLogits(head, n, &all);
      table_.Commit();
    }
    EXPECT_TRUE(table_.Prepare(evaluated, ids.size()));
    for (size_t at = evaluated; at < ids.size(); ++at) {
      SequenceRows of = Rows(ids, at, 1);
      of.before = kept_.data();
      Pass head(decoder().resources(), {&of, 1}, PassPart::kDrafts);
      Run(head);
      decoder().KeepHidden(head, 0, kept_.data());
      AddLogits(head, 1, &all);
    }
    table_.Rollback();
    return all;
  }

 private:
  Decoder& decoder() { return runner_.decoder; }
  SequenceRows Rows(const std::vector<int32_t>& ids, size_t begin, size_t n) {
    keys_ = std::vector<InputKey>(ids.begin(), ids.end());
    return {&table_, begin, std::span(keys_).subspan(begin, n), n, false, &cancel_};
  }
  void Run(Pass& head) {
    decoder().Embed(head);
    decoder().RunLayer(head, decoder().first_layer(PassPart::kDrafts));
  }
  void AddLogits(const Pass& pass, size_t n, std::vector<float>* all) {
    for (size_t row = 0; row < n; ++row) {
      const float* logits = decoder().Logits(pass, {&row, 1}, false);
      all->insert(all->end(), logits, logits + decoder().weights().draft_head().head.shape.n);
    }
  }

  std::vector<InputKey> keys_;
  MemoryPlan memory_;
  Runner runner_;
  uint8_t* arena_ = nullptr;
  ThreadPool* threads_ = nullptr;
  std::vector<uint64_t> table_memory_;
  BlockTable table_;
  std::vector<float> kept_;
  const Cancellation cancel_;
};

class DraftHeads : public testing::TestWithParam<Case> {};

TEST_P(DraftHeads, EqualPlainLoops) {
  const TestModel model = Converted(GetParam().config);
  constexpr size_t kChained = 3;
  std::vector<int32_t> ids(150);
  for (size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<int32_t>(i * i % 97);
  const std::vector<double> expected =
      PlainForward(model.file()).DraftLogits({ids.begin(), ids.end()}, kChained);
  const size_t n_tokens = model.file().model().draft_head()->n_tokens();
  for (const KernelSet* set : AllKernelSets()) {
    if (!set->available()) continue;
    const auto logits = Head(model.file(), *set, KvFormat::kFloat32, 64).Logits(ids, 64, kChained);
    ASSERT_EQ(logits.size(), expected.size() + n_tokens);
    double largest = 0, difference = 0;
    for (size_t i = 0; i < expected.size(); ++i) {
      largest = std::max(largest, std::abs(expected[i]));
      difference = std::max(difference, std::abs(expected[i] - logits[n_tokens + i]));
    }
    EXPECT_GT(largest, 0.1);
    EXPECT_LT(difference / largest, 2e-5) << set->name;
    for (const KvFormat kv : {KvFormat::kFloat32, KvFormat::kInt8}) {
      const auto whole = Head(model.file(), *set, kv, 64).Logits(ids, 64, kChained);
      for (const uint32_t rows : {1u, 7u}) {
        const auto cut = Head(model.file(), *set, kv, rows).Logits(ids, rows, kChained);
        EXPECT_EQ(std::memcmp(cut.data(), whole.data(), whole.size() * sizeof(float)), 0)
            << set->name << ' ' << rows;
        const auto drafts = Head(model.file(), *set, kv, rows).Logits(ids, rows, kChained, true);
        ASSERT_EQ(drafts.size(), (1 + kChained) * n_tokens);
        EXPECT_EQ(std::memcmp(drafts.data(), whole.data() + whole.size() - drafts.size(),
                              drafts.size() * sizeof(float)),
                  0)
            << set->name << ' ' << rows;
      }
    }
  }
}

TEST_P(DraftHeads, AreTheSameOfEqualModels) {
  const TestModel model = Converted(GetParam().config);
  const TestModel scaled = Converted(GetParam().config, true, true);
  const std::vector<int32_t> ids = {5, 4, 90, 3, 3, 17, 60, 8, 21, 33};
  const auto logits = [&](const TestModel& of) {
    return Head(of.file(), *SelectKernelSet(""), KvFormat::kFloat32, 16).Logits(ids, 16, 2);
  };
  EXPECT_EQ(logits(scaled), logits(model));
}

std::string Name(const testing::TestParamInfo<Case>& info) { return info.param.name; }
INSTANTIATE_TEST_SUITE_P(All, DraftHeads, testing::ValuesIn(kCases), Name);

TEST(DraftHead, IsAskedForWhereThereIsNone) {
  const TestModel model = Converted(kCases[0].config, false);
  EngineOptions options;
  options.draft_head = true;
  const auto none = Engine::Create(model.file(), nullptr, options, nullptr, 0);
  ASSERT_EQ(none.status().code(), StatusCode::kInvalidArgument);
  EXPECT_NE(std::string(none.status().message()).find("no draft head"), std::string::npos);
  options.draft_head = false;
  const auto engine = model.NewEngine(options);
  SessionOptions wants_head;
  wants_head.speculation = Speculation::kDraftHead;
  const auto session = engine->OpenSession(wants_head);
  ASSERT_EQ(session.status().code(), StatusCode::kInvalidArgument);
  EXPECT_NE(std::string(session.status().message()).find("draft_head is 0"), std::string::npos);
}

TEST(DraftHead, ASnapshotIsOfEnginesWithIt) {
  const TestModel model = Converted(kCases[0].config);
  const auto save = [&](bool draft_head) {
    EngineOptions options;
    options.draft_head = draft_head;
    const auto engine = model.NewEngine(options);
    Session* session = NewSession(*engine);
    EXPECT_TRUE(session->Prefill(std::vector<int32_t>{1, 2, 3}).ok());
    size_t bytes = 0;
    (void)session->Save({}, &bytes);
    std::vector<uint8_t> snapshot(bytes);
    EXPECT_TRUE(session->Save(snapshot, &bytes).ok());
    EXPECT_TRUE(session->Restore(snapshot).ok());
    return snapshot;
  };
  const std::vector<uint8_t> with = save(true), without = save(false);
  EngineOptions options;
  const auto engine = model.NewEngine(options);
  Session* session = NewSession(*engine);
  EXPECT_TRUE(session->Restore(without).ok());
  const Status status = session->Restore(with);
  EXPECT_EQ(status.code(), StatusCode::kSnapshotMismatch);
  EXPECT_NE(std::string(status.message()).find("draft_head"), std::string::npos);
}

TEST(DraftHead, TakesNothingWhereItIsNotAskedFor) {
  const TestModel with = Converted(kCases[0].config), without = Converted(kCases[0].config, false);
  const auto bytes = [](const TestModel& model, bool draft_head) {
    EngineOptions options;
    options.draft_head = draft_head;
    return PlanEngine(model.file(), nullptr, options)->memory.arena_bytes();
  };
  EXPECT_EQ(bytes(with, false), bytes(without, false));
  EXPECT_GT(bytes(with, true), bytes(with, false));
}

}  // namespace
}  // namespace rondo::draft_head_test
