// Family: what tells one decoder-only architecture from another, in terms of Llama's.
//
// Llama's layer is norm, attention, norm, gated MLP; the others rename its tensors, fuse some of
// them, move the norms and add a step here and there. Each architecture says in a small file of its
// own what differs, as data, and BuildDecoder makes the DecoderSpec of it.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tools/convert/architectures/decoder_spec.h"
#include "tools/convert/architectures/rope.h"
#include "tools/convert/sources/config.h"

namespace rondo::convert {

struct Sizes {
  uint32_t vocab, hidden, intermediate, n_layers, n_heads, n_kv_heads, head_dim, context;
};

// Which keys of config.json hold the sizes, and what is meant where one is absent.
struct SizeKeys {
  const char* hidden = "hidden_size";
  const char* n_layers = "num_hidden_layers";
  const char* n_heads = "num_attention_heads";
  const char* context = "max_position_embeddings";
  const char* intermediate = "intermediate_size";  // null: Sizes.intermediate is the caller's
  uint32_t default_kv_heads = 0;                   // 0: as many as heads
  uint32_t default_head_dim = 0;                   // 0: hidden_size / num_attention_heads
  uint32_t default_context = 2048;
};

// A checkpoint whose weights are not as they were trained.
void RefuseQuantized(const Config& config);

// Within limits.h, and such as divide each other as they must.
Sizes ReadSizes(const Config& config, const SizeKeys& keys = {});

// By transformers' names: silu, gelu, gelu_pytorch_tanh, ...
format::Activation ReadActivation(const Config& config, const char* key, const char* if_absent);

// sliding_window of the layers that `layer_types` calls sliding; where that list is absent, of
// those for which `slides` holds. 0: none. `window`: 0 where the model has no window at all.
std::vector<uint32_t> ReadWindows(const Config& config, const Sizes& sizes, uint64_t window,
                                  const std::function<bool(uint32_t layer)>& slides);
// Config's sliding_window; `if_absent` where the key is not there, 0 where it is null.
uint64_t ReadWindow(const Config& config, uint64_t if_absent);

struct Family {
  explicit Family(const Sizes& all) : sizes(all) {}

  // How q, k and v lie in the checkpoint.
  enum class Qkv { kApart, kStacked, kByHead, kByRow };
  // Which channels of a head turn together: i and i + half of them; 2 i and 2 i + 1; i + half and
  // i.
  enum class RopePairs { kHalves, kNeighbours, kReversed };
  // What q/k norms have weights for: there are none; one head, for all; all heads together; each
  // its own, in a tensor of its own or in one [heads, head_dim]; norms without weights, head by
  // head.
  enum class HeadNorm { kNone, kShared, kWhole, kPerHead, kStacked, kPlain };
  // Where the output gate's rows lie: a tensor of their own; each head's behind its q.
  enum class Gate { kNone, kApart, kBehindQ };

  Sizes sizes;
  bool tied = false;
  bool transposed = false;  // matrices are [inputs, output channels], as in GPT-2

  // Names, below `prefix` or the layer; without ".weight" and ".bias".
  std::string prefix = "model.";
  std::string layers = "layers.";
  std::string embedding = "embed_tokens";
  std::string positions;        // empty: none
  uint32_t first_position = 0;  // the row of position 0
  // Positions that are in no tensor, as TensorRecipe::computed; null: none.
  std::function<void(uint64_t row, std::span<float> rows)> computed_positions;
  std::string embedding_norm;       // of what enters the first layer; empty: none
  std::string final_norm = "norm";  // empty: the last mlp_residual_norm serves
  std::string head = "lm_head";     // not below the prefix
  std::string attention_norm = "input_layernorm";
  std::string mlp_norm = "post_attention_layernorm";
  std::string attention_post_norm, mlp_post_norm;          // empty: none
  std::string attention_residual_norm, mlp_residual_norm;  // of the stream behind them; empty: none
  std::string q = "self_attn.q_proj", k = "self_attn.k_proj", v = "self_attn.v_proj";
  std::string output = "self_attn.o_proj";
  std::string q_norm = "self_attn.q_norm", k_norm = "self_attn.k_norm";
  std::string gate = "mlp.gate_proj", up = "mlp.up_proj", down = "mlp.down_proj";
  std::vector<std::string> ignored;  // of each layer
  std::vector<OtherName> other_names;
  std::vector<std::string> left_out;  // DecoderSpec::left_out

  // Norms.
  format::NormKind norm = format::NormKind::kRmsNorm;
  double epsilon = 1e-6;
  bool norm_bias = false;
  float norm_offset = 0;  // Gemma keeps weights less 1
  bool norm_weights = true;
  bool first_norm = true;  // the first sublayer has one
  float post_norm_scale = 1;
  HeadNorm head_norm = HeadNorm::kNone;
  bool head_norm_bias = false;
  bool head_norm_after_rope = false;
  std::vector<bool> layer_head_norm;  // empty: all layers have it
  bool v_norm = false;                // of each head, without weights

