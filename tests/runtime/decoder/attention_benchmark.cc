// Attention of one KV head's query heads over an int8 cache, per depth, on one thread. bytes/s
// counts the cache's bytes that are seen.
#include "runtime/decoder/attention.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <memory>
#include <random>
#include <vector>

#include "platforms/memory.h"
#include "runtime/base/checked.h"
#include "runtime/kernels/row_ops.h"

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
        scratch_(AttentionScratchBytes(group, head_dim) + 64) {
    const KvLayout::Layer kept = {.n_kv_heads = 1, .head_dim = head_dim};
    const ContextWindow window = {.blocks = CeilDiv(depth + rows, kKvBlockTokens)};
    layout_ = std::move(*KvLayout::Create(*set_, KvFormat::kInt8, {&kept, 1}, window, rows));
    bytes_ = layout_.session_bytes() + kOverRead;
    blocks_ = static_cast<uint8_t*>(MapMemory(bytes_));
    ring_ = std::make_unique<KvRing>(layout_, window, blocks_);
    std::mt19937 random(1);
    std::normal_distribution<float> normal;
    for (float& value : qkv_) value = normal(random);
    for (uint64_t position = 0; position < depth + rows; position += kKvBlockTokens) {
      const size_t count = std::min<uint64_t>(kKvBlockTokens, depth + rows - position);
      StoreKeysAndValues(Call(position, count), 0, scratch());
    }
  }
  Cache(const Cache&) = delete;
  Cache& operator=(const Cache&) = delete;
  ~Cache() { UnmapMemory(blocks_, bytes_); }

  AttentionCall Call(uint64_t position, size_t rows) {
    return {.set = set_,
            .ring = ring_.get(),
            .layer = 0,
            .n_kv_heads = 1,
            .group = group_,
            .head_dim = head_dim_,
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
  size_t bytes() const { return bytes_; }

 private:
  const KernelSet* set_;
  const size_t group_, head_dim_, stride_;
  std::vector<float> qkv_, rope_, out_;
  std::vector<uint8_t> scratch_;
  KvLayout layout_;
  uint8_t* blocks_ = nullptr;
  size_t bytes_ = 0;
  std::unique_ptr<KvRing> ring_;
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

}  // namespace
}  // namespace rondo
