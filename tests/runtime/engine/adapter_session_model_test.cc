// Sessions with unlike adapters: each gives the bits that it gives alone, whoever is beside it;
// prefixes, forks, undone tokens and snapshots are never taken for those of another adapter.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "tests/runtime/engine/small_snapshot.h"
#include "tests/support/adapter_models.h"
#include "tests/support/test_model.h"
#include "tests/tools/convert/checkpoint_of.h"
#include "tools/convert/output/pack.h"

namespace rondo::adapter_session_model_test {
namespace {

using format::TensorFormat;

// Widths that are no multiples of tiles, and tiles that q, k and v share.
constexpr const char* kConfig = R"({"architectures": ["LlamaForCausalLM"], "vocab_size": 97,
    "hidden_size": 40, "intermediate_size": 56, "num_hidden_layers": 2, "num_attention_heads": 5,
    "num_key_value_heads": 1, "head_dim": 8, "max_position_embeddings": 400})";

struct Case {
  TensorFormat weights;
  const char* kernels;
};

std::vector<Case> Cases() {
  std::vector<Case> cases;
  for (const KernelSet* set : AllKernelSets()) {
    if (!set->available() || !set->Permitted()) continue;
    for (const TensorFormat weights : {TensorFormat::Q8, TensorFormat::Q4, TensorFormat::F32}) {
      cases.push_back({weights, set->name});
    }
  }
  return cases;
}

std::vector<int32_t> Ids(size_t n, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<int32_t> ids(n);
  for (int32_t& id : ids) id = static_cast<int32_t>(random() % 97);
  return ids;
}

class AdapterSessions : public testing::TestWithParam<Case> {
 protected:
  AdapterSessions() {
    const TempFolder folder;
    convert::WriteCheckpointOf(folder.path(), kConfig);
    model_.emplace(folder.path(), GetParam().weights);
    a_.emplace(*model_, 16, 1);
    b_.emplace(*model_, 3, 2, "_proj", format::AdapterFormat::Bfloat16);
    few_.emplace(*model_, 5, 3, "0.self_attn.k_proj");
  }

  EngineOptions Options(uint32_t max_rows = 64, uint32_t threads = 2) const {
    EngineOptions o;
    o.context = 256;
    o.max_rows = max_rows;
    o.threads = threads;
    o.max_sessions = 4;
    o.kernels = GetParam().kernels;
    return o;
  }
  std::unique_ptr<Engine> NewEngine(uint32_t rank = 16, uint32_t max_rows = 64,
                                    uint32_t threads = 2) const {
    return model_->NewEngine(Options(max_rows, threads), rank);
  }
  static Session* Open(Engine& engine, const AdapterFile* adapter) {
    SessionOptions options;
    options.adapter = adapter;
    options.ignore_eos = true;
    return NewSession(engine, options);
  }
  std::vector<float> Alone(const AdapterFile* adapter, const std::vector<int32_t>& ids) const {
    const auto engine = NewEngine(adapter == nullptr ? 0 : 16);
    return AllLogits(*Open(*engine, adapter), ids);
  }
  // Behind the last of these tokens.
  std::vector<float> LastAlone(const AdapterFile* adapter, const std::vector<int32_t>& ids) const {
    const std::vector<float> all = Alone(adapter, ids);
    return {all.end() - 97, all.end()};
  }
  static std::vector<float> Last(Session& session) {
    const auto logits = Opened(session.Logits());
    return {logits.begin(), logits.end()};
  }
  std::vector<const AdapterFile*> All() const {
    return {nullptr, &a_->file(), &b_->file(), &few_->file()};
  }

  std::optional<ModelOnDisk> model_;
  std::optional<TestAdapter> a_, b_, few_;
};

TEST_P(AdapterSessions, EachChangesTheLogits) {
  const auto ids = Ids(70, 1);
  std::vector<std::vector<float>> logits;
  for (const AdapterFile* adapter : All()) logits.push_back(Alone(adapter, ids));
  for (size_t i = 0; i < logits.size(); ++i) {
    for (size_t j = 0; j < i; ++j) EXPECT_NE(logits[i], logits[j]) << i << " " << j;
  }
}

TEST_P(AdapterSessions, ChunksAndThreadsDoNotMatter) {
  const auto ids = Ids(70, 1);
  for (const AdapterFile* adapter : All()) {
    const std::vector<float> expected = Alone(adapter, ids);
    for (const uint32_t rows : {1u, 7u, 70u}) {
      for (const uint32_t threads : {1u, 3u}) {
        // A larger rank than is needed is planned, too.
        const auto engine = NewEngine(40, rows, threads);
        EXPECT_EQ(AllLogits(*Open(*engine, adapter), ids), expected) << rows << " " << threads;
      }
    }
  }
}

