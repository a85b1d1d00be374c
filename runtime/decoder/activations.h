// Activations: the buffers of one forward pass, laid out by lifetime.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "runtime/decoder/clip.h"
#include "runtime/decoder/decoder_spec.h"
#include "runtime/decoder/pass_rows.h"
#include "runtime/decoder/routing.h"
#include "runtime/kv/context_window.h"
#include "runtime/plan/memory_plan.h"
#include "runtime/weights/weights.h"

namespace rondo {

// The steps of a pass, in the order in which data flows; lifetimes are counted in these. Attention
// and convolutions take those from kStepNorm on, MLPs and experts those from kStepMlpNorm on.
enum Step : int32_t {
  kStepEmbed,
  kStepNorm,  // the input of the first product
  kStepIn,    // the first product
  kStepMix,   // what lies between the products
  kStepOut,   // the last product, and into the residual stream
  kStepMlpNorm,
  kStepMlpIn,
  kStepMlpMix,
  kStepMlpOut,
  kStepHead,
};

// Rows whose logits are made together, at the most: each time the output head is read once.
inline constexpr size_t kMostLogitRows = 16;

template <typename T>
struct Buffer {
  T* data = nullptr;   // none where the model needs none
  size_t columns = 0;  // of a row, in the sublayer that needs most
  MemoryPlan::RegionId region = MemoryPlan::kNoRegion;

  void Widen(size_t n) { columns = std::max(columns, n); }

  operator T*() const { return data; }  // NOLINT(google-explicit-constructor)
};

// Rows as a weight format wants them: [HeldRows, stride] and their RowQuants. Where some matrix has
// fine rows, as many follow: what the first integers leave.
struct InputRows {
  Buffer<uint8_t> rows;
  Buffer<RowQuant> quant;
  Buffer<float> low;  // what adapters make of them first
  size_t stride = 0;  // bytes, for the matrix that needs most
  size_t rest = 0;    // the row at which that begins; 0: nothing does

  void Widen(const PackedLinear& linear);
  LinearInput linear() const {
    return {reinterpret_cast<const float*>(rows.data), reinterpret_cast<const int8_t*>(rows.data),
            quant, stride};
  }
  int8_t* rest_rows() const { return reinterpret_cast<int8_t*>(rows.data + rest * stride); }
  RowQuant* rest_quants() const { return quant.data + rest; }
  LinearInput finer() const { return {nullptr, rest_rows(), rest_quants(), stride}; }
  // Those behind the first `n`; where rows are in pairs, an even number.
  InputRows Below(size_t n) const {
    InputRows below = *this;
    below.rows.data += n * stride;
    below.quant.data += n;
    return below;
  }
};

// A product among others that run side by side: too small, each by itself, to be worth a barrier.
struct Product {
  const PackedLinear* linear;
  size_t first_row;  // of the inputs' rows; where these are in pairs, an even number
  size_t rows;
  float* out;  // of the first row
  // These of its channels, as far as it has them; in whole tiles of the kernels, so that some more
  // may be made around them.
  size_t begin = 0;
  size_t end = SIZE_MAX;
  // What it makes is held to this range, and nothing is made around its channels; null: it is not.
  const Range* held = nullptr;
};

class Activations {
 public:
  static Activations Plan(const DecoderSpec& spec, const Weights& weights, const PassLimits& limits,
                          const ContextWindow& window, MemoryPlan* plan);
  // Room for the segments of one sublayer's attention.
  void WidenAttention(size_t n_kv_heads, size_t q_per_kv, size_t head_dim, size_t v_head_dim,
                      const ContextWindow& window);
  // After the plan's Layout.
  void Bind(const MemoryPlan& plan, uint8_t* arena);

