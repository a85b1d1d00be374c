// A row's logits depend on the tokens, the model and the kernel set alone, to the bit.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "runtime/decoder/attention.h"
#include "tests/support/combinations.h"
#include "tests/support/test_model.h"

namespace rondo::row_invariance_model_test {
namespace {

struct Case {
  format::TensorFormat weights;
  uint32_t block;
  KvFormat kv;
  const char* kernels;
  bool fine_rows = false;  // of all matrices that may have them
};

std::vector<Case> Cases() {
  std::vector<Case> cases;
  for (const KernelSet* set : AllKernelSets()) {
    if (!set->available() || !set->Permitted()) continue;
    cases.push_back({format::TensorFormat::Q8, 32, KvFormat::kInt8, set->name});
    cases.push_back({format::TensorFormat::F32, 32, KvFormat::kFloat32, set->name});
    if (SlowKernels(set->name) && !Weekly()) continue;
    cases.push_back({format::TensorFormat::Q4, 0, KvFormat::kInt8, set->name, true});
    cases.push_back({format::TensorFormat::Q8, 32, KvFormat::kK8V4, set->name});
    cases.push_back({format::TensorFormat::Q8, 32, KvFormat::kK4V4, set->name});
    cases.push_back({format::TensorFormat::Q4, 0, KvFormat::kInt8, set->name});
    cases.push_back({format::TensorFormat::Q3, 0, KvFormat::kInt8, set->name});
    cases.push_back({format::TensorFormat::Q2, 0, KvFormat::kInt8, set->name});
    cases.push_back({format::TensorFormat::Q4B, 32, KvFormat::kInt8, set->name});
  }
  return cases;
}

std::string Name(const testing::TestParamInfo<Case>& info) {
  const Case& c = info.param;
  const bool usual = c.kv == KvFormat::kInt8 || c.kv == KvFormat::kFloat32;
  return std::string(c.kernels) + "_" + format::EnumNameTensorFormat(c.weights) +
         (usual ? "" : std::string("_") + RuleOf(c.kv).name) + (c.fine_rows ? "_fine" : "");
}

convert::ConvertOptions OptionsOf(const Case& c) {
  convert::ConvertOptions options;
  options.directory = TestData("tiny");
  options.weights = c.weights;
  options.block = c.block;
  if (c.weights == format::TensorFormat::F32) options.embedding = c.weights;
  return options;
}

void MakeRowsFine(format::ModelT& model) {
  for (const auto& layer : model.layers) {
    for (const auto& sublayer : layer->sublayers) {
      if (auto* const mlp = sublayer->op.AsMlp()) {
        mlp->gate_up->fine_rows = mlp->down->fine_rows = true;
      } else if (auto* const attention = sublayer->op.AsAttention()) {
        attention->qkv->fine_rows = attention->output->fine_rows = true;
      }
    }
  }
}

std::vector<int32_t> RandomIds(size_t n, uint32_t vocab, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<int32_t> ids(n);
  for (int32_t& id : ids) id = static_cast<int32_t>(random() % vocab);
  return ids;
}

class RowInvariance : public testing::TestWithParam<Case> {
 protected:
  RowInvariance() : model_(OptionsOf(GetParam()), GetParam().fine_rows ? MakeRowsFine : nullptr) {}

  EngineOptions Options(uint32_t max_rows, uint32_t threads = 1) const {
    EngineOptions o;
    o.max_rows = max_rows;
    o.threads = threads;
    o.kv_format = GetParam().kv;
    o.kernels = GetParam().kernels;
    return o;
  }
  std::vector<int32_t> Ids(size_t n, uint32_t seed = 1) const {
    return RandomIds(n, model_.file().model().vocab_size(), seed);
  }
  static void ExpectSameBits(const std::vector<float>& a, const std::vector<float>& b,
                             const char* what) {
    ASSERT_EQ(a.size(), b.size());
    EXPECT_EQ(std::memcmp(a.data(), b.data(), a.size() * sizeof(float)), 0) << what;
  }