// Four sessions, each with an adapter of its own or none, generate side by side, in passes that
// have rows of some prompts and of some that decode.
TEST_P(AdapterSessions, OnePassServesUnlikeAdapters) {
  const auto engine = NewEngine(16, 24);
  std::vector<Session*> sessions;
  std::vector<std::vector<int32_t>> tokens;
  for (const AdapterFile* adapter : All()) {
    sessions.push_back(Open(*engine, adapter));
    tokens.push_back(Ids(20 + 13 * tokens.size(), 7));
    ASSERT_TRUE(sessions.back()->Queue(tokens.back()).ok());
  }
  for (size_t step = 0; step < 40; ++step) {
    ASSERT_TRUE(Session::Step(engine.get(), sessions).ok());
    for (size_t i = 0; i < sessions.size(); ++i) {
      const TokenEvent event = Opened(sessions[i]->TakeEvent());
      if (event.token >= 0) tokens[i].push_back(event.token);
    }
  }
  for (size_t i = 0; i < sessions.size(); ++i) {
    ASSERT_GT(tokens[i].size(), 50u);
    EXPECT_EQ(Last(*sessions[i]), LastAlone(All()[i], tokens[i])) << i;
  }
}

TEST_P(AdapterSessions, ThePrefixCacheTellsAdaptersApart) {
  const auto ids = Ids(200, 3);
  const auto engine = NewEngine();
  for (size_t round = 0; round < 2; ++round) {
    for (const AdapterFile* adapter : All()) {
      Session* const session = Open(*engine, adapter);
      ASSERT_TRUE(session->Prefill(ids).ok());
      // From its own round on each finds what it computed itself, and nothing else.
      EXPECT_EQ(session->sequence().taken_over(), round == 0 ? 0u : 192u);
      EXPECT_EQ(Last(*session), LastAlone(adapter, ids));
      engine->CloseSession(session);
    }
  }
}

TEST_P(AdapterSessions, ForksAndUndoneTokens) {
  const auto ids = Ids(100, 4);
  const auto engine = NewEngine();
  for (const AdapterFile* adapter : All()) {
    Session* const session = Open(*engine, adapter);
    ASSERT_TRUE(session->Prefill(ids).ok());
    SessionOptions options;
    Session* const fork = Opened(engine->ForkSession(*session, options));
    ASSERT_TRUE(session->Undo(30).ok());
    EXPECT_EQ(Last(*session), LastAlone(adapter, {ids.begin(), ids.end() - 30}));
    EXPECT_EQ(Last(*fork), LastAlone(adapter, ids));
    options.adapter = adapter == &a_->file() ? &b_->file() : &a_->file();
    const auto refused = engine->ForkSession(*session, options);
    EXPECT_EQ(refused.status().code(), StatusCode::kInvalidArgument);
    engine->CloseSession(session);
    engine->CloseSession(fork);
  }
}

TEST_P(AdapterSessions, SnapshotsBelongToTheirAdapter) {
  const auto ids = Ids(100, 5);
  const auto engine = NewEngine();
  for (const AdapterFile* adapter : All()) {
    Session* const session = Open(*engine, adapter);
    ASSERT_TRUE(session->Prefill(ids).ok());
    size_t size = 0;
    ASSERT_EQ(session->Save({}, &size).code(), StatusCode::kBufferTooSmall);
    std::vector<uint8_t> bytes(size);
    ASSERT_TRUE(session->Save(bytes, &size).ok());
    engine->CloseSession(session);
    for (const AdapterFile* other : All()) {
      Session* const restored = Open(*engine, other);
      const Status status = restored->Restore(bytes);
      if (other == adapter) {
        ASSERT_TRUE(status.ok()) << status.message();
        EXPECT_EQ(Last(*restored), LastAlone(adapter, ids));
      } else {
        EXPECT_EQ(status.code(), StatusCode::kSnapshotMismatch);
        EXPECT_NE(std::string(status.message()).find("adapter"), std::string::npos);
        EXPECT_EQ(restored->position(), 0u);
      }
      engine->CloseSession(restored);
    }
    // Cut anywhere or with a bit turned they are refused, and where they name their adapter as
    // older ones do.
    Session* const session2 = Open(*engine, adapter);
    if (adapter != nullptr) {
      std::vector<uint8_t> older = bytes;
      older[offsetof(SnapshotHeader, version)] = kSnapshotVersionOfNumber;
      Seal(&older);
      const Status status = session2->Restore(older);
      EXPECT_EQ(status.code(), StatusCode::kSnapshotMismatch);
      EXPECT_NE(std::string(status.message()).find("make it again"), std::string::npos);
      // Of a digest every byte counts.
      std::vector<uint8_t> other = bytes;
      other[sizeof(SnapshotHeader) + sizeof(Digest) - 1] ^= 1;
      Seal(&other);
      EXPECT_EQ(session2->Restore(other).code(), StatusCode::kSnapshotMismatch);
    }
    for (size_t cut = 0; cut < std::min<size_t>(size, 200); ++cut) {
      EXPECT_FALSE(session2->Restore({bytes.data(), cut}).ok());
    }
    for (size_t bit = 0; bit < 130 * 8; ++bit) {
      bytes[bit / 8] ^= static_cast<uint8_t>(1 << bit % 8);
      EXPECT_FALSE(session2->Restore(bytes).ok());
      bytes[bit / 8] ^= static_cast<uint8_t>(1 << bit % 8);
    }
    engine->CloseSession(session2);
  }
}