  Buffer<PassRow> rows;     // [max_rows]
  Buffer<float> hidden;     // [max_rows, hidden_size]: the residual stream
  Buffer<float> rope;       // [ropes, max_rows, dim]
  Buffer<float> sink_rope;  // the same; of windows without sinks 0 rows
  Buffer<float> qkv;        // [max_rows, largest q + k + v], or what else a first product makes
  Buffer<float> mixed;      // [max_rows, largest]: what attention, or what is in its place, makes
  Buffer<uint8_t> queries;  // [n_kv_heads, AttentionQueryBytes]
  Buffer<float> parts;      // [segments, n_kv_heads, AttentionPartFloats]
  Buffer<float> gate_up;    // [max_rows, largest gate_up_size]
  Buffer<float> sublayer_out;  // [max_rows, hidden_size]: what a norm or a factor still waits for
  Buffer<float> logits;        // [logit_rows, vocab_size]
  InputRows mixer_input;       // of qkv_proj, or a convolution's in_proj
  InputRows o_input;           // of o_proj, or an out_proj
  InputRows gate_up_input;
  InputRows down_input;
  InputRows head_input;
  InputRows draft_input;  // of the draft head; of no bytes where there is none

  // Of embedders with layers behind the pooling; else of no bytes.
  InputRows dense_input;
  Buffer<float> dense;  // [logit_rows, largest]: what one makes

  // Of towers, whose residual stream and RoPE tables are not of one pass (Tower); else of no bytes.
  Buffer<float> merged;  // [logit_rows, widest of merged patches and dense layers]

  // Of models with layer embeddings; else of no bytes.
  InputRows layer_projection_input;
  Buffer<float> layer_embeddings;  // [max_rows, layers, size]

  // Of models with several residual streams; else of no bytes.
  Buffer<float> streams;  // [max_rows, n_streams, hidden_size]
  InputRows streams_input;
  InputRows from_stream_input;  // these two: of rows whose logits are made
  Buffer<float> from_stream;    // [logit_rows, hidden_size]

  // Of models with laurels; else of no bytes.
  Buffer<float> laurel;  // [max_rows, hidden_size]: what one reads, normed
  InputRows laurel_input;
  Buffer<float> low_laurel;  // [max_rows, largest rank]
  InputRows low_laurel_input;

  // Of models with latent attention; else of no bytes.
  Buffer<float> low_q;     // [max_rows, largest rank of queries]
  Buffer<float> latent_q;  // [max_rows, largest q_size]
  Buffer<float> low_kv;    // [max_rows, largest latent and rotated key]
  InputRows low_q_input;
  InputRows up_input;  // of key_up, then of value_up: [n_heads, rows]
  size_t latent_heads = 0;

  // Of models with recurrent sublayers; else of no bytes.
  InputRows state_input;    // of in_proj
  InputRows gates_input;    // of gates_proj
  Buffer<float> convolved;  // [max_rows, largest conv_size]
  Buffer<float> gates;      // [max_rows, 2 * most heads]

  // Of models with experts; else of no bytes.
  InputRows router_input;
  InputRows expert_input;    // those of some experts, one behind another
  InputRows shared_input;    // where the shared expert has a norm of its own
  Buffer<float> scores;      // [max_rows, largest score_floats]
  Buffer<Route> routes;      // [max_rows, n_used]
  Buffer<uint32_t> order;    // the same
  Buffer<uint32_t> begin;    // [n_experts + 1]
  Buffer<float> expert_out;  // [max_rows, hidden_size]
  Buffer<uint32_t> slots;    // [max_rows]: the route that a row of expert_input is for

  // Of latent attention's heads, or of some experts; else of no bytes.
  Buffer<Product> products;

  size_t query_bytes() const { return query_bytes_; }  // of `queries`
  size_t part_floats() const { return part_floats_; }  // of `parts`
  size_t logit_rows() const { return logit_rows_; }

 private:
  // Calls visit(buffer, name, CheckedSize bytes, first step, last step) for each: the one table.
  template <typename Visit>
  void ForEach(const Visit& visit);

  // What else the table's sizes are made of.
  size_t max_rows_ = 0, kept_rows_ = 0, hidden_size_ = 0, vocab_size_ = 0, logit_rows_ = 0,
         n_streams_ = 0;
  size_t query_bytes_ = 0, part_floats_ = 0;
  bool sinks_ = false, parallel_ = false, mixers_parallel_ = false;
};

}  // namespace rondo
