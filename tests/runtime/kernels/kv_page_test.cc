// A token's key and value go from a page to bytes that all kernel sets share, and back.
#include "runtime/kernels/kv_page.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "runtime/base/checked.h"
#include "runtime/kernels/pages/page_kinds.h"
#include "runtime/kernels/row_ops.h"

namespace rondo::kv_page_test {
namespace {

struct Case {
  const KernelSet* set;
  KvFormat format;
  size_t head_dim, v_head_dim;
};

std::vector<Case> Cases() {
  std::vector<Case> cases;
  for (const KernelSet* set : AllKernelSets()) {
    if (!set->available() || !set->Permitted()) continue;
    for (const KvFormatRule& rule : KvFormatRules()) {
      for (const auto& [k, v] :
           {std::pair<size_t, size_t>{8, 8}, {20, 24}, {64, 64}, {72, 40}, {24, 136}, {576, 512}}) {
        cases.push_back({set, rule.format, k, v});
      }
    }
  }
  return cases;
}

std::string Name(const testing::TestParamInfo<Case>& info) {
  const Case& c = info.param;
  return std::string(c.set->name) + "_" + RuleOf(c.format).name + "_" + std::to_string(c.head_dim) +
         "_" + std::to_string(c.v_head_dim);
}

class KvPageTest : public testing::TestWithParam<Case> {
 protected:
  static constexpr size_t kTokens = 37;  // stored in the page

  KvPageTest()
      : kind_(*GetParam().set, GetParam().format, GetParam().head_dim, GetParam().v_head_dim) {
    page_ = NewPage();
    std::mt19937 random(3);
    std::normal_distribution<float> normal;
    std::vector<float> key(GetParam().head_dim + kOverRead),
        value(GetParam().v_head_dim + kOverRead);
    for (size_t slot = 0; slot < kTokens; ++slot) {
      for (float& x : key) x = normal(random);
      for (float& x : value) x = normal(random);
      if (slot == 5) std::fill(key.begin(), key.end(), 0.0f);
      kind_.Store(page_.data(), slot, key.data(), value.data());
    }
  }
  // Cleared, as before its first token.
  std::vector<uint8_t> NewPage() const {
    std::vector<uint8_t> page(kind_.bytes(), 0x5A);
    kind_.Clear(page.data());
    return page;
  }

