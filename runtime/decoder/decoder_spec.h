// DecoderSpec: what the forward pass does, layer by layer, read once from the model file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "runtime/base/checked.h"
#include "runtime/base/heap_array.h"
#include "runtime/base/portable_math.h"
#include "runtime/kernels/row_ops.h"
#include "runtime/model/model_file.h"

namespace rondo {

// As runtime/model/rondo.fbs defines it.
using format::Scoring;

struct RopeSpec {
  const double* frequencies;       // [dim / 2], in the file
  const double* long_frequencies;  // the same for long sequences, or null
  size_t dim;
  float scale;
  float long_scale;  // of long sequences
};

// Queries at some positions count for more: 1 + factor * ln(1 + floor((p + offset) / period)).
struct QueryScale {
  float factor = 0;
  uint64_t period = 1;
  uint64_t offset = 0;

  float At(uint64_t position) const {
    const uint64_t periods = (position + offset) / period;
    return static_cast<float>(1 + double{factor} * PortableLog1p(static_cast<double>(periods)));
  }
};

struct AttentionSpec {
  size_t n_heads = 0;
  size_t n_kv_heads = 0;
  size_t head_dim = 0;    // of queries and keys
  size_t v_head_dim = 0;  // of values
  int rope = -1;          // index into ropes, -1: none
  float score_scale = 0;
  float soft_cap = 0;                   // 0: none
  float qkv_clip = 0;                   // 0: none
  size_t window = 0;                    // tokens that a row sees, its own the last of them; 0: all
  bool chunked = false;                 // it sees those of its own chunk of `window`
  bool norms_after_rope = false;        // those of q and k
  const float* alibi_slopes = nullptr;  // [n_heads], in the file; null: none
  QueryScale query_scale;
  format::GateKind gate = format::GateKind::kNone;
  bool gate_by_head = false;
  bool shares_kv = false;  // reads the keys and values of a layer before it, and has none

  size_t q_per_kv() const { return n_heads / n_kv_heads; }  // query heads that share a KV head
  size_t q_size() const { return n_heads * head_dim; }
  size_t k_size() const { return n_kv_heads * head_dim; }
  size_t v_size() const { return n_kv_heads * v_head_dim; }
  size_t gate_begin() const { return q_size() + (shares_kv ? 0 : k_size() + v_size()); }
  size_t gate_size() const {
    if (gate == format::GateKind::kNone) return 0;
    return gate_by_head ? n_heads : out_size();
  }
  size_t qkv_size() const { return gate_begin() + gate_size(); }  // with the gate
  size_t out_size() const { return n_heads * v_head_dim; }
};

// One vector for all heads is cached, with a rotated part before it in the key.
struct LatentAttentionSpec {
  size_t n_heads = 0;
  size_t nope_dim = 0;
  size_t rope_dim = 0;
  size_t latent_dim = 0;
  size_t v_head_dim = 0;
  int rope = -1;
  float score_scale = 0;
  QueryScale query_scale;

  size_t key_dim() const { return rope_dim + latent_dim; }
  size_t q_size() const { return n_heads * (nope_dim + rope_dim); }
  // Of a row of queries as they meet keys, then the key, then the value.
  size_t qkv_size() const { return (n_heads + 1) * key_dim() + latent_dim; }
  size_t mixed_size() const { return n_heads * latent_dim; }
  size_t out_size() const { return n_heads * v_head_dim; }
  // Heads are attended to in tasks of so many.
  size_t heads_per_task() const {
    size_t n = 4;
    while (n_heads % n != 0) --n;
    return n;
  }
  size_t tasks() const { return n_heads / heads_per_task(); }
};

struct LayerEmbeddingSpec {
  size_t layer = 0;
  Activation activation = Activation::kSilu;
};

struct ShortConvSpec {
  size_t taps = 0;
};

// A gated delta net, or Mamba2: heads, each with a matrix as its state, and a convolution before
// them.
struct RecurrentSpec {
  size_t n_heads = 0;
  size_t head_dim = 0;   // of v, or x: columns of a state
  size_t n_groups = 0;   // heads of q and k, or groups of B and C
  size_t group_dim = 0;  // of these: rows of a state
  size_t taps = 0;
  float beta_scale = 1;  // of the delta net
  float dt_min = 0;      // of Mamba2
  float dt_max = 0;      // 0: no limit
  bool gate_after_norm = false;

