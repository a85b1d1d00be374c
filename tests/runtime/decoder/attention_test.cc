// Attention over the KV blocks against plain loops in double, for every kernel set, policy and
// format.
#include "runtime/decoder/attention.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "runtime/base/checked.h"
#include "runtime/kernels/row_ops.h"
#include "tests/support/test_cache.h"

namespace rondo::attention_test {
namespace {

constexpr size_t kKvHeads = 2;
constexpr size_t kGroup = 3;
constexpr size_t kDim = 24;            // no multiple of any tile
constexpr size_t kRopeDim = kDim - 4;  // the rest of a head does not turn
constexpr size_t kVDim = 20;           // values are narrower than keys
constexpr size_t kStride = ((kGroup + 1) * kDim + kVDim) * kKvHeads;

struct Case {
  const KernelSet* set;
  KvFormat format;
  bool slides;
  uint64_t sink_blocks;
  uint64_t window;  // of the layer; 0: none
  float soft_cap;
  bool chunked = false;  // `window` is the size of chunks
  bool extras = false;   // ALiBi, sink logits, a query scale, norms behind RoPE
};

std::vector<Case> Cases() {
  std::vector<Case> cases;
  for (const KernelSet* set : AllKernelSets()) {
    if (!set->available() || !set->Permitted()) continue;
    for (const KvFormat format : {KvFormat::kInt8, KvFormat::kFloat32}) {
      cases.push_back({set, format, false, 0, 0, 0});
      cases.push_back({set, format, true, 0, 0, 0});
      cases.push_back({set, format, true, 1, 0, 0});
      cases.push_back({set, format, false, 0, 0, 2.5f});
      cases.push_back({set, format, false, 0, 1, 0});
      cases.push_back({set, format, false, 0, 100, 2.5f});
      cases.push_back({set, format, false, 0, 600, 0});
      cases.push_back({set, format, true, 1, 100, 0});
      cases.push_back({set, format, false, 0, 100, 0, true, false});
      cases.push_back({set, format, false, 0, 600, 2.5f, true, true});
      cases.push_back({set, format, true, 1, 0, 0, false, true});
    }
    for (const KvFormatRule& rule : KvFormatRules().subspan(2)) {  // the others
      const KvFormat format = rule.format;
      cases.push_back({set, format, false, 0, 0, 0});
      cases.push_back({set, format, true, 1, 100, 0});
      cases.push_back({set, format, false, 0, 600, 2.5f, true, true});
      cases.push_back({set, format, true, 1, 0, 0, false, true});
    }
  }
  return cases;
}

std::string Name(const testing::TestParamInfo<Case>& info) {
  const Case& c = info.param;
  return std::string(c.set->name) + "_" + RuleOf(c.format).name +
         (!c.slides           ? "_stop"
          : c.sink_blocks > 0 ? "_sinks"
                              : "_slide") +
         (c.window > 0 ? (c.chunked ? "_chunk" : "_window") + std::to_string(c.window) : "") +
         (c.soft_cap > 0 ? "_capped" : "") + (c.extras ? "_extras" : "");
}

class AttentionTest : public testing::TestWithParam<Case> {
 protected:
  static constexpr size_t kTokens = 1150;  // three segments
  static constexpr size_t kChunk = 50;

  AttentionTest() {
    std::mt19937 random(11);
    std::normal_distribution<float> normal;
    qkv_.resize(kTokens * kStride + kOverRead);
    for (float& v : qkv_) v = normal(random);
    for (size_t i = 0; i < kRopeDim / 2; ++i) {
      frequencies_[i] = std::pow(100.0, -2.0 * i / kRopeDim);
    }
    for (float& slope : slopes_) slope = 0.05f * normal(random);
    for (float& logit : sink_logits_) logit = 3 * normal(random);
    for (float& weight : norm_weights_) weight = 1 + 0.2f * normal(random);
  }

  // The visible positions, written down once more from the words: whole blocks, at most `blocks`
  // of them, the newest and the sinks.
  bool Sees(uint64_t row, uint64_t position) const {
    if (position > row) return false;
    if (GetParam().chunked && row / window_.tokens != position / window_.tokens) return false;
    if (!GetParam().chunked && window_.tokens > 0 && row - position >= window_.tokens) return false;
    if (!window_.slides) return true;
    const int64_t age = static_cast<int64_t>(row / kKvBlockTokens - position / kKvBlockTokens);
    return position / kKvBlockTokens < window_.sink_blocks ||
           age < static_cast<int64_t>(window_.blocks - window_.sink_blocks);
  }

