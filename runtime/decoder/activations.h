// Activations: the buffers of one forward pass, laid out by lifetime.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/decoder/decoder_spec.h"
#include "runtime/decoder/experts.h"
#include "runtime/kv/context_window.h"
#include "runtime/plan/memory_plan.h"
#include "runtime/weights/weights.h"

namespace rondo {

// The steps of a layer, in the order in which data flows; lifetimes are counted in these.
enum Step : int32_t {
  kStepEmbed,
  kStepNorm,
  kStepInput,
  kStepMix,
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
  float* qkv = nullptr;        // [max_rows, largest q + k + v], or b, c and x of a convolution
  float* mixed = nullptr;      // [max_rows, largest q]: what attention or convolution makes
  float* parts = nullptr;      // [segments, n_kv_heads, AttentionPartFloats]
  float* gate_up = nullptr;    // [max_rows, 2 * largest intermediate_size]
  float* block_out = nullptr;  // [max_rows, hidden_size]: what a norm or a weight still waits for
  float* logits = nullptr;     // [kLogitRows, vocab_size]
  Input input, output_input, gate_up_input, down_input, head_input;

  // Of models with experts; else null.
  Input router_input;           // what router reads
  Input expert_input;           // one expert's rows of gate_up_input
  float* scores = nullptr;      // [max_rows, n_experts]
  Route* routes = nullptr;      // [max_rows, n_used_experts]
  uint32_t* order = nullptr;    // the same
  uint32_t* begin = nullptr;    // [n_experts + 1]
  float* expert_out = nullptr;  // [max_rows, hidden_size]

 private:
  struct Ids {
    MemoryPlan::BlockId hidden, rope, sink_rope, qkv, mixed, parts, gate_up, block_out, logits;
    MemoryPlan::BlockId input, output_input, gate_up_input, down_input, head_input;
    MemoryPlan::BlockId router_input, expert_input, scores, routes, order, begin, expert_out;
  };
  Ids ids_ = {};
  size_t max_rows_ = 0;
  bool sinks_ = false;
  bool experts_ = false;
};

}  // namespace rondo