  const KvPage kind_;
  std::vector<uint8_t> page_;
};

TEST_P(KvPageTest, WhatIsReadAndPutIsEqualByteForByte) {
  std::vector<uint8_t> bytes(kind_.token_bytes() + 3);
  uint8_t* odd = bytes.data() + 1;
  std::vector<uint8_t> copy = NewPage();
  for (size_t slot = 0; slot < kTokens; ++slot) {
    bytes.back() = bytes[bytes.size() - 2] = 0xC3;
    kind_.Read(page_.data(), slot, odd);
    EXPECT_EQ(bytes.back(), 0xC3);
    EXPECT_EQ(bytes[bytes.size() - 2], 0xC3);
    EXPECT_TRUE(kind_.IsFinite(odd));
    kind_.Put(copy.data(), slot, odd);
  }
  EXPECT_EQ(std::memcmp(copy.data(), page_.data(), page_.size()), 0);
}

// The bytes do not depend on the kernel set that packed the page.
TEST_P(KvPageTest, AnotherKernelSetReadsTheSameBytes) {
  const KvPage other(*SelectKernelSet("scalar"), GetParam().format, GetParam().head_dim,
                     GetParam().v_head_dim);
  std::vector<uint8_t> theirs(other.bytes());
  other.Clear(theirs.data());
  for (size_t slot = 0; slot < kTokens; ++slot) {
    std::vector<uint8_t> ours(kind_.token_bytes()), back(kind_.token_bytes());
    kind_.Read(page_.data(), slot, ours.data());
    other.Put(theirs.data(), slot, ours.data());
    other.Read(theirs.data(), slot, back.data());
    EXPECT_EQ(back, ours) << slot;
  }
}

TEST_P(KvPageTest, FloatsThatAreNotFiniteAreFound) {
  const KvFormatRule& rule = RuleOf(GetParam().format);
  const size_t k = GetParam().head_dim, v = GetParam().v_head_dim;
  std::vector<size_t> floats;       // where they begin
  if (!rule.keys->float_queries) {  // scales, behind integers
    const size_t key = rule.keys->token_bytes(k) - sizeof(float);
    floats = {key, key + rule.values->token_bytes(v)};
  } else {
    for (size_t i = 0; i < k + v; ++i) floats.push_back(i * sizeof(float));
  }
  for (const size_t at : floats) {
    for (const float bad : {std::numeric_limits<float>::infinity(), -INFINITY, NAN}) {
      std::vector<uint8_t> bytes(kind_.token_bytes());
      kind_.Read(page_.data(), 0, bytes.data());
      std::memcpy(bytes.data() + at, &bad, sizeof bad);
      EXPECT_FALSE(kind_.IsFinite(bytes.data())) << at;
    }
  }
}

// What is not finite is held to integers that a page can hold, so that Put gives what Store left.
TEST_P(KvPageTest, NumbersOfAnySizeAreHeld) {
  const KeyKind* const keys = RuleOf(GetParam().format).keys;
  if (keys->float_queries) return;
  for (const float odd : {INFINITY, -INFINITY, 1e-39f, -1e-39f, 3e38f, -3e38f}) {
    std::vector<uint8_t> page = NewPage(), copy = NewPage();
    std::vector<float> head(std::max(GetParam().head_dim, GetParam().v_head_dim) + kOverRead, odd);
    kind_.Store(page.data(), 0, head.data(), head.data());
    std::vector<uint8_t> bytes(kind_.token_bytes());
    kind_.Read(page.data(), 0, bytes.data());
    kind_.Put(copy.data(), 0, bytes.data());
    EXPECT_EQ(copy, page) << odd;
    if (keys != &kInt8Keys) continue;
    // No key is -128, wherever it comes from: some kernels' products would not fit.
    EXPECT_EQ(std::count(bytes.begin(), bytes.begin() + GetParam().head_dim, 0x80), 0) << odd;
    std::fill_n(bytes.begin(), GetParam().head_dim, uint8_t{0x80});
    kind_.Put(copy.data(), 0, bytes.data());
    kind_.Read(copy.data(), 0, bytes.data());
    EXPECT_EQ(bytes[0], 0x81) << odd;
  }
}

// However many rows there are, and whoever computes them.
TEST_P(KvPageTest, ScoresAreThoseOfTheProducts) {
  const KernelSet& set = *GetParam().set;
  if (RuleOf(GetParam().format).keys != &kInt8Keys) GTEST_SKIP() << "keys of other bits";
  constexpr size_t kRows = kMaxTileRows + 3;
  const size_t n = GetParam().head_dim, stride = RoundUp(n, 16);
  std::mt19937 random(7);
  std::normal_distribution<float> normal;
  std::vector<int8_t> queries(HeldRows(kRows) * stride + kOverRead);
  std::vector<float> query(n + kOverRead);
  RowQuant quant[kRows];
  for (size_t r = 0; r < kRows; ++r) {
    for (float& x : query) x = normal(random) * static_cast<float>(r + 1);
    quant[r] = QuantizeRow(set, query.data(), n, stride, r, queries.data());
  }
  struct alignas(64) Line {
    uint8_t bytes[64];
  };
  std::vector<Line> lines(page_.size() / sizeof(Line));
  const auto* page = reinterpret_cast<const uint8_t*>(lines.data());
  std::memcpy(lines.data(), page_.data(), page_.size());
  const auto& kernels = set.KeyKernels();
  const float untouched = 12345, no_clamp[] = {-INFINITY, INFINITY};
  for (size_t rows = 1; rows <= kRows; ++rows) {
    for (const size_t tokens : {size_t{1}, kTokens, kKvBlockTokens}) {
      std::vector<float> scores(kRows * kKvBlockTokens, untouched), products = scores;
      kind_.Scores(page, {reinterpret_cast<uint8_t*>(queries.data()), quant, stride}, rows, tokens,
                   scores.data(), kKvBlockTokens);
      for (size_t r = 0; r < rows; r += kernels.max_rows) {
        const size_t m = std::min<size_t>(kernels.max_rows, rows - r);
        kernels.by_rows[m](m, tokens, n, queries.data() + r * stride, stride, page,
                           products.data() + r * kKvBlockTokens, kKvBlockTokens * sizeof(float),
                           kernels.nr * sizeof(float), no_clamp, TileQuants(quant + r, m).quant);
      }
      ASSERT_EQ(scores, products) << rows << " rows, " << tokens << " tokens";
    }
  }
}

// Queries and keys keep their products, and values come back, by an orthogonal matrix of which all
// kernel sets have the bits.
TEST_P(KvPageTest, RotatingTwiceChangesNothing) {
  const KvPage portable(*SelectKernelSet("scalar"), GetParam().format, 8, 8);
  std::mt19937 random(11);
  std::normal_distribution<float> normal;
  for (const size_t n : {8, 24, 40, 64, 72, 80, 96, 128, 136, 192, 256, 576, 640}) {
    std::vector<float> a(n), b(n);
    for (float& x : a) x = normal(random);
    for (float& x : b) x = normal(random);
    std::vector<float> turned_a = a, turned_b = b, portable_a = a;
    kind_.Rotate(turned_a.data(), n);
    kind_.Rotate(turned_b.data(), n);
    portable.Rotate(portable_a.data(), n);
    EXPECT_EQ(turned_a, portable_a);
    EXPECT_NE(turned_a, a);
    EXPECT_NEAR(std::inner_product(a.begin(), a.end(), b.begin(), 0.0),
                std::inner_product(turned_a.begin(), turned_a.end(), turned_b.begin(), 0.0), 1e-4);
    kind_.Rotate(turned_a.data(), n);
    for (size_t i = 0; i < n; ++i) ASSERT_NEAR(turned_a[i], a[i], 1e-5) << n;
  }
}

INSTANTIATE_TEST_SUITE_P(All, KvPageTest, testing::ValuesIn(Cases()), Name);

}  // namespace
}  // namespace rondo::kv_page_test
