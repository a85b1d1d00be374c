// The field's toy account of attention with a KV cache, through the real code: keys of +1 and -1
// select tokens, so that every context is a plain mean of values.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <memory>
#include <vector>

#include "runtime/base/checked.h"
#include "runtime/decoder/attention.h"
#include "runtime/kernels/packed_linear.h"
#include "tests/support/test_cache.h"

namespace rondo::worked_example_test {
namespace {

constexpr size_t kHeads = 4;
constexpr size_t kDim = 64;

using Rule = std::function<bool(size_t head, size_t position)>;  // position counts from 1

// Head 1 selects even positions, 2 the last token, 3 the first, 4 all.
Rule RuleForEnd(size_t end) {
  return [end](size_t head, size_t position) {
    switch (head) {
      case 0:
        return position % 2 == 0;
      case 1:
        return position == end;
      case 2:
        return position == 1;
      default:
        return true;
    }
  };
}

class WorkedExample : public testing::TestWithParam<KvFormat> {
 protected:
  void SetUp() override {
    set_ = SelectKernelSet("");
    cache_ = std::make_unique<TestCache>(
        *set_, GetParam(),
        std::vector<KvLayout::Entry>{{.n_kv_heads = kHeads, .head_dim = kDim, .v_head_dim = kDim}},
        ContextWindow{.blocks = 1}, 1, 2);
    scratch_.resize(AttentionScratchBytes(1, kDim, kDim) + 64);
  }

  // Evaluates tokens with these values at positions first + 1 ..., over what `kv` holds.
  // Returns contexts [rows][heads]: component 0 of each head's output.
  std::vector<float> Run(BlockTable* kv, size_t first, const std::vector<float>& values,
                         const Rule& selected) {
    const size_t rows = values.size();
    const size_t stride = 3 * kHeads * kDim;
    std::vector<float> qkv(rows * stride + kOverRead, 0.0f);
    for (size_t r = 0; r < rows; ++r) {
      float* row = qkv.data() + r * stride;
      std::fill_n(row, kHeads * kDim, 1.0f);
      for (size_t h = 0; h < kHeads; ++h) {
        std::fill_n(row + (kHeads + h) * kDim, kDim, selected(h, first + r + 1) ? 1.0f : -1.0f);
        row[(2 * kHeads + h) * kDim] = values[r];
      }
    }
    std::vector<float> out(rows * kHeads * kDim);
    const AttentionCall call = {
        .set = set_,
        .kv = kv,
        .entry = 0,
        .n_kv_heads = kHeads,
        .q_per_kv = 1,
        .head_dim = kDim,
        .v_head_dim = kDim,
        .score_scale = 1.0f / 8,
        .soft_cap = 0,
        .qkv = qkv.data(),
        .qkv_stride = stride,
        .rope = nullptr,
        .rope_dim = 0,
        .sink_rope = nullptr,
        .position = first,
        .rows = rows,
        .out = out.data(),
    };
    EXPECT_TRUE(kv->Prepare(first, first + rows));
    kv->Commit();
    std::vector<float> contexts(rows * kHeads);
    for (size_t h = 0; h < kHeads; ++h) {
      for (size_t i = 0; i < StoredBlocks(call); ++i) {
        StoreKeysAndValues(call, h, i, Align(scratch_.data()));
      }
      Attend(call, h, 0, rows, Align(scratch_.data()));
      for (size_t r = 0; r < rows; ++r) contexts[r * kHeads + h] = out[(r * kHeads + h) * kDim];
    }
    return contexts;
  }

  static uint8_t* Align(uint8_t* p) {
    return reinterpret_cast<uint8_t*>(RoundUp(reinterpret_cast<uintptr_t>(p), 64));
  }
  static void ExpectNear(const std::vector<float>& actual, const std::vector<float>& expected) {
    ASSERT_EQ(actual.size(), expected.size());
    // Not selected means e^-16 as likely, not never; and int8 weighs in steps, here of 20.
    const double tolerance = GetParam() == KvFormat::kInt8 ? 20.0 / kLargestProbability : 2e-5;
    for (size_t i = 0; i < actual.size(); ++i) EXPECT_NEAR(actual[i], expected[i], tolerance) << i;
  }

  const KernelSet* set_ = nullptr;
  std::unique_ptr<TestCache> cache_;
  std::vector<uint8_t> scratch_;
};

const std::vector<float> kPrompt = {10, 20, 1, 5};  // "Today weather is so"

TEST_P(WorkedExample, PrefillGivesTheContextsAndTheWinningWord) {
  BlockTable kv = cache_->NewTable();
  const std::vector<float> contexts = Run(&kv, 0, kPrompt, RuleForEnd(4));
  ExpectNear(contexts, {10, 10, 10, 10,              //
                        20, 15, 10, 15,              //
                        20, 31.f / 3, 10, 31.f / 3,  //
                        12.5f, 5, 10, 9});

  // logits = contexts of the last token times W; channels: nice, warm, delicious.
  const float w[3][4] = {
      {0.8f, 0.5f, 0.1f, 0.2f}, {0.6f, 0.4f, 0.2f, 0.3f}, {0.1f, 0.2f, 0.5f, 0.1f}};
  const LinearShape shape = {format::TensorFormat::F32, 3, 4, 0};
  std::vector<uint8_t> packed(shape.PackedBytes(*set_) + kOverRead + 64);
  PackLinear(LayoutOf(*set_), shape, {w, nullptr, nullptr}, 0, 3, Align(packed.data()));
  std::vector<float> last(contexts.end() - kHeads, contexts.end());
  last.resize(kHeads + kOverRead);
  std::vector<float> logits(3);
  RunLinear(*set_, {shape, 4, Align(packed.data())}, {last.data(), nullptr, nullptr, 16}, 1, 0, 3,
            logits.data(), 3, nullptr);
  ExpectNear(logits, {15.3f, 14.2f, 8.15f});
}

TEST_P(WorkedExample, DecodeOverTheCacheEqualsRecomputingAll) {
  std::vector<float> all = kPrompt;
  all.push_back(7);  // "nice"
  BlockTable cached = cache_->NewTable();
  Run(&cached, 0, kPrompt, RuleForEnd(5));
  const std::vector<float> decoded = Run(&cached, 4, {7}, RuleForEnd(5));
  ExpectNear(decoded, {12.5f, 7, 10, 8.6f});

  BlockTable fresh = cache_->NewTable();
  const std::vector<float> recomputed = Run(&fresh, 0, all, RuleForEnd(5));
  EXPECT_EQ(decoded, std::vector<float>(recomputed.end() - kHeads, recomputed.end()));
}

// The other reading: position 4 was cached as "the last", and stays so. Both are then selected.
TEST_P(WorkedExample, CachedKeysStayAsTheyWere) {
  BlockTable kv = cache_->NewTable();
  Run(&kv, 0, kPrompt, RuleForEnd(4));
  const std::vector<float> decoded = Run(&kv, 4, {7}, RuleForEnd(5));
  ExpectNear(decoded, {12.5f, 6, 10, 8.6f});
}

INSTANTIATE_TEST_SUITE_P(Formats, WorkedExample,
                         testing::Values(KvFormat::kInt8, KvFormat::kFloat32),
                         [](const auto& info) {
                           return info.param == KvFormat::kInt8 ? "int8" : "f32";
                         });

}  // namespace
}  // namespace rondo::worked_example_test
