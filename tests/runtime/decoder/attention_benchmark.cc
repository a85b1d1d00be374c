// Attention of one KV head's query heads over an int8 cache, per depth, on one thread. bytes/s
// counts the cache's bytes that are seen.
#include "runtime/decoder/attention.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <random>
#include <vector>

#include "runtime/base/checked.h"
#include "runtime/kernels/row_ops.h"
#include "tests/support/test_cache.h"

namespace rondo {
namespace {

// One layer with one KV head, filled with random keys and values up to a depth.
class Cache {
 public:
  Cache(size_t group, size_t head_dim, uint64_t depth, size_t rows)
      : set_(SelectKernelSet("")),
        group_(group),
        head_dim_(head_dim),
        stride_((group + 2) * head_dim),
        qkv_(kKvBlockTokens * stride_ + kOverRead),
        rope_(kKvBlockTokens * head_dim, 0.7071f),
        out_(kKvBlockTokens * group * head_dim),
        scratch_(AttentionScratchBytes(group, head_dim, head_dim) + 64),
        cache_(*set_, KvFormat::kInt8,
               {{.n_kv_heads = 1, .head_dim = head_dim, .v_head_dim = head_dim}},
               {.blocks = CeilDiv(depth + rows, kKvBlockTokens)}, kKvBlockTokens),
        kv_(cache_.NewTable()) {
    std::mt19937 random(1);
    std::normal_distribution<float> normal;
    for (float& value : qkv_) value = normal(random);
    for (uint64_t position = 0; position < depth + rows; position += kKvBlockTokens) {
      const size_t count = std::min<uint64_t>(kKvBlockTokens, depth + rows - position);
      kv_.Prepare(position, position + count);
      kv_.Commit();
      StoreKeysAndValues(Call(position, count), 0, 0, scratch());
    }
  }
  AttentionCall Call(uint64_t position, size_t rows) {
    return {.set = set_,
            .kv = &kv_,
            .entry = 0,
            .n_kv_heads = 1,
            .q_per_kv = group_,
            .head_dim = head_dim_,
            .v_head_dim = head_dim_,
            .score_scale = 0.1f,
            .soft_cap = 0,
            .qkv = qkv_.data(),
            .qkv_stride = stride_,
            .rope = rope_.data(),
            .rope_dim = head_dim_,
            .sink_rope = nullptr,
            .position = position,
            .rows = rows,
            .out = out_.data()};
  }
  uint8_t* scratch() {
    return reinterpret_cast<uint8_t*>(RoundUp(reinterpret_cast<uintptr_t>(scratch_.data()), 64));
  }
  size_t bytes() const { return cache_.bytes(); }

 private:
  const KernelSet* set_;
  const size_t group_, head_dim_, stride_;
  std::vector<float> qkv_, rope_, out_;
  std::vector<uint8_t> scratch_;
  TestCache cache_;
  BlockTable kv_;
};

void BenchmarkAttend(benchmark::State& state, size_t group, size_t head_dim) {
  const auto depth = static_cast<uint64_t>(state.range(0));
  const auto rows = static_cast<size_t>(state.range(1));
  Cache cache(group, head_dim, depth, rows);
  const AttentionCall call = cache.Call(depth, rows);
  for (auto _ : state) {
    Attend(call, 0, 0, rows, cache.scratch());
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations()) *
                          static_cast<int64_t>(cache.bytes()));
  state.counters["op/s"] =
      benchmark::Counter(4.0 * static_cast<double>(depth * rows * group * head_dim),  // Q.K and P.V
                         benchmark::Counter::kIsIterationInvariantRate);
}

void DepthsAndRows(benchmark::internal::Benchmark* b) {
  b->ArgNames({"depth", "rows"})->Unit(benchmark::kMicrosecond);
  for (const int depth : {512, 4096, 16384}) {
    for (const int rows : {1, static_cast<int>(kAttentionTileRows)}) b->Args({depth, rows});
  }
}

BENCHMARK_CAPTURE(BenchmarkAttend, llama_1b, 4, 64)->Apply(DepthsAndRows);
BENCHMARK_CAPTURE(BenchmarkAttend, qwen3_0_6b, 2, 128)->Apply(DepthsAndRows);
BENCHMARK_CAPTURE(BenchmarkAttend, siglip_b, 1, 64)->Apply(DepthsAndRows);

}  // namespace
}  // namespace rondo