INSTANTIATE_TEST_SUITE_P(KernelSets, AdapterSessions, testing::ValuesIn(Cases()),
                         [](const auto& info) {
                           return std::string(info.param.kernels) + "_" +
                                  format::EnumNameTensorFormat(info.param.weights);
                         });

TEST(AdapterOptions, RanksAndModelsAreChecked) {
  const TempFolder folder;
  convert::WriteCheckpointOf(folder / "a", kConfig);
  const ModelOnDisk model(folder / "a"), other(folder / "a", TensorFormat::Q8);
  const TestAdapter adapter(model, 5, 1);
  EXPECT_EQ(adapter.file().rank(), 5u);
  SessionOptions session;
  session.adapter = &adapter.file();
  EngineOptions options;
  options.context = 64;
  const auto code = [&](const ModelOnDisk& m, uint32_t rank) {
    return m.NewEngine(options, rank)->OpenSession(session).status();
  };
  EXPECT_TRUE(code(model, 5).ok());
  EXPECT_STREQ(code(model, 4).message(),
               "the adapter's rank is 5, but engine option adapter_rank is 4");
  EXPECT_EQ(code(model, 0).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(code(other, 5).code(), StatusCode::kInvalidArgument);
  options.adapter_rank = kMaxAdapterRank + 1;
  EXPECT_EQ(PlanEngine(model.file(), nullptr, options).status().code(),
            StatusCode::kInvalidArgument);
}

// One that was made for the portable file, and one that was made for the packed one.
TEST(AdapterOptions, PackedFilesHaveTheSameAdapters) {
  const TempFolder folder;
  convert::WriteCheckpointOf(folder / "model", kConfig);
  const ModelOnDisk model(folder / "model", TensorFormat::Q8);
  const auto here = std::ranges::find_if(NamedLayouts(), [](const NamedLayout& layout) {
    return SelectKernelSet(layout.kernels) != nullptr;
  });
  ASSERT_TRUE(here != NamedLayouts().end());
  convert::PackOptions pack = {model.path(), folder / "packed.rondo", *here};
  convert::Pack(pack, [](uint64_t, uint64_t) {});
  ModelBytes bytes(pack.output);
  const ModelFile packed = Opened(ModelFile::Open(bytes.bytes()));
  TestAdapter adapter(model, 5, 1);
  const AdapterFile again = Opened(AdapterFile::Open(adapter.bytes().bytes(), packed));
  EngineOptions options;
  options.context = 128;
  options.adapter_rank = 5;
  options.kernels = pack.target.kernels;
  const auto logits = [&](const ModelFile& file, const AdapterFile& of) {
    const auto engine = Opened(Engine::Create(file, nullptr, options, nullptr, 0));
    SessionOptions session;
    session.adapter = &of;
    return AllLogits(*NewSession(*engine, session), Ids(70, 1));
  };
  EXPECT_EQ(logits(packed, again), logits(model.file(), adapter.file()));
}

// Nothing but what passes do first with an adapter's rows.
TEST(AdapterOptions, ThePlanIsExact) {
  const TempFolder folder;
  convert::WriteCheckpointOf(folder.path(), kConfig);
  const ModelOnDisk model(folder.path(), TensorFormat::Q8);
  EngineOptions options;
  options.context = 64;
  options.max_rows = 32;
  const auto low_bytes = [&](uint32_t rank) {
    options.adapter_rank = rank;
    const EnginePlan plan = Opened(PlanEngine(model.file(), nullptr, options));
    size_t bytes = 0;
    for (size_t i = 0; i < plan.memory.size(); ++i) bytes += plan.memory.region(i).bytes;
    return bytes;
  };
  // Of qkv, o, gate_up and down.
  EXPECT_EQ(low_bytes(16) - low_bytes(0), 4u * 32 * (4 * 16) * sizeof(float));
  EXPECT_EQ(low_bytes(5) - low_bytes(0), 4u * 32 * 32 * sizeof(float));
}

}  // namespace
}  // namespace rondo::adapter_session_model_test
