#include "runtime/decoder/decoder.h"

#include <algorithm>
#include <cstring>

#include "runtime/base/checked.h"
#include "runtime/kernels/row_ops.h"

namespace rondo {

namespace {

// Output channels of one task: enough tasks to keep all threads busy, and weights that stay in a
// second-level cache of 512 KiB or more while all rows go over them.
constexpr size_t kMaxTaskChannels = 256;
constexpr size_t kMaxTaskBytes = 256 << 10;
constexpr size_t kTasksPerThread = 8;

size_t TaskChannels(const LinearShape& shape, const KernelSet& set, size_t threads) {
  const size_t nr = shape.TileChannels(set);
  const size_t most = std::max(kMaxTaskBytes / shape.TileBytes(set) * nr, nr);
  const size_t even = RoundUp(CeilDiv(shape.n, threads * kTasksPerThread), nr);
  return std::min({even, most, kMaxTaskChannels});
}

size_t RowBytes(size_t n) { return n * sizeof(float) + kOverRead; }

}  // namespace

Result<Decoder> Decoder::Plan(const ModelFile& file, const KernelSet& set, size_t max_rows,
                              size_t threads, const ContextWindow& window, MemoryPlan* plan) {
  Decoder d;
  d.set_ = &set;
  d.max_rows_ = max_rows;
  RONDO_ASSIGN(d.spec_, DecoderSpec::Read(file));
  RONDO_ASSIGN(d.weights_, Weights::Plan(file, set, plan));
  d.act_ = Activations::Plan(d.spec_, d.weights_, max_rows, window, plan);

  // A thread's scratch serves one row of floats, one tile of a residual product, or attention.
  size_t bytes = std::max(max_rows, size_t{1}) * (kMaxTaskChannels + 32) * sizeof(float);
  bytes = std::max(bytes, RowBytes(d.spec_.hidden_size));
  for (const LayerSpec& layer : d.spec_.layers) {
    bytes = std::max({bytes, RowBytes(layer.intermediate_size),
                      AttentionScratchBytes(layer.group(), layer.head_dim)});
  }
  d.scratch_bytes_ = RoundUp(bytes, kArenaAlignment);
  d.scratch_id_ = plan->Add(Segment::kWorkspace, d.scratch_bytes_ * threads, "thread scratch");
  return d;
}

Status Decoder::Bind(const ModelFile& file, const MemoryPlan& plan, uint8_t* arena,
                     ThreadPool* pool, const LoadProgress& progress) {
  pool_ = pool;
  act_.Bind(plan, arena);
  scratch_ = arena + plan.block(scratch_id_).offset;
  return weights_.Load(file, plan, arena, pool, progress);
}

Status Decoder::Forward(const RowBatch& batch, const LogitsSink& sink) {
  batch.ring->NoteWritten(batch.position + batch.tokens.size() - 1);
  Embed(batch);
  for (size_t layer = 0; layer < spec_.layers.size(); ++layer) {
    if (batch.cancel->load(std::memory_order_relaxed)) {
      return Status::Error(StatusCode::kCancelled, "cancelled before layer %zu of %zu", layer,
                           spec_.layers.size());
    }
    AttentionBlock(layer, batch);
    MlpBlock(layer, batch.tokens.size());
  }
  Logits(batch, sink);
  return Status();
}

void Decoder::Embed(const RowBatch& batch) {
  const ContextWindow& window = batch.ring->window();
  const size_t hidden = spec_.hidden_size;
  pool_->For(batch.tokens.size(), [&](size_t r, size_t) {
    weights_.Embed(static_cast<size_t>(batch.tokens[r]), {act_.hidden + r * hidden, hidden});
    float* table = act_.rope;
    float* sink_table = act_.sink_rope;
    for (const RopeSpec& rope : spec_.ropes) {
      const uint64_t position = batch.position + r;
      RopeTable(rope.frequencies, rope.dim, rope.scale, position, table + r * rope.dim);
      table += max_rows_ * rope.dim;
      if (sink_table == nullptr) continue;
      RopeTable(rope.frequencies, rope.dim, rope.scale, window.SinkQueryPosition(position),
                sink_table + r * rope.dim);
      sink_table += max_rows_ * rope.dim;
    }
  });
}

void Decoder::AttentionBlock(size_t layer, const RowBatch& batch) {
  const LayerSpec& spec = spec_.layers[layer];
  const LayerWeights& weights = weights_.layer(layer);
  const size_t rows = batch.tokens.size();
  const size_t qkv_size = spec.q_size() + 2 * spec.kv_size();

  NormInput(weights.qkv, act_.hidden, weights.attention_norm, spec.attention_epsilon, rows,
            act_.qkv_input);
  Linear(weights.qkv, act_.qkv_input, rows, Into::kReplace, act_.qkv, qkv_size);

  size_t rope_offset = 0;
  for (int i = 0; i < spec.rope; ++i) rope_offset += max_rows_ * spec_.ropes[i].dim;
  const bool rotates = spec.rope >= 0;
  const bool sinks = rotates && act_.sink_rope != nullptr;
  const AttentionCall call = {
      .set = set_,
      .ring = batch.ring,
      .layer = layer,
      .n_kv_heads = spec.n_kv_heads,
      .group = spec.group(),
      .head_dim = spec.head_dim,
      .score_scale = spec.score_scale,
      .qkv = act_.qkv,
      .qkv_stride = qkv_size,
      .rope = rotates ? act_.rope + rope_offset : nullptr,
      .sink_rope = sinks ? act_.sink_rope + rope_offset : nullptr,
      .position = batch.position,
      .rows = rows,
      .out = act_.attention,
  };
  AttendRows(call);

  pool_->For(rows, [&](size_t r, size_t) {
    RowInput(weights.output, act_.attention + r * spec.q_size(), r, act_.output_input);
  });
  Linear(weights.output, act_.output_input, rows, Into::kAdd, act_.hidden, spec_.hidden_size);
}

// What there is to share between threads: KV heads, then tiles of rows where there are many rows,
// or else segments of the context where it is long.
void Decoder::AttendRows(const AttentionCall& call) {
  const size_t heads = call.n_kv_heads;
  const auto store = [&](size_t head, size_t thread) {
    StoreKeysAndValues(call, head, Scratch(thread));
  };
  if (call.rows > kAttentionTileRows) {
    pool_->For(heads, store);
    const size_t tiles = CeilDiv(call.rows, kAttentionTileRows);
    pool_->For(heads * tiles, [&](size_t i, size_t thread) {
      const size_t begin = i % tiles * kAttentionTileRows;
      Attend(call, i / tiles, begin, std::min(kAttentionTileRows, call.rows - begin),
             Scratch(thread));
    });
    return;
  }
  const AttentionSegments segments(call, 0, call.rows);
  if (segments.count() == 1) {  // no task waits for another's keys: one barrier less
    pool_->For(heads, [&](size_t head, size_t thread) {
      store(head, thread);
      Attend(call, head, 0, call.rows, Scratch(thread));
    });
    return;
  }
  const size_t part = AttentionPartFloats(call.group, call.head_dim, call.rows);
  pool_->For(heads, store);
  pool_->For(heads * segments.count(), [&](size_t i, size_t thread) {
    AttendSegment(call, i % heads, segments[i / heads], Scratch(thread), act_.parts + i * part);
  });
  pool_->For(call.rows, [&](size_t r, size_t thread) {
    MergeSegments(call, r, act_.parts, segments.count(), Scratch(thread));
  });
}

void Decoder::MlpBlock(size_t layer, size_t rows) {
  const LayerSpec& spec = spec_.layers[layer];
  const LayerWeights& weights = weights_.layer(layer);
  const size_t size = spec.intermediate_size;

  NormInput(weights.gate_up, act_.hidden, weights.mlp_norm, spec.mlp_epsilon, rows,
            act_.gate_up_input);
  Linear(weights.gate_up, act_.gate_up_input, rows, Into::kReplace, act_.gate_up, 2 * size);

  pool_->For(rows, [&](size_t r, size_t thread) {
    float* gate = act_.gate_up + r * 2 * size;
    SiluMultiply(*set_, gate, gate + size, size, reinterpret_cast<float*>(Scratch(thread)), gate);
    RowInput(weights.down, gate, r, act_.down_input);
  });
  Linear(weights.down, act_.down_input, rows, Into::kAdd, act_.hidden, spec_.hidden_size);
}

void Decoder::Logits(const RowBatch& batch, const LogitsSink& sink) {
  const size_t vocab = spec_.vocab_size;
  for (size_t begin = batch.first_logits_row; begin < batch.tokens.size(); begin += kLogitRows) {
    const size_t rows = std::min(kLogitRows, batch.tokens.size() - begin);
    NormInput(weights_.head(), act_.hidden + begin * spec_.hidden_size, weights_.final_norm(),
              spec_.final_epsilon, rows, act_.head_input);
    Linear(weights_.head(), act_.head_input, rows, Into::kReplace, act_.logits, vocab,
           /*last=*/true);
    for (size_t r = 0; r < rows; ++r) {
      sink.row(sink.user, begin + r, {act_.logits + r * vocab, vocab});
    }
  }
}

void Decoder::NormInput(const PackedLinear& linear, const float* hidden, const float* weight,
                        float epsilon, size_t rows, const Activations::Input& in) {
  const size_t n = spec_.hidden_size;
  pool_->For(rows, [&](size_t r, size_t thread) {
    float* normed = reinterpret_cast<float*>(Scratch(thread));
    RmsNorm(*set_, hidden + r * n, weight, epsilon, n, normed);
    RowInput(linear, normed, r, in);
  });
}

void Decoder::RowInput(const PackedLinear& linear, const float* row, size_t r,
                       const Activations::Input& in) {
  const size_t n = linear.inputs;
  uint8_t* out = in.rows + r * in.stride;
  if (linear.shape.format == WeightFormat::kF32) {
    std::memcpy(out, row, n * sizeof(float));
  } else {
    in.quant[r] = QuantizeRow(*set_, row, n, in.stride, reinterpret_cast<int8_t*>(out));
  }
}

void Decoder::Linear(const PackedLinear& linear, const Activations::Input& in, size_t rows,
                     Into into, float* out, size_t out_stride, bool last) {
  const size_t n = linear.shape.n;
  const size_t step = TaskChannels(linear.shape, *set_, pool_->threads());
  const LinearInput input = in.linear();
  pool_->For(
      CeilDiv(n, step),
      [&](size_t i, size_t thread) {
        const size_t begin = i * step;
        const size_t end = std::min(n, begin + step);
        if (into == Into::kReplace) {
          RunLinear(*set_, linear, input, rows, begin, end, out + begin, out_stride);
          return;
        }
        float* sum = reinterpret_cast<float*>(Scratch(thread));
        RunLinear(*set_, linear, input, rows, begin, end, sum, end - begin);
        for (size_t r = 0; r < rows; ++r) {
          set_->loops->add(out + r * out_stride + begin, sum + r * (end - begin), end - begin);
        }
      },
      last);
}

}  // namespace rondo