  // Of head `index` of q or k, as it is stored or asked for.
  std::vector<double> Rotate(const float* head, uint64_t position, size_t index) const {
    std::vector<double> out(head, head + kDim);
    for (size_t i = 0; i < kRopeDim / 2; ++i) {
      const double angle = static_cast<double>(position) * frequencies_[i];
      const double a = head[i];
      const double b = head[i + kRopeDim / 2];
      out[i] = a * std::cos(angle) - b * std::sin(angle);
      out[i + kRopeDim / 2] = b * std::cos(angle) + a * std::sin(angle);
    }
    if (!GetParam().extras) return out;
    double squares = 0;
    for (double x : out) squares += x * x;
    for (size_t d = 0; d < kDim; ++d) {
      out[d] *= norm_weights_[index * kDim + d] / std::sqrt(squares / kDim + 1e-6);
    }
    return out;
  }

  std::vector<double> Expected(uint64_t row, size_t head) const {
    const float* q = &qkv_[row * kStride + head * kDim];
    const size_t kv = head / kGroup;
    const auto recent = Rotate(q, row, head);
    const uint64_t clipped_row = std::min(row, window_.blocks * kKvBlockTokens - 1);
    const auto clipped = Rotate(q, clipped_row, head);
    std::vector<double> weights(row + 1, 0.0);
    double total = GetParam().extras ? std::exp(sink_logits_[head]) : 0;
    const double factor = 1 + 0.3 * std::log(1 + std::floor((static_cast<double>(row) + 1) / 100));
    for (uint64_t p = 0; p <= row; ++p) {
      if (!Sees(row, p)) continue;
      const auto key = Rotate(&qkv_[p * kStride + (kGroup * kKvHeads + kv) * kDim], p, kv);
      const bool is_sink = p / kKvBlockTokens < window_.sink_blocks;
      const auto& query = is_sink ? clipped : recent;
      double score = 0;
      for (size_t d = 0; d < kDim; ++d) score += query[d] * key[d];
      score *= kScale;
      if (GetParam().extras) score *= factor;
      if (soft_cap_ > 0) score = soft_cap_ * std::tanh(score / soft_cap_);
      if (GetParam().extras) {
        score += slopes_[head] * (static_cast<double>(p) - (is_sink ? clipped_row : row));
      }
      total += weights[p] = std::exp(score);
    }
    std::vector<double> out(kVDim, 0.0);
    for (uint64_t p = 0; p <= row; ++p) {
      const float* value = &qkv_[p * kStride + (kGroup + 1) * kKvHeads * kDim + kv * kVDim];
      for (size_t d = 0; d < kVDim; ++d) out[d] += weights[p] / total * value[d];
    }
    return out;
  }

  static uint8_t* Align(std::vector<uint8_t>& memory) {
    return reinterpret_cast<uint8_t*>(RoundUp(reinterpret_cast<uintptr_t>(memory.data()), 64));
  }

  // The first rows once more, segment by segment from the last to the first.
  void ExpectSameBySegments(AttentionCall call, uint8_t* scratch) const {
    call.rows = kAttentionTileRows;
    std::vector<float> out(call.rows * kGroup * kKvHeads * kVDim);
    const AttentionSegments segments(call, 0, call.rows);
    ASSERT_LE(segments.count(), AttentionSegments::Most(window_));
    const size_t stride = AttentionPartFloats(kGroup, kVDim, call.rows);
    std::vector<float> parts(segments.count() * kKvHeads * stride);
    const size_t query_bytes = AttentionQueryBytes(kGroup, kDim, call.rows);
    std::vector<uint8_t> memory(kKvHeads * query_bytes + 64);
    uint8_t* queries = Align(memory);
    for (size_t head = 0; head < kKvHeads; ++head) {
      PrepareQueries(call, head, queries + head * query_bytes, scratch);
    }
    const float* expected = call.out;
    call.out = out.data();
    for (size_t i = segments.count() * kKvHeads; i-- > 0;) {
      AttendSegment(call, i % kKvHeads, segments[i / kKvHeads],
                    queries + i % kKvHeads * query_bytes, scratch, &parts[i * stride]);
    }
    for (size_t r = 0; r < call.rows; ++r) {
      MergeSegments(call, r, parts.data(), segments.count(), scratch);
    }
    ASSERT_EQ(std::memcmp(out.data(), expected, out.size() * sizeof(float)), 0)
        << "from position " << call.position;
  }

