#include "runtime/decoder/activations.h"

#include <algorithm>

#include "runtime/base/checked.h"
#include "runtime/decoder/adapter.h"
#include "runtime/decoder/attention.h"
#include "runtime/decoder/sublayer.h"

namespace rondo {

namespace {

// Bytes of one row of inputs, for int8 with padding: kernels read whole groups of inputs.
size_t InputStride(const PackedLinear& linear) {
  const CheckedSize bytes = linear.shape.float_rows() ? CheckedSize(linear.shape.k) * sizeof(float)
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

void InputRows::Widen(const PackedLinear& linear) {
  stride = std::max(stride, InputStride(linear));
  if (linear.fine_rows) rest = 1;  // what it is, is known with the rows
}

template <typename Visit>
void Activations::ForEach(const Visit& visit) {
  const auto input = [&](InputRows& in, const char* name, size_t n_rows, Step first, Step last) {
    size_t all_rows = n_rows;
    if (in.rest > 0) {
      in.rest = HeldRows(n_rows);
      all_rows = in.rest + n_rows;
    }
    visit(in.rows, name, WithOverRead(CheckedSize(in.stride) * HeldRows(all_rows)), first, last);
    visit(in.quant, name, CheckedSize(all_rows) * sizeof(RowQuant), first, last);
    visit(in.low, name, CheckedSize(n_rows) * in.low.columns * sizeof(float), first, last);
  };
  const size_t rows_n = max_rows_;
  const bool has_experts = begin.columns > 0;
  const size_t expert_rows = has_experts ? rows_n : 0;
  const CheckedSize routes_n = CheckedSize(rows_n) * routes.columns;
  // What a sublayer reads that runs beside the one before it is made before that one runs. Experts
  // take their steps one after another, on the same buffers.
  const Step mlp_norm = parallel_ ? kStepNorm : kStepMlpNorm;
  const auto until = [&](Step last) { return has_experts ? kStepMlpOut : last; };
  const Step mlp_mix = has_experts ? kStepMlpIn : kStepMlpMix;
  visit(rows, "rows", CheckedSize(rows_n) * sizeof(PassRow), kStepEmbed, kStepHead);
  const size_t own_rows = merged.columns > 0 ? 0 : rows_n;
  visit(hidden, "residual stream", Floats(own_rows, hidden_size_), kStepEmbed, kStepHead);
  // A draft head turns by them, too, behind the logits.
  const bool has_draft_head = draft_input.stride > 0;
  const Step rope_end = has_draft_head ? kStepHead : kStepMlpOut;
  visit(rope, "RoPE tables", Floats(own_rows, rope.columns), kStepEmbed, rope_end);
  visit(sink_rope, "RoPE tables for sinks", Floats(sinks_ ? rows_n : 0, rope.columns), kStepEmbed,
        rope_end);
  input(draft_input, "draft head's input", has_draft_head ? rows_n : 0, kStepEmbed, kStepEmbed);
  input(layer_projection_input, "layer embeddings' input",
        layer_embeddings.columns > 0 ? rows_n : 0, kStepEmbed, kStepEmbed);
  visit(layer_embeddings, "layer embeddings", Floats(rows_n, layer_embeddings.columns), kStepEmbed,
        kStepMlpOut);
  const size_t stream_rows = n_streams_ > 0 ? rows_n : 0;
  visit(streams, "residual streams", Floats(stream_rows * n_streams_, hidden_size_), kStepEmbed,
        kStepHead);
  input(streams_input, "residual streams' input", stream_rows, kStepEmbed, kStepEmbed);
  const size_t laurel_rows = low_laurel.columns > 0 ? rows_n : 0;
  visit(laurel, "laurel", Floats(laurel_rows, hidden_size_), kStepNorm, kStepOut);
  input(laurel_input, "laurel input", laurel_rows, kStepNorm, kStepOut);
  visit(low_laurel, "low-rank laurel", Floats(laurel_rows, low_laurel.columns), kStepNorm,
        kStepOut);
  input(low_laurel_input, "low-rank laurel's input", laurel_rows, kStepNorm, kStepOut);
  const Step mixer_in = mixers_parallel_ ? kStepOut : kStepIn;
  const size_t state_rows = convolved.columns > 0 ? rows_n : 0;
  input(mixer_input, "qkv input", rows_n, kStepNorm, mixer_in);
  input(state_input, "recurrence input", state_rows, kStepNorm, mixer_in);
  input(gates_input, "recurrence gates' input", state_rows, kStepNorm, mixer_in);
  visit(low_q, "low-rank queries", Floats(rows_n, low_q.columns), kStepIn, kStepIn);
  input(low_q_input, "low-rank queries' input", low_q.columns > 0 ? rows_n : 0, kStepIn, kStepIn);
  visit(latent_q, "queries of latent attention", Floats(rows_n, latent_q.columns), kStepIn,
        kStepMix);
  visit(low_kv, "latent and key", Floats(rows_n, low_kv.columns), kStepIn, kStepMix);
  input(up_input, "latent attention's inputs by head", latent_heads * HeldRows(rows_n), kStepMix,
        kStepMix);
  visit(qkv, "q, k, v", Floats(rows_n, qkv.columns), kStepIn, kStepMix);
  // With the rows that sequences keep behind their states.
  const size_t run_rows = rows_n + (convolved.columns > 0 ? kept_rows_ : 0);
  visit(gates, "recurrence gates", Floats(run_rows, gates.columns), kStepIn, kStepMix);
  visit(convolved, "recurrence convolution", Floats(run_rows, convolved.columns), kStepMix,
        kStepMix);
  visit(mixed, "attention output", Floats(run_rows, mixed.columns), kStepMix, kStepMix);
  visit(queries, "queries of segments", CheckedSize(query_bytes_), kStepMix, kStepMix);
  visit(parts, "attention by segment", Floats(1, part_floats_), kStepMix, kStepMix);
  input(o_input, "o_proj input", rows_n, kStepMix, kStepOut);
  visit(sublayer_out, "sublayer output", Floats(rows_n, sublayer_out.columns), kStepOut,
        kStepMlpOut);
  input(gate_up_input, "gate_up input", rows_n, mlp_norm, until(kStepMlpIn));
  visit(gate_up, "gate and up", Floats(rows_n, gate_up.columns), kStepMlpIn, until(kStepMlpMix));
  input(down_input, "down input", rows_n, mlp_mix, kStepMlpOut);
  input(router_input, "router input", expert_rows, mlp_norm, kStepMlpIn);
  input(shared_input, "shared expert's input", shared_input.stride > 0 ? rows_n : 0, mlp_norm,
        kStepMlpOut);
  visit(scores, "router scores", Floats(expert_rows, scores.columns), kStepMlpIn, kStepMlpOut);
  visit(routes, "routes", routes_n * sizeof(Route), kStepMlpIn, kStepMlpOut);
  visit(order, "routes by expert", routes_n * sizeof(uint32_t), kStepMlpIn, kStepMlpOut);
  visit(begin, "experts' routes", CheckedSize(begin.columns) * sizeof(uint32_t), kStepMlpIn,
        kStepMlpOut);
  visit(slots, "experts' rows", CheckedSize(expert_rows) * sizeof(uint32_t), kStepMlpIn,
        kStepMlpOut);
  visit(products, "products side by side", CheckedSize(products.columns) * sizeof(Product), kStepIn,
        kStepMlpOut);
  input(expert_input, "experts' input", expert_rows, kStepMlpIn, kStepMlpOut);
  visit(expert_out, "experts' output", Floats(expert_rows, hidden_size_), kStepMlpIn, kStepMlpOut);
  const size_t joined_rows = n_streams_ > 0 ? logit_rows_ : 0;
  input(from_stream_input, "residual stream's input", joined_rows, kStepHead, kStepHead);
  visit(from_stream, "residual stream's part", Floats(joined_rows, hidden_size_), kStepHead,
        kStepHead);
  visit(merged, "merged patches", Floats(merged.columns > 0 ? logit_rows_ : 0, merged.columns),
        kStepHead, kStepHead);
  const size_t dense_rows = dense.columns > 0 ? logit_rows_ : 0;
  input(dense_input, "dense layer's input", dense_rows, kStepHead, kStepHead);
  visit(dense, "dense layer's output", Floats(dense_rows, dense.columns), kStepHead, kStepHead);
  input(head_input, "head input", logit_rows_, kStepHead, kStepHead);
  visit(logits, "logits", Floats(logit_rows_, vocab_size_), kStepHead, kStepHead);
}

Activations Activations::Plan(const DecoderSpec& spec, const Weights& weights,
                              const PassLimits& limits, const ContextWindow& window,
                              MemoryPlan* plan) {
  Activations a;
  a.max_rows_ = limits.max_rows;
  a.kept_rows_ = std::min(limits.max_rows, limits.max_sequences) * kMostKeptRows;
  // Eight where a prompt wants them all; every session that decodes has one.
  a.logit_rows_ = std::clamp<size_t>(limits.max_sequences, 8, kMostLogitRows);
  a.hidden_size_ = spec.hidden_size;
  const bool has_head = !spec.is_embedder() && !spec.is_tower();
  a.vocab_size_ = has_head ? spec.vocab_size : 0;
  a.sinks_ = window.sink_blocks > 0;
  for (size_t i = 0; i < spec.sublayers.size(); ++i) {
    const Sublayer sublayer = {spec.sublayers[i], weights.sublayer(i)};
    const SublayerSpec& own = sublayer.spec;
    a.parallel_ = a.parallel_ || own.reads_previous_input;
    a.mixers_parallel_ = a.mixers_parallel_ ||
                         (own.reads_previous_input && (own.keeps_positions() || own.keeps_state()));
    if (own.has_post_norm || own.factor != 1 || own.residual_factor != 1) {
      a.sublayer_out.Widen(spec.hidden_size);
    }
    own.op->Widen(sublayer, window, &a);
  }
  if (spec.layer_embedding_size > 0) {
    a.layer_embeddings.Widen(
        (CheckedSize(spec.n_layers()) * spec.layer_embedding_size).ValueOrMost());
    a.layer_projection_input.Widen(weights.layer_projection());
  }
  a.n_streams_ = spec.alt_up.n_streams;
  if (a.n_streams_ > 0) {
    a.streams_input.Widen(weights.to_streams());
    for (size_t i = 1; i < a.n_streams_; ++i) a.from_stream_input.Widen(weights.from_stream(i));
  }
  a.expert_input.stride = a.gate_up_input.stride;
  if (has_head) a.head_input.Widen(weights.head());
  if (spec.is_tower()) {
    a.mixer_input.Widen(weights.patch());
    a.merged.Widen(spec.tower.widest);
  }
  for (size_t i = 0; i < spec.dense.size(); ++i) {
    a.dense_input.Widen(weights.dense(i));
    a.dense.Widen(weights.dense(i).shape.n);
  }
  if (spec.draft_input_size() > 0) a.draft_input.Widen(weights.draft_input());
  if (spec.other_hidden_size > 0) {
    a.head_input.Widen(weights.draft_output());
    a.vocab_size_ = std::max(a.vocab_size_, spec.other_hidden_size);
  }
  for (const RopeSpec& rope : spec.ropes) a.rope.columns += rope.dim;
  if (limits.adapter_rank > 0) {
    // Of the products that IsAdaptable names.
    for (InputRows* in : {&a.mixer_input, &a.o_input, &a.state_input, &a.gates_input,
                          &a.gate_up_input, &a.down_input}) {
      if (in->stride > 0) in->low.Widen(AdapterRowFloats(limits.adapter_rank));
    }
  }
  a.ForEach([&](auto& buffer, const char* name, CheckedSize bytes, Step first, Step last) {
    const size_t size = bytes.ValueOrMost();
    if (size > 0) buffer.region = plan->Add(Segment::kActivations, size, name, first, last);
  });
  return a;
}

void Activations::WidenAttention(size_t n_kv_heads, size_t q_per_kv, size_t head_dim,
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
