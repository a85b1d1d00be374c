#include "runtime/decoder/decoder.h"

#include <algorithm>
#include <cstring>

#include "runtime/base/checked.h"
#include "runtime/decoder/short_conv.h"
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
    bytes = std::max(bytes, RowBytes(layer.intermediate_size));
    if (layer.conv_taps > 0) continue;
    bytes = std::max(bytes, AttentionScratchBytes(layer.group(), layer.head_dim));
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
  const LayerRange& range = batch.layers;
  const size_t hidden_bytes = batch.tokens.size() * spec_.hidden_size * sizeof(float);
  if (range.first > 0) std::memcpy(act_.hidden, range.hidden, hidden_bytes);
  for (size_t layer = range.first; layer < std::min(range.end, spec_.layers.size()); ++layer) {
    if (batch.cancel->load(std::memory_order_relaxed)) {
      return Status::Error(StatusCode::kCancelled, "cancelled before layer %zu of %zu", layer,
                           spec_.layers.size());
    }
    const LayerSpec& spec = spec_.layers[layer];
    const size_t rows = batch.tokens.size();
    if (spec.parallel) MlpInput(layer, rows);
    if (spec.conv_taps > 0) {
      ConvBlock(layer, batch);
    } else {
      AttentionBlock(layer, batch);
    }
    if (!spec.parallel) MlpInput(layer, rows);
    if (spec.n_experts > 0) {
      ExpertsBlock(layer, rows);
    } else {
      MlpBlock(layer, rows);
    }
  }
  if (range.hidden != nullptr) {
    std::memcpy(range.hidden, act_.hidden, hidden_bytes);
    return Status();
  }
  Logits(batch, sink);
  return Status();
}

void Decoder::Embed(const RowBatch& batch) {
  const ContextWindow& window = batch.ring->window();
  const size_t hidden = spec_.hidden_size;
  pool_->For(batch.tokens.size(), [&](size_t r, size_t) {
    const uint64_t position = batch.position + r;
    float* row = act_.hidden + r * hidden;
    weights_.Embed(static_cast<size_t>(batch.tokens[r]), {row, hidden});
    if (spec_.embedding_scale != 1) {
      set_->loops->scale(row, spec_.embedding_scale, hidden, row);
    }
    if (spec_.max_positions > 0) {
      set_->loops->add(row, weights_.positions() + position * hidden, hidden);
    }
    float* table = act_.rope;
    float* sink_table = act_.sink_rope;
    for (const RopeSpec& rope : spec_.ropes) {
      const double* frequencies = batch.long_sequence && rope.long_frequencies != nullptr
                                      ? rope.long_frequencies
                                      : rope.frequencies;
      RopeTable(frequencies, rope.dim, rope.scale, position, table + r * rope.dim);
      table += max_rows_ * rope.dim;
      if (sink_table == nullptr) continue;
      RopeTable(frequencies, rope.dim, rope.scale, window.SinkQueryPosition(position),
                sink_table + r * rope.dim);
      sink_table += max_rows_ * rope.dim;
    }
  });
}

void Decoder::AttentionBlock(size_t layer, const RowBatch& batch) {
  const LayerSpec& spec = spec_.layers[layer];
  const LayerWeights& weights = weights_.layer(layer);
  const size_t rows = batch.tokens.size();
  const size_t qkv_size = spec_.input_size(layer);

  NormInput(weights.input, weights.norm, act_.hidden, rows, act_.input);
  Linear(weights.input, act_.input, rows, Into::kReplace, act_.qkv, qkv_size);
  NormalizeHeads(layer, rows);

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
      .soft_cap = spec.soft_cap,
      .qkv = act_.qkv,
      .qkv_stride = qkv_size,
      .rope = rotates ? act_.rope + rope_offset : nullptr,
      .rope_dim = rotates ? spec_.ropes[spec.rope].dim : 0,
      .sink_rope = sinks ? act_.sink_rope + rope_offset : nullptr,
      .position = batch.position,
      .rows = rows,
      .out = act_.mixed,
  };
  AttendRows(call);

  pool_->For(rows, [&](size_t r, size_t) {
    RowInput(weights.output, act_.mixed + r * spec.q_size(), r, act_.output_input);
  });
  AddToResidual(weights.output, act_.output_input, weights.post_norm, rows);
}