  size_t inner_size() const { return n_heads * head_dim; }
  size_t group_size() const { return n_groups * group_dim; }
  size_t conv_size() const { return inner_size() + 2 * group_size(); }
  size_t input_size() const { return inner_size() + conv_size(); }  // with the gate z
  // The state of a sequence: what the convolution still looks back at, [taps - 1, conv_size()],
  // then of each head its columns in tiles, [tiles, group_dim, kStateColumns].
  size_t tail_floats() const { return RoundUp((taps - 1) * conv_size(), kStateColumns); }
  size_t tiles() const { return CeilDiv(head_dim, kStateColumns); }
  size_t tile_floats() const { return group_dim * kStateColumns; }
  size_t state_floats() const { return tail_floats() + n_heads * tiles() * tile_floats(); }
};

struct MlpSpec {
  size_t intermediate_size = 0;
  Activation activation = Activation::kSilu;
  bool gated = true;
  float limit = 0;      // what gate and up are held to before the activation; 0: nothing
  float up_offset = 0;  // added to up
  bool cuts_gate = false;
  float gate_deviations = 0;  // above the mean of a row's gate, below which it becomes 0

  size_t gate_up_size() const { return (gated ? 2 : 1) * intermediate_size; }
};

struct ExpertsSpec {
  size_t n_experts = 0;
  size_t n_used = 0;
  Scoring scoring = Scoring::kSoftmax;
  float jitter = 0;
  size_t n_groups = 0;  // of neighbours; 0: none
  size_t n_groups_used = 0;
  size_t group_best = 0;
  bool normalize = false;
  float normalize_epsilon = 0;
  float normalize_min = 0;
  float weight_scale = 1;
  bool weigh_input = false;
  bool shared_gate = false;
  MlpSpec shared;            // of no size: none
  bool shared_norm = false;  // the shared one has a norm of its own

  size_t router_outputs() const { return n_experts + (shared_gate ? 1 : 0); }
  // Of a row: what the router makes, and behind it what RouteRow chooses by.
  size_t score_floats() const { return router_outputs() + n_experts + n_groups; }
};

enum class SublayerKind : uint8_t {
  kAttention,
  kShortConv,
  kMlp,
  kExperts,
  kLatentAttention,
  kLayerEmbedding,
  kGatedDeltaNet,
  kMamba2,
  kLaurel,
};

// What one sublayer adds to the residual stream: factor * post_norm(operator(norm(input))). Some
// models normalise the stream itself behind it.
struct SublayerSpec {
  SublayerKind kind;
  bool reads_previous_input = false;  // what the sublayer before it read, not the residual stream
  bool has_post_norm = false;
  float factor = 1;
  float residual_factor = 1;  // of the stream itself, behind the addition
  size_t kv_entry = 0;        // of the KV layout, where keeps_positions() or keeps_state()
  AttentionSpec attention;    // of the kind's own operator; experts have `mlp`, too
  ShortConvSpec short_conv;
  RecurrentSpec recurrent;
  MlpSpec mlp;
  ExpertsSpec experts;
  LatentAttentionSpec latent_attention;
  LayerEmbeddingSpec layer_embedding;

  bool keeps_state() const {
    return kind == SublayerKind::kGatedDeltaNet || kind == SublayerKind::kMamba2;
  }
  bool keeps_positions() const {
    return kind == SublayerKind::kAttention || kind == SublayerKind::kShortConv ||
           kind == SublayerKind::kLatentAttention;
  }
};

// Several residual streams, of which layers work on one; of no number: there is one.
struct AltUpSpec {
  size_t n_streams = 0;
  size_t active = 0;
};

struct DecoderSpec {
  size_t vocab_size = 0;
  size_t hidden_size = 0;
  float embedding_scale = 1;
  float logit_soft_cap = 0;    // 0: none
  uint64_t max_positions = 0;  // of a model that learned its positions one by one; 0: no such limit
  uint64_t short_context = 0;  // longer sequences turn by long_frequencies; 0: none does
  HeapArray<SublayerSpec> sublayers;  // of all layers, in order
  HeapArray<size_t> layer_ends;       // layer i's are [layer_ends[i - 1], layer_ends[i])
  HeapArray<RopeSpec> ropes;
  size_t n_kv_entries = 0;
  size_t layer_embedding_size = 0;  // channels that each layer gets of a token's own; 0: none
  float layer_table_scale = 1;      // of the table's rows, and of what is made of them
  float layer_embedding_scale = 1;
  AltUpSpec alt_up;

  size_t n_layers() const { return layer_ends.size(); }
  size_t layer_begin(size_t layer) const { return layer == 0 ? 0 : layer_ends[layer - 1]; }

  // `file` has passed ModelFile::Open, so that everything here is consistent. Error: kUnsupported
  // (a layer that the forward pass cannot run).
  static Result<DecoderSpec> Read(const ModelFile& file);
};

}  // namespace rondo