  // Attention. Of each layer: the rope's index or -1, the window or 0, the scale of scores.
  Qkv qkv = Qkv::kApart;  // not kApart: q names the tensor
  // Of kByRow: where the rows of a head of q (0), k (1) or v (2) begin.
  std::function<uint64_t(uint32_t part, uint32_t head)> first_row;
  bool qkv_bias = false, output_bias = false;
  std::vector<RopeSpec> ropes;
  RopePairs rope_pairs = RopePairs::kHalves;
  std::vector<int32_t> layer_rope;     // empty: 0 where there is a rope
  std::vector<uint32_t> layer_window;  // empty: none
  std::vector<float> layer_scale;      // empty: 1 / sqrt(head_dim)
  float qkv_clip = 0, soft_cap = 0;
  std::vector<uint32_t> layer_chunk;  // empty: none
  std::vector<uint32_t> layer_heads;  // these three: empty: as `sizes` say
  std::vector<uint32_t> layer_kv_heads;
  std::vector<uint32_t> layer_head_dim;
  uint32_t v_head_dim = 0;              // 0: head_dim
  std::vector<bool> layer_v_is_k;       // v is what k_proj makes; empty: in no layer
  std::vector<int32_t> layer_kv_layer;  // whose keys and values are read; empty: each its own
  std::vector<float> alibi_slopes;      // of each head; empty: none
  std::vector<format::QueryScaleT> layer_query_scale;  // of factor 0, or empty: none
  std::string sinks;  // a logit for each head; the tensor's whole name
  Gate gate_form = Gate::kNone;
  std::string attention_gate;  // the tensor of kApart, which has no bias
  format::GateKind gate_kind = format::GateKind::kSigmoid;
  bool gate_by_head = false;
  std::string output_norm;  // of the heads' outputs; empty: none

  // Latent attention in place of the above, in all layers. Its tensors' names are these, with q in
  // place of q_down and q_up where there is no rank.
  struct Latent {
    std::string q_down = "self_attn.q_a_proj", q_norm = "self_attn.q_a_layernorm";
    std::string q_up = "self_attn.q_b_proj";
    std::string kv_down = "self_attn.kv_a_proj_with_mqa", kv_norm = "self_attn.kv_a_layernorm";
    std::string kv_up = "self_attn.kv_b_proj";
    uint32_t q_rank;  // 0: none
    uint32_t latent_dim, nope_dim, rope_dim, v_head_dim;
    bool interleaved;  // channels that turn together are neighbours
    bool down_bias;
    double epsilon = 1e-6;  // of the norms between, whatever the others have
    double score_scale;
    format::QueryScaleT query_scale;  // of factor 0: none
  };
  std::optional<Latent> latent;

  // MLP.
  std::vector<uint32_t> layer_intermediate;  // empty: as `sizes` say
  bool gated = true;                         // else `up` and `down` alone
  bool fused_gate = false;                   // `gate` names both gate and up
  bool mlp_bias = false;
  format::Activation activation = format::Activation::kSilu;
  std::string xielu;  // before the names of that activation's numbers
  bool parallel = false;
  // Standard deviations above the mean of a row's gate below which it is cut; empty: in no layer.
  std::vector<std::optional<double>> layer_gate_cutoff;

  // Experts; of layers for which has_experts is null or true. Their numbers are those of
  // format::Experts.
  struct Experts {
    // Names below the layer. `expert` goes before an expert's number; where all of them are stacked
    // in one tensor (transformers 5), before gate_up_proj and down_proj.
    std::string router = "mlp.gate", expert = "mlp.experts.";
    std::string gate = "gate_proj", up = "up_proj", down = "down_proj";
    uint32_t n_experts, n_used, intermediate;
    bool normalize = false;
    bool router_bias = false;
    format::Scoring scoring = format::Scoring::kSoftmax;
    float jitter = 0;
    std::string choice_bias = {};                  // the tensor's whole name; empty: none
    std::vector<uint64_t> choice_bias_shape = {};  // empty: [n_experts]
    uint32_t n_groups = 0, n_groups_used = 0, group_best = 0;
    float normalize_epsilon = 0, normalize_min = 0, weight_scale = 1;
    bool weigh_input = false;
    float limit = 0, up_offset = 0;
    // Stacked otherwise: whole names, and [n_experts, rows, inputs], or transposed.
    struct Stack {
      std::string gate_up, down;
      std::string gate_up_bias = {}, down_bias = {};  // empty: none
      bool transposed = false;
      bool interleaved = false;  // rows of gate and up take turns
    };
    std::vector<Stack> stacks = {};  // what a checkpoint has in place of tensors by number
    struct Shared {
      std::string gate, up, down;             // up empty: `gate` names both
      uint32_t intermediate = 0;              // 0: as that of a dense layer
      std::string weight = {};                // of its output: a row of the router; empty: none
      float factor = 1;                       // of its output
      std::string norm = {}, post_norm = {};  // its own; empty: none
    };
    std::optional<Shared> shared = {};
    // The router's own norm, whose weights are divided by sqrt(hidden_size); factors of the
    // experts' weights; both whole names. A norm of what the experts make. Empty: none.
    std::string router_norm = {}, weight_scales = {}, post_norm = {};
  };
  std::optional<Experts> experts;
  std::function<bool(uint32_t layer)> has_experts;

