// Activations: the buffers of one forward pass, laid out by lifetime.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/decoder/decoder_spec.h"
#include "runtime/decoder/weights.h"
#include "runtime/kv/context_window.h"
#include "runtime/plan/memory_plan.h"

namespace rondo {

// The steps of a layer, in the order in which data flows; lifetimes are counted in these.
enum Step : int32_t {
  kStepEmbed,
  kStepAttentionNorm,
  kStepQkv,
  kStepAttention,
  kStepOutputInput,
  kStepOutput,
  kStepMlpNorm,
  kStepGateUp,
  kStepActivation,
  kStepDown,
  kStepFinalNorm,
  kStepHead,
};

// Rows whose logits are made together.
inline constexpr size_t kLogitRows = 8;

class Activations {
 public:
  static Activations Plan(const DecoderSpec& spec, const Weights& weights, size_t max_rows,
                          const ContextWindow& window, MemoryPlan* plan);
  // After the plan's Layout.
  void Bind(const MemoryPlan& plan, uint8_t* arena);

  // Rows as a weight format wants them, in one block: [rows, stride] then RowQuants.
  struct Input {
    uint8_t* rows = nullptr;
    RowQuant* quant = nullptr;
    size_t stride = 0;  // bytes

    LinearInput linear() const {
      return {reinterpret_cast<const float*>(rows), reinterpret_cast<const int8_t*>(rows), quant,
              stride};
    }
  };

  float* hidden = nullptr;     // [max_rows, hidden_size]: the residual stream
  float* rope = nullptr;       // [ropes, max_rows, dim]
  float* sink_rope = nullptr;  // the same, null without sinks
  float* qkv = nullptr;        // [max_rows, largest q + k + v]
  float* attention = nullptr;  // [max_rows, largest q]
  float* parts = nullptr;      // [segments, n_kv_heads, AttentionPartFloats]
  float* gate_up = nullptr;    // [max_rows, 2 * largest intermediate_size]
  float* logits = nullptr;     // [kLogitRows, vocab_size]
  Input qkv_input, output_input, gate_up_input, down_input, head_input;

 private:
  struct Ids {
    MemoryPlan::BlockId hidden, rope, sink_rope, qkv, attention, parts, gate_up, logits;
    MemoryPlan::BlockId qkv_input, output_input, gate_up_input, down_input, head_input;
  };
  Ids ids_ = {};
  size_t max_rows_ = 0;
  bool sinks_ = false;
};

}  // namespace rondo