// What some models do to q, k and v before RoPE.
void Decoder::NormalizeHeads(size_t layer, size_t rows) {
  const LayerSpec& spec = spec_.layers[layer];
  const LayerWeights& weights = weights_.layer(layer);
  const bool norms =
      weights.q_norm.kind != NormKind::kNone || weights.k_norm.kind != NormKind::kNone;
  if (!norms && spec.qkv_clip == 0) return;
  const size_t size = spec_.input_size(layer);
  pool_->For(rows, [&](size_t r, size_t) {
    float* q = act_.qkv + r * size;
    float* k = q + spec.q_size();
    Normalize(*set_, weights.q_norm, q, spec.q_size(), q);
    Normalize(*set_, weights.k_norm, k, spec.kv_size(), k);
    if (spec.qkv_clip > 0) set_->loops->clamp(q, -spec.qkv_clip, spec.qkv_clip, size, q);
  });
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

void Decoder::ConvBlock(size_t layer, const RowBatch& batch) {
  const LayerWeights& weights = weights_.layer(layer);
  const size_t rows = batch.tokens.size();
  const size_t hidden = spec_.hidden_size;
  NormInput(weights.input, weights.norm, act_.hidden, rows, act_.input);
  Linear(weights.input, act_.input, rows, Into::kReplace, act_.qkv, 3 * hidden);

  const ConvCall call = {
      .set = set_,
      .ring = batch.ring,
      .layer = layer,
      .taps = spec_.layers[layer].conv_taps,
      .channels = hidden,
      .kernel = weights.conv_kernel,
      .bias = weights.conv_bias,
  };
  pool_->For(rows, [&](size_t r, size_t) {
    StoreConvInput(call, batch.position + r, act_.qkv + r * 3 * hidden);
  });
  pool_->For(rows, [&](size_t r, size_t) {
    Convolve(call, batch.position + r, act_.qkv + r * 3 * hidden, act_.mixed + r * hidden);
  });
  pool_->For(rows, [&](size_t r, size_t) {
    RowInput(weights.output, act_.mixed + r * hidden, r, act_.output_input);
  });
  AddToResidual(weights.output, act_.output_input, weights.post_norm, rows);
}

void Decoder::MlpInput(size_t layer, size_t rows) {
  const LayerWeights& weights = weights_.layer(layer);
  if (spec_.layers[layer].n_experts == 0) {
    NormInput(weights.gate_up, weights.mlp_norm, act_.hidden, rows, act_.gate_up_input);
    return;
  }
  NormInput(weights.router, weights.mlp_norm, act_.hidden, rows, act_.router_input);
  NormInput(weights.experts[0].gate_up, weights.mlp_norm, act_.hidden, rows, act_.gate_up_input);
}

void Decoder::MlpBlock(size_t layer, size_t rows) {
  const LayerSpec& spec = spec_.layers[layer];
  const LayerWeights& weights = weights_.layer(layer);
  Linear(weights.gate_up, act_.gate_up_input, rows, Into::kReplace, act_.gate_up,
         spec.gate_up_size());
  Activated(spec, weights.down, rows);
  AddToResidual(weights.down, act_.down_input, weights.mlp_post_norm, rows);
}

// One expert after another, each on the rows that chose it: a row's sum is in their order.
void Decoder::ExpertsBlock(size_t layer, size_t rows) {
  const LayerSpec& spec = spec_.layers[layer];
  const LayerWeights& weights = weights_.layer(layer);
  const size_t hidden = spec_.hidden_size;
  const size_t used = spec.n_used_experts;
  Linear(weights.router, act_.router_input, rows, Into::kReplace, act_.scores, spec.n_experts);
  pool_->For(rows, [&](size_t r, size_t) {
    RouteRow(*set_, act_.scores + r * spec.n_experts, spec.n_experts, used, spec.normalize_experts,
             act_.routes + r * used);
    std::fill_n(act_.block_out + r * hidden, hidden, 0.0f);
  });
  GroupByExpert(act_.routes, rows * used, spec.n_experts, act_.begin, act_.order);

  for (size_t e = 0; e < spec.n_experts; ++e) {
    const uint32_t* chosen = act_.order + act_.begin[e];
    const size_t n = act_.begin[e + 1] - act_.begin[e];
    if (n == 0) continue;
    const Activations::Input& in = act_.expert_input;
    for (size_t i = 0; i < n; ++i) {
      const size_t row = chosen[i] / used;
      std::memcpy(in.rows + i * in.stride, act_.gate_up_input.rows + row * in.stride, in.stride);
      in.quant[i] = act_.gate_up_input.quant[row];
    }
    const ExpertWeights& expert = weights.experts[e];
    Linear(expert.gate_up, in, n, Into::kReplace, act_.gate_up, spec.gate_up_size());
    Activated(spec, expert.down, n);
    Linear(expert.down, act_.down_input, n, Into::kReplace, act_.expert_out, hidden);
    pool_->For(n, [&](size_t i, size_t) {
      set_->loops->blend(act_.block_out + chosen[i] / used * hidden, 1.0f,
                         act_.expert_out + i * hidden, act_.routes[chosen[i]].weight, hidden);
    });
  }
  AddBlockOut(weights.mlp_post_norm, rows);
}

void Decoder::Logits(const RowBatch& batch, const LogitsSink& sink) {
  const size_t vocab = spec_.vocab_size;
  for (size_t begin = batch.first_logits_row; begin < batch.tokens.size(); begin += kLogitRows) {
    const size_t rows = std::min(kLogitRows, batch.tokens.size() - begin);
    NormInput(weights_.head(), weights_.final_norm(), act_.hidden + begin * spec_.hidden_size, rows,
              act_.head_input);
    Linear(weights_.head(), act_.head_input, rows, Into::kReplace, act_.logits, vocab,
           /*last=*/true);
    for (size_t r = 0; r < rows; ++r) {
      if (spec_.logit_soft_cap > 0) {
        SoftCap(*set_, spec_.logit_soft_cap, vocab, act_.logits + r * vocab);
      }
      sink.row(sink.user, begin + r, {act_.logits + r * vocab, vocab});
    }
  }
}

void Decoder::NormInput(const PackedLinear& linear, const RowNorm& norm, const float* hidden,
                        size_t rows, const Activations::Input& in) {
  const size_t n = spec_.hidden_size;
  pool_->For(rows, [&](size_t r, size_t thread) {
    const float* row = hidden + r * n;
    if (norm.kind != NormKind::kNone) {
      float* normed = reinterpret_cast<float*>(Scratch(thread));
      Normalize(*set_, norm, row, n, normed);
      row = normed;
    }
    RowInput(linear, row, r, in);
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

void Decoder::Activated(const LayerSpec& spec, const PackedLinear& down, size_t rows) {
  const size_t size = spec.intermediate_size;
  pool_->For(rows, [&](size_t r, size_t thread) {
    float* gate = act_.gate_up + r * spec.gate_up_size();
    float* scratch = reinterpret_cast<float*>(Scratch(thread));
    if (spec.gated) {
      ActivateGate(*set_, spec.activation, gate, gate + size, size, scratch, gate);
    } else {
      Activate(*set_, spec.activation, gate, size, scratch, gate);
    }
    RowInput(down, gate, r, act_.down_input);
  });
}

void Decoder::AddToResidual(const PackedLinear& linear, const Activations::Input& in,
                            const RowNorm& norm, size_t rows) {
  if (norm.kind == NormKind::kNone) {
    Linear(linear, in, rows, Into::kAdd, act_.hidden, spec_.hidden_size);
    return;
  }
  Linear(linear, in, rows, Into::kReplace, act_.block_out, spec_.hidden_size);
  AddBlockOut(norm, rows);
}

void Decoder::AddBlockOut(const RowNorm& norm, size_t rows) {
  const size_t n = spec_.hidden_size;
  pool_->For(rows, [&](size_t r, size_t) {
    float* out = act_.block_out + r * n;
    if (norm.kind != NormKind::kNone) Normalize(*set_, norm, out, n, out);
    set_->loops->add(act_.hidden + r * n, out, n);
  });
}

void Decoder::Linear(const PackedLinear& linear, const Activations::Input& in, size_t rows,
                     Into into, float* out, size_t out_stride, bool last) {
  const size_t n = linear.shape.n;
  const size_t step = TaskChannels(linear.shape, *set_, pool_->threads());
  const LinearInput input = in.linear();
  if (observer_.observe != nullptr && linear.shape.format == WeightFormat::kF32) {
    observer_.observe(observer_.user, linear.tensor, input.f32, rows, linear.inputs,
                      input.stride / sizeof(float));
  }
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