  static constexpr float kScale = 0.2f;
  ContextWindow window_;
  std::vector<float> qkv_;
  float soft_cap_ = 0;
  double frequencies_[kRopeDim / 2];
  float slopes_[kGroup * kKvHeads];
  float sink_logits_[kGroup * kKvHeads];
  float norm_weights_[kGroup * kKvHeads * kDim + kOverRead / sizeof(float)];
};

TEST_P(AttentionTest, MatchesPlainLoops) {
  const Case& c = GetParam();
  window_.slides = c.slides;
  window_.sink_blocks = c.sink_blocks;
  window_.blocks = c.slides ? 3 : CeilDiv(kTokens, kKvBlockTokens);
  TestCache cache(*c.set, c.format,
                  {{.n_kv_heads = kKvHeads,
                    .head_dim = kDim,
                    .v_head_dim = kVDim,
                    .window = c.window,
                    .chunked = c.chunked}},
                  window_, kChunk);
  std::vector<uint8_t> scratch(AttentionScratchBytes(kGroup, kDim, kVDim) + 64);
  BlockTable kv = cache.NewTable();
  window_ = kv.window(0);
  soft_cap_ = c.soft_cap;

  std::vector<float> out(kTokens * kGroup * kKvHeads * kVDim);
  for (size_t begin = 0; begin < kTokens; begin += kChunk) {
    std::vector<float> rope(kChunk * kRopeDim);
    std::vector<float> sink_rope(kChunk * kRopeDim);
    for (size_t r = 0; r < kChunk; ++r) {
      RopeTable(frequencies_, nullptr, kRopeDim, 1.0f, {begin + r}, &rope[r * kRopeDim]);
      RopeTable(frequencies_, nullptr, kRopeDim, 1.0f, {window_.SinkQueryPosition(begin + r)},
                &sink_rope[r * kRopeDim]);
    }
    const RowNorm norm = {NormKind::kRmsNorm, 1e-6f, kDim, norm_weights_, nullptr};
    const QueryScale query_scale = {0.3f, 100, 1};
    AttentionCall call = {
        .set = c.set,
        .kv = &kv,
        .entry = 0,
        .n_kv_heads = kKvHeads,
        .q_per_kv = kGroup,
        .head_dim = kDim,
        .v_head_dim = kVDim,
        .score_scale = kScale,
        .soft_cap = c.soft_cap,
        .qkv = &qkv_[begin * kStride],
        .qkv_stride = kStride,
        .rope = rope.data(),
        .rope_dim = kRopeDim,
        .sink_rope = c.sink_blocks > 0 ? sink_rope.data() : nullptr,
        .position = begin,
        .rows = kChunk,
        .out = &out[begin * kGroup * kKvHeads * kVDim],
    };
    if (c.extras) {
      call.q_norm = call.k_norm = &norm;
      call.query_scale = &query_scale;
      call.alibi_slopes = slopes_;
      call.sink_logits = sink_logits_;
    }
    ASSERT_TRUE(kv.Prepare(begin, begin + kChunk));
    for (size_t head = 0; head < kKvHeads; ++head) {
      for (size_t i = 0; i < StoredBlocks(call); ++i) {
        StoreKeysAndValues(call, head, i, Align(scratch));
      }
      for (size_t r = 0; r < kChunk; r += kAttentionTileRows) {
        Attend(call, head, r, std::min(kAttentionTileRows, kChunk - r), Align(scratch));
      }
    }
    ExpectSameBySegments(call, Align(scratch));
    kv.Commit();
  }
  // Integer keys, values and queries: the error of a weighted mean of values near 1. Of 4 bits a
  // step is a seventh of a head's largest, of which half is lost at most, and the query that sees a
  // single token has all of that.
  const double tolerance = c.format == KvFormat::kFloat32 ? 2e-5
                           : c.format == KvFormat::kInt8  ? 0.04
                           : c.format == KvFormat::kK8V4  ? 0.3
                                                          : 0.4;  // the weights of values, too
  for (size_t row = 0; row < kTokens; row += 7) {
    for (size_t head = 0; head < kGroup * kKvHeads; ++head) {
      const auto expected = Expected(row, head);
      for (size_t d = 0; d < kVDim; ++d) {
        ASSERT_NEAR(out[(row * kGroup * kKvHeads + head) * kVDim + d], expected[d], tolerance)
            << "row " << row << " head " << head << " dim " << d;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, AttentionTest, testing::ValuesIn(Cases()), Name);

}  // namespace
}  // namespace rondo::attention_test