  TestModel model_;
};

TEST_P(RowInvariance, ChunkSizeAndThreads) {
  const auto ids = Ids(100);
  const auto whole = AllLogits(*NewSession(*model_.NewEngine(Options(100))), ids);
  for (const uint32_t rows : {1u, 7u, 64u, 100u}) {
    for (const uint32_t threads : {1u, 2u}) {
      const auto engine = model_.NewEngine(Options(rows, threads));
      ExpectSameBits(
          AllLogits(*NewSession(*engine), ids), whole,
          ("rows " + std::to_string(rows) + " threads " + std::to_string(threads)).c_str());
    }
  }
}

// Past the first segment of attention: few rows run segments side by side, many one after another.
TEST_P(RowInvariance, LongContext) {
  const auto ids = Ids(1040);
  EngineOptions options = Options(64);
  options.context = 1088;
  const auto expected = AllLogits(*NewSession(*model_.NewEngine(options)), ids);
  const size_t vocab = model_.file().model().vocab_size();
  for (const uint32_t threads : {1u, 2u}) {
    options.threads = threads;
    const auto engine = model_.NewEngine(options);
    Session* session = NewSession(*engine);
    for (size_t begin = 0, end; begin < ids.size(); begin = end) {
      // Ones and eights around the ends of segments, long chunks elsewhere.
      const size_t at = begin % (kSegmentBlocks * kKvBlockTokens);
      const size_t rows = at >= 16 && at < 490 ? std::min<size_t>(490 - at, 60)
                          : begin % 3 == 0     ? 8
                                               : 1;
      end = std::min(ids.size(), begin + rows);
      const auto part = AllLogits(
          *session, {ids.begin() + static_cast<long>(begin), ids.begin() + static_cast<long>(end)});
      ASSERT_EQ(std::memcmp(part.data(), &expected[begin * vocab], part.size() * sizeof(float)), 0)
          << "from position " << begin << " with " << threads << " threads";
    }
  }
}

TEST_P(RowInvariance, RingWrapsAtDifferentPhases) {
  const auto ids = Ids(400);
  EngineOptions base = Options(1);
  base.context = 128;
  base.policy = ContextPolicy::kSlide;
  for (const uint32_t sinks : {0u, 4u}) {
    base.context = sinks == 0 ? 128 : 192;
    base.sink_tokens = sinks;
    const auto expected = AllLogits(*NewSession(*model_.NewEngine(base)), ids);
    // Other chunk sizes give rings of other lengths, which wrap elsewhere.
    for (const uint32_t rows : {7u, 64u, 100u}) {
      EngineOptions options = base;
      options.max_rows = rows;
      const auto engine = model_.NewEngine(options);
      ExpectSameBits(AllLogits(*NewSession(*engine), ids), expected,
                     ("sinks " + std::to_string(sinks) + " rows " + std::to_string(rows)).c_str());
    }
  }
}

TEST_P(RowInvariance, UndoAndRedo) {
  const auto ids = Ids(300);
  for (const ContextPolicy policy : {ContextPolicy::kStop, ContextPolicy::kSlide}) {
    EngineOptions options = Options(32);
    options.policy = policy;
    if (policy == ContextPolicy::kSlide) options.context = 128;
    const auto engine = model_.NewEngine(options);
    Session* session = NewSession(*engine);
    const auto expected = AllLogits(*session, ids);
    const size_t vocab = engine->limits().vocab_size;
    for (const uint64_t n : {1u, 5u, 31u, 32u}) {
      ASSERT_TRUE(session->Undo(n).ok());
      // What was after the token that is now the last.
      const auto logits = session->Logits();
      ASSERT_TRUE(logits.ok());
      EXPECT_EQ(std::memcmp(logits->data(), expected.data() + (ids.size() - n - 1) * vocab,
                            vocab * sizeof(float)),
                0);
      // Something else, taken back, then the same again.
      ASSERT_TRUE(session->Prefill(Ids(n, 9)).ok());
      ASSERT_TRUE(session->Undo(n).ok());
      const std::vector<int32_t> tail(ids.end() - static_cast<long>(n), ids.end());
      ExpectSameBits(AllLogits(*session, tail),
                     {expected.end() - static_cast<long>(n * vocab), expected.end()}, "redo");
    }
  }
}

TEST_P(RowInvariance, SessionsDoNotTouchEachOther) {
  EngineOptions options = Options(64);
  options.max_sessions = 2;
  const auto engine = model_.NewEngine(options);
  Session* a = NewSession(*engine);
  Session* b = NewSession(*engine);
  const auto ids_a = Ids(90, 3);
  const auto ids_b = Ids(90, 4);
  const auto alone = AllLogits(*NewSession(*model_.NewEngine(Options(64))), ids_a);
  std::vector<float> interleaved;
  for (size_t i = 0; i < ids_a.size(); i += 10) {
    const auto part = AllLogits(
        *a, {ids_a.begin() + static_cast<long>(i), ids_a.begin() + static_cast<long>(i) + 10});
    interleaved.insert(interleaved.end(), part.begin(), part.end());
    AllLogits(*b,
              {ids_b.begin() + static_cast<long>(i), ids_b.begin() + static_cast<long>(i) + 10});
  }
  ExpectSameBits(interleaved, alone, "interleaved");
}

TEST_P(RowInvariance, AnyArenaGivesTheSame) {
  const auto ids = Ids(100);
  const EngineOptions options = Options(16);
  const auto expected = AllLogits(*NewSession(*model_.NewEngine(options)), ids);
  auto plan = PlanEngine(model_.file(), model_.tokenizer(), options);
  ASSERT_TRUE(plan.ok());
  std::vector<uint8_t> memory(plan->memory.arena_bytes() + 64, 0xA5);  // dirty, odd address
  uint8_t* arena =
      reinterpret_cast<uint8_t*>((reinterpret_cast<uintptr_t>(memory.data()) + 63) / 64 * 64);
  auto engine =
      Engine::Create(model_.file(), model_.tokenizer(), options, arena, plan->memory.arena_bytes());
  ASSERT_TRUE(engine.ok()) << engine.status().message();
  ExpectSameBits(AllLogits(*NewSession(**engine), ids), expected, "dirty arena");
}

INSTANTIATE_TEST_SUITE_P(Tiny, RowInvariance, testing::ValuesIn(Cases()), Name);

}  // namespace
}  // namespace rondo::row_invariance_model_test