  // Convolutions in place of attention, in layers whose type is not attention.
  struct Conv {
    std::string input, kernel, output;
    uint32_t taps;
    bool bias;
    std::vector<bool> layers;
  };
  std::optional<Conv> conv;

  // What each layer gets of a token by itself, in a sublayer behind the MLP.
  struct LayerEmbeddings {
    uint32_t size, vocab;
    float table_scale, projection_scale, scale;
    std::string table = "embed_tokens_per_layer", projection = "per_layer_model_projection";
    std::string norm = "per_layer_projection_norm";
    // Below the layer.
    std::string gate = "per_layer_input_gate", down = "per_layer_projection";
    std::string post_norm = "post_per_layer_input_norm";
  };
  std::optional<LayerEmbeddings> layer_embeddings;
  std::string layer_factor;  // multiplies the stream at a layer's end; the tensor's whole name

  // A learned augmented residual layer beside attention; behind both the stream is multiplied by
  // `residual_factor`.
  struct Laurel {
    uint32_t rank;
    float residual_factor;
    std::string left = "laurel.linear_left", right = "laurel.linear_right";
    std::string norm = "laurel.post_laurel_norm";
  };
  std::optional<Laurel> laurel;

  // Several residual streams.
  struct AltUp {
    uint32_t n_streams, active;
    bool scaled;  // what layer embeddings read
    std::string embed = "altup_projections.", unembed = "altup_unembed_projections.";
    // Below the layer; whole names but for the norm.
    std::string router_norm = "altup.router_norm", router = "altup.modality_router.weight";
    std::string predict = "altup.prediction_coefs.weight";
    std::string correct = "altup.correction_coefs.weight", scale = "altup.correct_output_scale";
  };
  std::optional<AltUp> alt_up;

  // Gated delta nets or Mamba2 in place of attention, or beside it, in some layers.
  struct Recurrence {
    bool delta = false;                    // else Mamba2
    uint32_t n_heads = 0, head_dim = 0;    // of v, or of x
    uint32_t n_groups = 1, group_dim = 0;  // of q and k, or of B and C
    uint32_t taps = 0;
    std::string source;  // before the names of its tensors
    // Of a delta net: q, k, v and z in one tensor, key head by key head, likewise b and a
    // (Qwen3-Next); else q, k, v in one, and z, b and a in one each.
    bool by_key_head = false;
    bool bias = false, conv_bias = false;
    bool norm = true;
    double norm_epsilon = 1e-6;
    uint32_t norm_group = 0;  // channels; 0: all
    bool gate_after_norm = false;
    float dt_min = 0, dt_max = 0;                    // of Mamba2; dt_max 0: no limit
    std::array<float, 5> factors = {1, 1, 1, 1, 1};  // of Mamba2's z, x, B, C and dt
    float output_factor = 1;
    std::vector<bool> layers;
    bool beside_attention = false;
  };
  std::optional<Recurrence> recurrence;
  // Layers that are a mixer or an MLP alone; null: each has both.
  std::function<bool(uint32_t layer)> has_mixer, has_mlp;

  // Multipliers of q, k and v; of k alone; of what attention makes; of an MLP's gate and of what it
  // makes: folded into weights.
  float qkv_factor = 1, k_factor = 1, attention_factor = 1, gate_factor = 1, mlp_factor = 1;
  // Multipliers: the first stays, the others are folded into weights; residual_scale into those of
  // the sublayers' outputs, so not beside norms that come behind (post_norm_scale).
  float embedding_scale = 1, residual_scale = 1, logit_scale = 1;
  float logit_soft_cap = 0;
  bool head_bias = false;
  // Vectors of so many channels for tokens, between which and the stream are these matrices, folded
  // into embedding and head; 0: they are as wide as the stream.
  uint32_t embedding_width = 0;
  std::string project_in, project_out;
};

// Throws Error where sizes contradict each other.
DecoderSpec BuildDecoder(const Family& family);

}  // namespace rondo::convert
