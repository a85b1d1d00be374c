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
  size_t q = 0;
  size_t qkv = 0;
  size_t intermediate = 0;
  size_t rope_dims = 0;
  size_t parts = 0;
  for (size_t i = 0; i < spec.layers.size(); ++i) {
    const LayerSpec& layer = spec.layers[i];
    q = std::max(q, layer.q_size());
    qkv = std::max(qkv, layer.q_size() + 2 * layer.kv_size());
    parts = std::max(
        parts, layer.n_kv_heads * AttentionPartFloats(layer.group(), layer.head_dim, max_rows));
    intermediate = std::max(intermediate, layer.intermediate_size);
    a.qkv_input.stride = std::max(a.qkv_input.stride, InputStride(weights.layer(i).qkv));
    a.output_input.stride = std::max(a.output_input.stride, InputStride(weights.layer(i).output));
    a.gate_up_input.stride =
        std::max(a.gate_up_input.stride, InputStride(weights.layer(i).gate_up));
    a.down_input.stride = std::max(a.down_input.stride, InputStride(weights.layer(i).down));
  }
  a.head_input.stride = InputStride(weights.head());
  for (const RopeSpec& rope : spec.ropes) rope_dims += rope.dim;

  const auto add = [&](const char* name, size_t bytes, Step first, Step last) {
    return plan->Add(Segment::kActivations, bytes, name, first, last);
  };
  const auto input = [&](const char* name, const Input& in, size_t rows, Step first, Step last) {
    return add(name, InputBytes(in.stride, rows), first, last);
  };
  a.ids_.hidden =
      add("residual stream", FloatBytes(max_rows, spec.hidden_size), kStepEmbed, kStepFinalNorm);
  a.ids_.rope = add("RoPE tables", FloatBytes(max_rows, rope_dims), kStepEmbed, kStepDown);
  if (a.sinks_) {
    a.ids_.sink_rope =
        add("RoPE tables for sinks", FloatBytes(max_rows, rope_dims), kStepEmbed, kStepDown);
  }
  a.ids_.qkv_input = input("qkv input", a.qkv_input, max_rows, kStepAttentionNorm, kStepQkv);
  a.ids_.qkv = add("q, k, v", FloatBytes(max_rows, qkv), kStepQkv, kStepAttention);
  a.ids_.attention =
      add("attention output", FloatBytes(max_rows, q), kStepAttention, kStepOutputInput);
  a.ids_.parts = add("attention by segment", FloatBytes(AttentionSegments::Most(window), parts),
                     kStepAttention, kStepOutputInput);
  a.ids_.output_input =
      input("output projection input", a.output_input, max_rows, kStepOutputInput, kStepOutput);
  a.ids_.gate_up_input =
      input("gate and up input", a.gate_up_input, max_rows, kStepMlpNorm, kStepGateUp);
  a.ids_.gate_up =
      add("gate and up", FloatBytes(max_rows, 2 * intermediate), kStepGateUp, kStepActivation);
  a.ids_.down_input =
      input("down projection input", a.down_input, max_rows, kStepActivation, kStepDown);
  a.ids_.head_input = input("head input", a.head_input, kLogitRows, kStepFinalNorm, kStepHead);
  a.ids_.logits = add("logits", FloatBytes(kLogitRows, spec.vocab_size), kStepHead, kStepHead);
  return a;
}

void Activations::Bind(const MemoryPlan& plan, uint8_t* arena) {
  const auto at = [&](MemoryPlan::BlockId id) { return arena + plan.block(id).offset; };
  const auto floats = [&](MemoryPlan::BlockId id) { return reinterpret_cast<float*>(at(id)); };
  const auto bind = [&](MemoryPlan::BlockId id, size_t rows, Input* in) {
    in->rows = at(id);
    in->quant = reinterpret_cast<RowQuant*>(in->rows + QuantOffset(in->stride, rows));
  };
  hidden = floats(ids_.hidden);
  rope = floats(ids_.rope);
  if (sinks_) sink_rope = floats(ids_.sink_rope);
  qkv = floats(ids_.qkv);
  attention = floats(ids_.attention);
  parts = floats(ids_.parts);
  gate_up = floats(ids_.gate_up);
  logits = floats(ids_.logits);
  bind(ids_.qkv_input, max_rows_, &qkv_input);
  bind(ids_.output_input, max_rows_, &output_input);
  bind(ids_.gate_up_input, max_rows_, &gate_up_input);
  bind(ids_.down_input, max_rows_, &down_input);
  bind(ids_.head_input, kLogitRows, &head_input);
}

}  // namespace rondo
