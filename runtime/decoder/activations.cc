#include "runtime/decoder/activations.h"

#include <algorithm>

#include "runtime/base/checked.h"
#include "runtime/decoder/attention.h"

namespace rondo {

namespace {

// Bytes of one row of inputs, for int8 with padding: kernels read whole groups of inputs.
size_t InputStride(const PackedLinear& linear) {
  return linear.shape.format == WeightFormat::kF32 ? linear.shape.k * sizeof(float)
                                                   : RoundUp(linear.shape.k, 64);
}

size_t QuantOffset(size_t stride, size_t rows) { return RoundUp(stride * rows + kOverRead, 64); }

size_t InputBytes(size_t stride, size_t rows) {
  return QuantOffset(stride, rows) + rows * sizeof(RowQuant);
}

size_t FloatBytes(size_t rows, size_t columns) {
  const CheckedSize bytes = CheckedSize(rows) * columns * sizeof(float) + kOverRead;
  return bytes.valid() ? bytes.value() : SIZE_MAX;  // which the plan refuses
}

}  // namespace

Activations Activations::Plan(const DecoderSpec& spec, const Weights& weights, size_t max_rows,
                              const ContextWindow& window, MemoryPlan* plan) {
  Activations a;
  a.max_rows_ = max_rows;
  a.sinks_ = window.sink_blocks > 0;
  size_t mixed = 0, qkv = 0, gate_up = 0, parts = 0, rope_dims = 0, n_experts = 0, n_used = 0;
  bool parallel = false, block_out = false;
  const auto widen = [](Input* input, const PackedLinear& linear) {
    input->stride = std::max(input->stride, InputStride(linear));
  };
  for (size_t i = 0; i < spec.layers.size(); ++i) {
    const LayerSpec& layer = spec.layers[i];
    const LayerWeights& w = weights.layer(i);
    mixed = std::max(mixed, spec.mixed_size(i));
    qkv = std::max(qkv, spec.input_size(i));
    gate_up = std::max(gate_up, layer.gate_up_size());
    parallel = parallel || layer.parallel;
    block_out = block_out || layer.n_experts > 0 || layer.post_norms;
    if (layer.conv_taps == 0) {
      parts = std::max(
          parts, layer.n_kv_heads * AttentionPartFloats(layer.group(), layer.head_dim, max_rows));
    }
    widen(&a.input, w.input);
    widen(&a.output_input, w.output);
    if (layer.n_experts == 0) {
      widen(&a.gate_up_input, w.gate_up);
      widen(&a.down_input, w.down);
      continue;
    }
    n_experts = std::max(n_experts, layer.n_experts);
    n_used = std::max(n_used, layer.n_used_experts);
    widen(&a.router_input, w.router);
    for (size_t e = 0; e < layer.n_experts; ++e) {
      widen(&a.gate_up_input, w.experts[e].gate_up);
      widen(&a.down_input, w.experts[e].down);
    }
  }
  a.experts_ = n_experts > 0;
  a.expert_input.stride = a.gate_up_input.stride;
  a.head_input.stride = InputStride(weights.head());
  for (const RopeSpec& rope : spec.ropes) rope_dims += rope.dim;

  const auto add = [&](const char* name, size_t bytes, Step first, Step last) {
    return plan->Add(Segment::kActivations, bytes, name, first, last);
  };
  const auto input = [&](const char* name, const Input& in, size_t rows, Step first, Step last) {
    return add(name, InputBytes(in.stride, rows), first, last);
  };
  // Experts take their steps one after another, on the same buffers.
  const auto last_use = [&](Step step) { return a.experts_ ? kStepDown : step; };
  const Step mlp_norm = parallel ? kStepNorm : kStepMlpNorm;
  a.ids_.hidden =
      add("residual stream", FloatBytes(max_rows, spec.hidden_size), kStepEmbed, kStepFinalNorm);
  a.ids_.rope = add("RoPE tables", FloatBytes(max_rows, rope_dims), kStepEmbed, kStepDown);
  if (a.sinks_) {
    a.ids_.sink_rope =
        add("RoPE tables for sinks", FloatBytes(max_rows, rope_dims), kStepEmbed, kStepDown);
  }
  a.ids_.input = input("qkv input", a.input, max_rows, kStepNorm, kStepInput);
  a.ids_.qkv = add("q, k, v", FloatBytes(max_rows, qkv), kStepInput, kStepMix);
  a.ids_.mixed = add("attention output", FloatBytes(max_rows, mixed), kStepMix, kStepOutputInput);
  a.ids_.parts = add("attention by segment", FloatBytes(AttentionSegments::Most(window), parts),
                     kStepMix, kStepOutputInput);
  a.ids_.output_input =
      input("output projection input", a.output_input, max_rows, kStepOutputInput, kStepOutput);
  a.ids_.block_out = add("block output", FloatBytes(block_out ? max_rows : 0, spec.hidden_size),
                         kStepOutput, kStepDown);
  a.ids_.gate_up_input =
      input("gate and up input", a.gate_up_input, max_rows, mlp_norm, last_use(kStepGateUp));
  a.ids_.gate_up =
      add("gate and up", FloatBytes(max_rows, gate_up), kStepGateUp, last_use(kStepActivation));
  a.ids_.down_input = input("down projection input", a.down_input, max_rows,
                            a.experts_ ? kStepGateUp : kStepActivation, kStepDown);
  if (a.experts_) {
    const size_t routes = max_rows * n_used;
    a.ids_.router_input = input("router input", a.router_input, max_rows, mlp_norm, kStepGateUp);
    a.ids_.scores = add("router scores", FloatBytes(max_rows, n_experts), kStepGateUp, kStepGateUp);
    a.ids_.routes = add("routes", routes * sizeof(Route), kStepGateUp, kStepDown);
    a.ids_.order = add("routes by expert", routes * sizeof(uint32_t), kStepGateUp, kStepDown);
    a.ids_.begin =
        add("experts' routes", (n_experts + 1) * sizeof(uint32_t), kStepGateUp, kStepDown);
    a.ids_.expert_input =
        input("one expert's input", a.expert_input, max_rows, kStepGateUp, kStepDown);
    a.ids_.expert_out =
        add("one expert's output", FloatBytes(max_rows, spec.hidden_size), kStepGateUp, kStepDown);
  }
  a.ids_.head_input = input("head input", a.head_input, kLogitRows, kStepFinalNorm, kStepHead);
  a.ids_.logits = add("logits", FloatBytes(kLogitRows, spec.vocab_size), kStepHead, kStepHead);
  return a;
}

void Activations::Bind(const MemoryPlan& plan, uint8_t* arena) {
  const auto at = [&]<typename T>(MemoryPlan::BlockId id, T** pointer) {
    *pointer = reinterpret_cast<T*>(arena + plan.block(id).offset);
  };
  const auto bind = [&](MemoryPlan::BlockId id, size_t rows, Input* in) {
    at(id, &in->rows);
    in->quant = reinterpret_cast<RowQuant*>(in->rows + QuantOffset(in->stride, rows));
  };
  at(ids_.hidden, &hidden);
  at(ids_.rope, &rope);
  if (sinks_) at(ids_.sink_rope, &sink_rope);
  at(ids_.qkv, &qkv);
  at(ids_.mixed, &mixed);
  at(ids_.parts, &parts);
  at(ids_.gate_up, &gate_up);
  at(ids_.block_out, &block_out);
  at(ids_.logits, &logits);
  bind(ids_.input, max_rows_, &input);
  bind(ids_.output_input, max_rows_, &output_input);
  bind(ids_.gate_up_input, max_rows_, &gate_up_input);
  bind(ids_.down_input, max_rows_, &down_input);
  bind(ids_.head_input, kLogitRows, &head_input);
  if (!experts_) return;
  at(ids_.scores, &scores);
  at(ids_.routes, &routes);
  at(ids_.order, &order);
  at(ids_.begin, &begin);
  at(ids_.expert_out, &expert_out);
  bind(ids_.router_input, max_rows_, &router_input);
  bind(ids_.expert_input, max_rows_, &expert_input);
}

}  // namespace rondo
