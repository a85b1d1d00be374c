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
  input(mixer_input, "qkv input", rows_n, kStepNorm, kStepIn);
  visit(qkv, "q, k, v", Floats(rows_n, qkv_floats_), kStepIn, kStepMix);
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
  visit(scores, "router scores", Floats(expert_rows, n_experts_), kStepMlpIn, kStepMlpIn);
  visit(routes, "routes", routes_n * sizeof(Route), kStepMlpIn, kStepMlpOut);
  visit(order, "routes by expert", routes_n * sizeof(uint32_t), kStepMlpIn, kStepMlpOut);
  visit(begin, "experts' routes", begins_n * sizeof(uint32_t), kStepMlpIn, kStepMlpOut);
  input(expert_input, "one expert's input", expert_rows, kStepMlpIn, kStepMlpOut);
  visit(expert_out, "one expert's output", Floats(expert_rows, hidden_size_), kStepMlpIn,
        kStepMlpOut);
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
    a.waits_ = a.waits_ || sublayer.has_post_norm || sublayer.factor != 1 ||
               sublayer.kind == SublayerKind::kExperts;
    a.gate_up_floats_ = std::max(a.gate_up_floats_, sublayer.mlp.gate_up_size());
    switch (sublayer.kind) {
      case SublayerKind::kAttention: {
        const AttentionSpec& attention = sublayer.attention;
        a.qkv_floats_ = std::max(a.qkv_floats_, attention.qkv_size());
        a.mixed_floats_ = std::max(a.mixed_floats_, attention.out_size());
        const CheckedSize queries =
            CheckedSize(attention.n_kv_heads) *
            AttentionQueryBytes(attention.q_per_kv(), attention.head_dim, limits.max_rows);
        a.query_bytes_ = std::max(a.query_bytes_, queries.ValueOrMost());
        const CheckedSize parts =
            CheckedSize(AttentionSegments::Most(window)) * attention.n_kv_heads *
            AttentionPartFloats(attention.q_per_kv(), attention.v_head_dim, limits.max_rows);
        a.part_floats_ = std::max(a.part_floats_, parts.ValueOrMost());
        widen(&a.mixer_input, w.attention.qkv_proj);
        widen(&a.o_input, w.attention.o_proj);
        break;
      }
      case SublayerKind::kShortConv:
        a.qkv_floats_ = std::max(a.qkv_floats_, 3 * spec.hidden_size);
        a.mixed_floats_ = std::max(a.mixed_floats_, spec.hidden_size);
        widen(&a.mixer_input, w.short_conv.in_proj);
        widen(&a.o_input, w.short_conv.out_proj);
        break;
      case SublayerKind::kMlp:
        widen_mlp(w.mlp);
        break;
      case SublayerKind::kExperts:
        a.n_experts_ = std::max(a.n_experts_, sublayer.experts.n_experts);
        a.n_used_ = std::max(a.n_used_, sublayer.experts.n_used);
        widen(&a.router_input, w.experts.router);
        for (const MlpWeights& expert : w.experts.experts) widen_mlp(expert);
        break;
    }
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

void Activations::Bind(const MemoryPlan& plan, uint8_t* arena) {
  ForEach([&]<typename T>(Buffer<T>& buffer, const char*, CheckedSize, Step, Step) {
    if (buffer.region == MemoryPlan::kNoRegion) return;
    buffer.data = reinterpret_cast<T*>(arena + plan.region(buffer.region).offset);
  });
}

}  // namespace rondo
