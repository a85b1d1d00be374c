#include "runtime/decoder/activations.h"

#include <algorithm>

#include "runtime/base/checked.h"
#include "runtime/decoder/attention.h"

namespace rondo {

namespace {

// Bytes of one row of inputs, for int8 with padding: kernels read whole groups of inputs.
size_t InputStride(const PackedLinear& linear) {
  const CheckedSize bytes = linear.shape.format == WeightFormat::kF32
                                ? CheckedSize(linear.shape.k) * sizeof(float)
                                : CheckedSize(linear.shape.k).AlignUp(64);
  return bytes.valid() ? bytes.value() : SIZE_MAX;  // which the plan refuses
}

// Kernels read beyond what is there; but nothing is read of a buffer that holds nothing.
CheckedSize WithOverRead(CheckedSize bytes) {
  return bytes.valid() && bytes.value() == 0 ? bytes : bytes + kOverRead;
}

CheckedSize Floats(size_t rows, size_t columns) {
  return WithOverRead(CheckedSize(rows) * columns * sizeof(float));
}

}  // namespace

template <typename Visit>
void Activations::ForEach(const Visit& visit) {
  const auto input = [&](InputRows& in, const char* name, size_t n_rows, Step first, Step last) {
    visit(in.rows, name, WithOverRead(CheckedSize(in.stride) * n_rows), first, last);
    visit(in.quant, name, CheckedSize(n_rows) * sizeof(RowQuant), first, last);
  };
  const size_t rows_n = max_rows_;
  const size_t expert_rows = n_experts_ > 0 ? rows_n : 0;
  const CheckedSize routes_n = CheckedSize(rows_n) * n_used_;
  const CheckedSize begins_n = n_experts_ > 0 ? CheckedSize(n_experts_) + 1 : CheckedSize(0);
  // What a sublayer reads that runs beside the one before it is made before that one runs. Experts
  // take their steps one after another, on the same buffers.
  const Step mlp_norm = parallel_ ? kStepNorm : kStepMlpNorm;
  const auto until = [&](Step last) { return n_experts_ > 0 ? kStepMlpOut : last; };
  const Step mlp_mix = n_experts_ > 0 ? kStepMlpIn : kStepMlpMix;
  visit(rows, "rows", CheckedSize(rows_n) * sizeof(PassRow), kStepEmbed, kStepHead);
  visit(hidden, "residual stream", Floats(rows_n, hidden_size_), kStepEmbed, kStepHead);
  visit(rope, "RoPE tables", Floats(rows_n, rope_dims_), kStepEmbed, kStepMlpOut);
  visit(sink_rope, "RoPE tables for sinks", Floats(sinks_ ? rows_n : 0, rope_dims_), kStepEmbed,
        kStepMlpOut);
  input(layer_projection_input, "layer embeddings' input", layer_embedding_floats_ > 0 ? rows_n : 0,
        kStepEmbed, kStepEmbed);
  visit(layer_embeddings, "layer embeddings", Floats(rows_n, layer_embedding_floats_), kStepEmbed,
        kStepMlpOut);
  const size_t stream_rows = n_streams_ > 0 ? rows_n : 0;
  visit(streams, "residual streams", Floats(stream_rows * n_streams_, hidden_size_), kStepEmbed,
        kStepHead);
  input(streams_input, "residual streams' input", stream_rows, kStepEmbed, kStepEmbed);
  const size_t laurel_rows = laurel_rank_ > 0 ? rows_n : 0;
  visit(laurel, "laurel", Floats(laurel_rows, hidden_size_), kStepNorm, kStepOut);
  input(laurel_input, "laurel input", laurel_rows, kStepNorm, kStepOut);
  visit(low_laurel, "low-rank laurel", Floats(laurel_rows, laurel_rank_), kStepNorm, kStepOut);
  input(low_laurel_input, "low-rank laurel's input", laurel_rows, kStepNorm, kStepOut);
  const Step mixer_in = mixers_parallel_ ? kStepOut : kStepIn;
  const size_t state_rows = conv_floats_ > 0 ? rows_n : 0;
  input(mixer_input, "qkv input", rows_n, kStepNorm, mixer_in);
  input(state_input, "recurrence input", state_rows, kStepNorm, mixer_in);
  input(gates_input, "recurrence gates' input", state_rows, kStepNorm, mixer_in);
  visit(low_q, "low-rank queries", Floats(rows_n, low_q_floats_), kStepIn, kStepIn);
  input(low_q_input, "low-rank queries' input", low_q_floats_ > 0 ? rows_n : 0, kStepIn, kStepIn);
  visit(latent_q, "queries of latent attention", Floats(rows_n, latent_q_floats_), kStepIn,
        kStepMix);
  visit(low_kv, "latent and key", Floats(rows_n, low_kv_floats_), kStepIn, kStepMix);
  input(up_input, "latent attention's inputs by head", latent_heads_ * rows_n, kStepMix, kStepMix);
  visit(qkv, "q, k, v", Floats(rows_n, qkv_floats_), kStepIn, kStepMix);
  visit(gates, "recurrence gates", Floats(rows_n, gate_floats_), kStepIn, kStepMix);
  visit(convolved, "recurrence convolution", Floats(rows_n, conv_floats_), kStepMix, kStepMix);
  visit(mixed, "attention output", Floats(rows_n, mixed_floats_), kStepMix, kStepMix);
  visit(queries, "queries of segments", CheckedSize(query_bytes_), kStepMix, kStepMix);
  visit(parts, "attention by segment", Floats(1, part_floats_), kStepMix, kStepMix);
  input(o_input, "o_proj input", rows_n, kStepMix, kStepOut);
  visit(sublayer_out, "sublayer output", Floats(waits_ ? rows_n : 0, hidden_size_), kStepOut,
        kStepMlpOut);
  input(gate_up_input, "gate_up input", rows_n, mlp_norm, until(kStepMlpIn));
  visit(gate_up, "gate and up", Floats(rows_n, gate_up_floats_), kStepMlpIn, until(kStepMlpMix));
  input(down_input, "down input", rows_n, mlp_mix, kStepMlpOut);
  input(router_input, "router input", expert_rows, mlp_norm, kStepMlpIn);
  input(shared_input, "shared expert's input", shared_input.stride > 0 ? rows_n : 0, mlp_norm,
        kStepMlpOut);
  visit(scores, "router scores", Floats(expert_rows, score_floats_), kStepMlpIn, kStepMlpOut);
  visit(routes, "routes", routes_n * sizeof(Route), kStepMlpIn, kStepMlpOut);
  visit(order, "routes by expert", routes_n * sizeof(uint32_t), kStepMlpIn, kStepMlpOut);
  visit(begin, "experts' routes", begins_n * sizeof(uint32_t), kStepMlpIn, kStepMlpOut);
  input(expert_input, "one expert's input", expert_rows, kStepMlpIn, kStepMlpOut);
  visit(expert_out, "one expert's output", Floats(expert_rows, hidden_size_), kStepMlpIn,
        kStepMlpOut);
  const size_t joined_rows = n_streams_ > 0 ? logit_rows_ : 0;
  input(from_stream_input, "residual stream's input", joined_rows, kStepHead, kStepHead);
  visit(from_stream, "residual stream's part", Floats(joined_rows, hidden_size_), kStepHead,
        kStepHead);
  input(head_input, "head input", logit_rows_, kStepHead, kStepHead);
  visit(logits, "logits", Floats(logit_rows_, vocab_size_), kStepHead, kStepHead);
}

Activations Activations::Plan(const DecoderSpec& spec, const Weights& weights,
                              const PassLimits& limits, const ContextWindow& window,
                              MemoryPlan* plan) {
  Activations a;
  a.max_rows_ = limits.max_rows;
  // Eight where a prompt wants them all; every session that decodes has one.
  a.logit_rows_ = std::clamp<size_t>(limits.max_sequences, 8, kMostLogitRows);
  a.hidden_size_ = spec.hidden_size;
  a.vocab_size_ = spec.vocab_size;
  a.sinks_ = window.sink_blocks > 0;
  const auto widen = [](InputRows* input, const PackedLinear& linear) {
    input->stride = std::max(input->stride, InputStride(linear));
  };
  const auto widen_mlp = [&](const MlpWeights& mlp) {
    widen(&a.gate_up_input, mlp.gate_up_proj);
    widen(&a.down_input, mlp.down_proj);
  };
  for (size_t i = 0; i < spec.sublayers.size(); ++i) {
    const SublayerSpec& sublayer = spec.sublayers[i];
    const SublayerWeights& w = weights.sublayer(i);
    a.parallel_ = a.parallel_ || sublayer.reads_previous_input;
    a.mixers_parallel_ =
        a.mixers_parallel_ ||
        (sublayer.reads_previous_input && (sublayer.keeps_positions() || sublayer.keeps_state()));
    a.waits_ = a.waits_ || sublayer.has_post_norm || sublayer.factor != 1 ||
               sublayer.residual_factor != 1 || sublayer.kind == SublayerKind::kExperts ||
               sublayer.kind == SublayerKind::kLaurel;
    a.gate_up_floats_ = std::max(a.gate_up_floats_, sublayer.mlp.gate_up_size());
    switch (sublayer.kind) {
      case SublayerKind::kAttention: {
        const AttentionSpec& attention = sublayer.attention;
        a.qkv_floats_ = std::max(a.qkv_floats_, attention.qkv_size());
        a.mixed_floats_ = std::max(a.mixed_floats_, attention.out_size());
        a.AddAttention(attention.n_kv_heads, attention.q_per_kv(), attention.head_dim,
                       attention.v_head_dim, window);
        widen(&a.mixer_input, w.attention.qkv_proj);
        widen(&a.o_input, w.attention.o_proj);
        break;
      }
      case SublayerKind::kLatentAttention: {
        const LatentAttentionSpec& attention = sublayer.latent_attention;
        const LatentAttentionWeights& latent = w.latent_attention;
        a.qkv_floats_ = std::max({a.qkv_floats_, attention.qkv_size(), attention.out_size()});
        a.mixed_floats_ = std::max(a.mixed_floats_, attention.mixed_size());
        a.latent_q_floats_ = std::max(a.latent_q_floats_, attention.q_size());
        a.low_kv_floats_ = std::max(a.low_kv_floats_, attention.key_dim());
        a.latent_heads_ = std::max(a.latent_heads_, attention.n_heads);
        a.AddAttention(attention.tasks(), attention.heads_per_task(), attention.key_dim(),
                       attention.latent_dim, window);
        widen(&a.mixer_input, latent.kv_down);
        widen(&a.mixer_input, latent.has_q_down ? latent.q_down : latent.q_proj);
        for (const PackedLinear& up : latent.key_up) widen(&a.up_input, up);
        for (const PackedLinear& up : latent.value_up) widen(&a.up_input, up);
        widen(&a.o_input, latent.o_proj);
        if (!latent.has_q_down) break;
        a.low_q_floats_ = std::max(a.low_q_floats_, latent.q_down.shape.n);
        widen(&a.low_q_input, latent.q_proj);
        break;
      }
      case SublayerKind::kLayerEmbedding:
        a.gate_up_floats_ = std::max(a.gate_up_floats_, spec.layer_embedding_size);
        widen(&a.gate_up_input, w.layer_embedding.gate_proj);
        widen(&a.down_input, w.layer_embedding.down_proj);
        break;
      case SublayerKind::kLaurel:
        a.laurel_rank_ = std::max(a.laurel_rank_, w.laurel.right.inputs);
        widen(&a.laurel_input, w.laurel.left);
        widen(&a.low_laurel_input, w.laurel.right);
        break;
      case SublayerKind::kShortConv:
        a.qkv_floats_ = std::max(a.qkv_floats_, 3 * spec.hidden_size);
        a.mixed_floats_ = std::max(a.mixed_floats_, spec.hidden_size);
        widen(&a.mixer_input, w.short_conv.in_proj);
        widen(&a.o_input, w.short_conv.out_proj);
        break;
      case SublayerKind::kGatedDeltaNet:
      case SublayerKind::kMamba2: {
        const RecurrentSpec& recurrent = sublayer.recurrent;
        a.qkv_floats_ = std::max(a.qkv_floats_, recurrent.input_size());
        a.mixed_floats_ = std::max(a.mixed_floats_, recurrent.inner_size());
        a.conv_floats_ = std::max(a.conv_floats_, recurrent.conv_size());
        a.gate_floats_ = std::max(a.gate_floats_, 2 * recurrent.n_heads);
        widen(&a.state_input, w.recurrent.in_proj);
        widen(&a.gates_input, w.recurrent.gates_proj);
        widen(&a.o_input, w.recurrent.out_proj);
        break;
      }
      case SublayerKind::kMlp:
        widen_mlp(w.mlp);
        break;
      case SublayerKind::kExperts:
        a.n_experts_ = std::max(a.n_experts_, sublayer.experts.n_experts);
        a.n_used_ = std::max(a.n_used_, sublayer.experts.n_used);
        a.score_floats_ = std::max(a.score_floats_, sublayer.experts.score_floats());
        a.gate_up_floats_ = std::max(a.gate_up_floats_, sublayer.experts.shared.gate_up_size());
        widen(&a.router_input, w.experts.router);
        for (const MlpWeights& expert : w.experts.experts) widen_mlp(expert);
        if (sublayer.experts.shared.intermediate_size == 0) break;
        widen_mlp(w.experts.shared);
        if (sublayer.experts.shared_norm) widen(&a.shared_input, w.experts.shared.gate_up_proj);
        break;
    }
  }
  if (spec.layer_embedding_size > 0) {
    a.layer_embedding_floats_ =
        (CheckedSize(spec.n_layers()) * spec.layer_embedding_size).ValueOrMost();
    a.layer_projection_input.stride = InputStride(weights.layer_projection());
  }
  a.n_streams_ = spec.alt_up.n_streams;
  if (a.n_streams_ > 0) {
    a.streams_input.stride = InputStride(weights.to_streams());
    for (size_t i = 1; i < a.n_streams_; ++i) widen(&a.from_stream_input, weights.from_stream(i));
  }
  a.expert_input.stride = a.gate_up_input.stride;
  a.head_input.stride = InputStride(weights.head());
  for (const RopeSpec& rope : spec.ropes) a.rope_dims_ += rope.dim;
  a.ForEach([&](auto& buffer, const char* name, CheckedSize bytes, Step first, Step last) {
    const size_t size = bytes.ValueOrMost();
    if (size > 0) buffer.region = plan->Add(Segment::kActivations, size, name, first, last);
  });
  return a;
}

void Activations::AddAttention(size_t n_kv_heads, size_t q_per_kv, size_t head_dim,
                               size_t v_head_dim, const ContextWindow& window) {
  const CheckedSize queries =
      CheckedSize(n_kv_heads) * AttentionQueryBytes(q_per_kv, head_dim, max_rows_);
  query_bytes_ = std::max(query_bytes_, queries.ValueOrMost());
  const CheckedSize parts = CheckedSize(AttentionSegments::Most(window)) * n_kv_heads *
                            AttentionPartFloats(q_per_kv, v_head_dim, max_rows_);
  part_floats_ = std::max(part_floats_, parts.ValueOrMost());
}

void Activations::Bind(const MemoryPlan& plan, uint8_t* arena) {
  ForEach([&]<typename T>(Buffer<T>& buffer, const char*, CheckedSize, Step, Step) {
    if (buffer.region == MemoryPlan::kNoRegion) return;
    buffer.data = reinterpret_cast<T*>(arena + plan.region(buffer.region).offset);
  });
}

}  // namespace rondo
