// Mamba2 in place of attention or beside it: Mamba2 itself, Bamba, Granite 4 hybrid, Falcon-H1,
// Nemotron-H. Defaults are those of transformers' configuration classes.
#include <algorithm>

#include "runtime/model/limits.h"
#include "tools/convert/architectures/architecture.h"
#include "tools/convert/architectures/experts_config.h"
#include "tools/convert/architectures/family.h"
#include "tools/convert/architectures/mamba_gguf.h"

namespace rondo::convert {
namespace {

// What is asked of them, in the words of the config.
struct MambaKeys {
  const char* n_heads = "mamba_n_heads";
  const char* head_dim = "mamba_d_head";
  const char* n_groups = "mamba_n_groups";
  const char* state = "mamba_d_state";
  const char* taps = "mamba_d_conv";
  const char* expand = "mamba_expand";
  const char* conv_bias = "mamba_conv_bias";
  const char* bias = "mamba_proj_bias";
  uint32_t default_n_heads = 128, default_head_dim = 0, default_n_groups = 1, default_state = 256;
};

// `inner`: channels of all heads; 0: by `expand`.
Mamba2 ReadMamba(const Config& config, const Sizes& sizes, const MambaKeys& keys,
                 uint64_t inner = 0) {
  Mamba2 r;
  r.n_heads = config.Count(keys.n_heads, kMaxHeads, keys.default_n_heads);
  if (inner == 0) inner = sizes.hidden * config.Integer(keys.expand, 1, 64, 2);
  const bool says = config.Has(keys.head_dim) && config.IsNumber(keys.head_dim);  // else "auto"
  const uint64_t head_dim = says ? config.Integer(keys.head_dim, 1, kMaxHeadDim)
                            : keys.default_head_dim != 0 ? keys.default_head_dim
                                                         : inner / r.n_heads;
  if (head_dim * r.n_heads != inner || head_dim > kMaxHeadDim || head_dim % kHeadDimMultiple != 0) {
    config.Refuse(keys.n_heads, "times the size of a head is not " + std::to_string(inner) +
                                    ", or heads are not a multiple of " +
                                    std::to_string(kHeadDimMultiple) + " up to " +
                                    std::to_string(kMaxHeadDim));
  }
  r.head_dim = static_cast<uint32_t>(head_dim);
  r.n_groups = config.Count(keys.n_groups, r.n_heads, keys.default_n_groups);
  if (r.n_heads % r.n_groups != 0) config.Refuse(keys.n_groups, "does not divide the heads");
  r.state_size = config.Count(keys.state, kMaxHeadDim, keys.default_state);
  if (r.state_size % kHeadDimMultiple != 0) {
    config.Refuse(keys.state, "is not a multiple of " + std::to_string(kHeadDimMultiple));
  }
  r.taps = config.Count(keys.taps, kMaxConvTaps, 4);
  r.conv_bias = config.Flag(keys.conv_bias, true);
  r.projection_bias = config.Flag(keys.bias, false);
  // [low, high], of which the second is infinite for most.
  const std::vector<std::optional<double>> limits = config.NumbersOrNone("time_step_limit");
  if (!limits.empty() && limits.size() != 2) config.Refuse("time_step_limit", "is not a pair");
  if (!limits.empty()) {
    r.dt_min = static_cast<float>(limits[0].value_or(0));
    r.dt_max = static_cast<float>(limits[1].value_or(0));
    if (r.dt_min < 0 || (limits[1] && r.dt_max <= 0)) {
      config.Refuse("time_step_limit", "is not a range above 0");
    }
  }
  return r;
}

void CheckSilu(const Config& config, const char* key) {
  if (ReadActivation(config, key, "silu") != format::Activation::kSilu) {
    config.Refuse(key, "is not silu, which is all that is known for a mamba layer");
  }
}

// Layers by what the list calls them.
std::vector<bool> LayersOfType(const Config& config, const char* key, const char* type,
                               const std::vector<std::string>& known, uint32_t n_layers) {
  const std::vector<std::string> types = config.Texts(key);
  if (types.size() != n_layers) config.Refuse(key, "does not have an entry for each layer");
  std::vector<bool> layers;
  for (const std::string& one : types) {
    if (std::find(known.begin(), known.end(), one) == known.end()) {
      config.Refuse(key, "holds " + one + ", which is not known for this model");
    }
    layers.push_back(one == type);
  }
  return layers;
}

Family HybridFamily(const Config& config, const SizeKeys& keys) {
  Family f = ReadFamily(config, keys, {.epsilon = 1e-5, .turning = 0, .attention_bias = false});
  f.mlp.bias = config.Flag("mlp_bias", false);
  return f;
}

// In place of attention.
void PlaceMamba(const Mamba2& mamba, const std::vector<bool>& where, Family& f) {
  f.AddLayers();
  for (uint32_t i = 0; i < f.sizes.n_layers; ++i) {
    if (where[i]) f.layers[i].sublayers[0] = InPlaceOf(f.attention, mamba);
  }
}

void NameFeedForward(Family& f) {
  f.final_norm = "final_layernorm";
  f.mlp.pre_norm = "pre_ff_layernorm";
  f.mlp.names.gate = "feed_forward.gate_proj";
  f.mlp.names.up = "feed_forward.up_proj";
  f.mlp.names.down = "feed_forward.down_proj";
}

DecoderSpec ReadBamba(const Config& config) {
  Family f = HybridFamily(config, {.default_kv_heads = 8, .default_context = 262144});
  CheckSilu(config, "hidden_act");
  NameFeedForward(f);
  f.ropes = {ReadRope(config, {f.sizes.head_dim, f.sizes.context, 10000, 0.5})};
  Mamba2 mamba = ReadMamba(config, f.sizes, {});
  mamba.norm_epsilon = f.epsilon;
  std::vector<bool> is_mamba(f.sizes.n_layers, true);
  for (const uint64_t i : config.Integers("attn_layer_indices", f.sizes.n_layers - 1)) {
    is_mamba[i] = false;
  }
  PlaceMamba(mamba, is_mamba, f);
  return BuildDecoder(f);
}

DecoderSpec ReadGraniteHybrid(const Config& config) {
  Family f = HybridFamily(config, {.intermediate = "shared_intermediate_size"});
  CheckSilu(config, "hidden_act");
  f.epsilon = config.Positive("rms_norm_eps", 1e-6);
  f.mlp.FuseGate("shared_mlp.input_linear");
  f.mlp.names.down = "shared_mlp.output_linear";
  f.mlp.bias = false;
  f.other_names = {{"shared_mlp.input_linear.gate.", "mlp.gate_proj."},  // of MLX, without experts
                   {"shared_mlp.input_linear.up.", "mlp.up_proj."},
                   {"shared_mlp.output_linear.", "mlp.down_proj."}};
  const std::string positions = config.Text("position_embedding_type", "nope");
  if (positions == "rope") {
    f.ropes = {ReadRope(config, {f.sizes.head_dim, f.sizes.context})};
  } else if (positions != "nope") {
    config.Refuse("position_embedding_type", "is " + positions + "; known: rope, nope");
  }
  ReadMultipliers(config, f);
  Mamba2 mamba = ReadMamba(config, f.sizes, {});
  mamba.norm_epsilon = f.epsilon;
  const char* const kTypes = config.Has("layer_types") ? "layer_types" : "layers_block_type";
  PlaceMamba(mamba,
             config.Has(kTypes)
                 ? LayersOfType(config, kTypes, "mamba", {"mamba", "attention"}, f.sizes.n_layers)
                 : std::vector<bool>(f.sizes.n_layers, true),
             f);
  if (config.Integer("num_local_experts", 0, kMaxExperts, 8) > 0) {
    Experts experts = ReadExperts(
        config, f, {.intermediate = "intermediate_size", .default_intermediate = 11008});
    NameAsGranite(experts);
    experts.normalize = true;
    experts.shared_size = f.sizes.intermediate;
    experts.shared_names = {.gate = f.mlp.names.gate, .down = f.mlp.names.down};
    f.PlaceExperts(experts);
  }
  return BuildDecoder(f);
}

// Multipliers are folded into weights: so a bias must not lie between them and their input.
DecoderSpec ReadFalconH1(const Config& config) {
  Family f = HybridFamily(config, {.default_kv_heads = 8, .default_context = 8192});
  CheckSilu(config, "hidden_act");
  NameFeedForward(f);
  f.ropes = {ReadRope(config, {f.sizes.head_dim, f.sizes.context})};
  const uint64_t inner = config.Has("mamba_d_ssm") || !config.Mentions("mamba_d_ssm")
                             ? config.Integer("mamba_d_ssm", 1, kMaxIntermediate, 1024)
                             : 0;
  Mamba2 r = InPlaceOf(f.attention, ReadMamba(config, f.sizes, {}, inner));
  r.has_norm = config.Flag("mamba_rms_norm", false);
  r.norm_epsilon = f.epsilon;
  r.norm_group = r.n_heads * r.head_dim / r.n_groups;
  r.gate_after_norm = r.has_norm && config.Flag("mamba_norm_before_gate", true);
  if (config.Flag("projectors_bias", false) != r.projection_bias) {
    config.Refuse("projectors_bias", "is not what mamba_proj_bias is, which is not known");
  }
  const auto factor = [&](const char* key) { return static_cast<float>(config.Number(key, 1)); };
  const auto factors = [&](const char* key, size_t n) {
    std::vector<double> all = config.Numbers(key);
    if (all.empty()) all.assign(n, 1);
    if (all.size() != n) config.Refuse(key, "does not have " + std::to_string(n) + " numbers");
    return all;
  };
  const std::vector<double> of_parts = factors("ssm_multipliers", r.factors.size());
  for (size_t i = 0; i < r.factors.size(); ++i) {
    r.factors[i] = static_cast<float>(of_parts[i]) * factor("ssm_in_multiplier");
  }
  r.factor = factor("ssm_out_multiplier");
  const std::vector<double> of_mlp = factors("mlp_multipliers", 2);
  f.mlp.gate_factor = static_cast<float>(of_mlp[0]);
  f.mlp.factor = static_cast<float>(of_mlp[1]);
  const float input = factor("attention_in_multiplier");
  f.attention.qkv_factors = {input, factor("key_multiplier") * input, input};
  f.attention.factor = factor("attention_out_multiplier");
  f.embedding_scale = static_cast<float>(config.Positive("embedding_multiplier", 1));
  f.logit_scale = factor("lm_head_multiplier");
  if ((f.attention.qkv_bias && input != 1) ||
      (r.projection_bias && factor("ssm_in_multiplier") != 1)) {
    config.Refuse("attention_in_multiplier", "or ssm_in_multiplier stands before a bias");
  }
  f.attention.reads_previous_input = true;
  f.AddLayers();
  for (Layer& layer : f.layers) layer.sublayers.insert(layer.sublayers.begin(), r);
  return BuildDecoder(f);
}

// Layers of one sublayer each, all named alike.
void NameMixers(Family& f) {
  f.prefix = "backbone.";
  f.embedding = "embeddings";
  f.final_norm = "norm_f";
  f.attention.pre_norm = f.mlp.pre_norm = "norm";
}

DecoderSpec ReadMamba2(const Config& config) {
  Sizes sizes = {};
  sizes.vocab = config.Count("vocab_size", kMaxVocab, 32768);
  sizes.hidden = config.Count("hidden_size", kMaxHidden, 4096);
  sizes.n_layers = config.Count("num_hidden_layers", kMaxLayers, 64);
  // It has no positions; what it was trained for is not in the file.
  sizes.context = config.Count("max_position_embeddings", kMaxContext, 8192);
  Family f(sizes);
  f.epsilon = config.Positive("layer_norm_epsilon", 1e-5);
  f.tied = config.Flag("tie_word_embeddings", false);
  NameMixers(f);
  CheckSilu(config, "hidden_act");
  Mamba2 mamba = ReadMamba(config, sizes,
                           {.n_heads = "num_heads",
                            .head_dim = "head_dim",
                            .n_groups = "n_groups",
                            .state = "state_size",
                            .taps = "conv_kernel",
                            .expand = "expand",
                            .conv_bias = "use_conv_bias",
                            .bias = "use_bias",
                            .default_head_dim = 64,
                            .default_n_groups = 8,
                            .default_state = 128});
  mamba.source = "mixer.";
  mamba.norm_epsilon = f.epsilon;
  f.layers.assign(sizes.n_layers, {.sublayers = {InPlaceOf(f.attention, mamba)}});
  return BuildDecoder(f);
}

// DeepSeek-V3's, without gates.
Experts NemotronExperts(const Config& config, const Family& f) {
  if (config.Has("moe_latent_size")) {
    config.Refuse("moe_latent_size", "is set: experts that work on a latent vector are not known");
  }
  Experts experts = ReadDeepSeekExperts(config, f,
                                        {.n_experts = "n_routed_experts",
                                         .default_experts = 8,
                                         .default_used = 2,
                                         .intermediate = "moe_intermediate_size",
                                         .default_intermediate = 7688});
  experts.names.router = "mixer.gate";
  experts.names.expert = "mixer.experts.";
  experts.names.choice_bias = "mixer.gate.e_score_correction_bias";
  experts.Share("mixer.shared_experts.",
                config.Count("moe_shared_expert_intermediate_size", kMaxIntermediate, 7688));
  return experts;
}

// Each layer is a mixer of some kind, or an MLP without a gate, or experts.
DecoderSpec ReadNemotronH(const Config& config) {
  const char* const kPattern = "hybrid_override_pattern";
  std::vector<std::string> types = config.Texts("layers_block_type");
  if (types.empty()) {
    for (const char letter : config.Text(kPattern, "")) {
      types.emplace_back(letter == 'M'   ? "mamba"
                         : letter == '*' ? "attention"
                         : letter == '-' ? "mlp"
                         : letter == 'E' ? "moe"
                                         : std::string(1, letter));
    }
  }
  if (types.empty() || types.size() > kMaxLayers) {
    config.Refuse("layers_block_type", "does not say what the layers are");
  }
  Sizes sizes = ReadSizes(config, {.n_layers = "num_attention_heads",
                                   .default_kv_heads = 8,
                                   .default_head_dim = 128,
                                   .default_context = 4096});
  sizes.n_layers = static_cast<uint32_t>(types.size());
  Family f(sizes);
  f.epsilon = config.Positive("layer_norm_epsilon", 1e-5);
  NameMixers(f);
  f.attention.names.q = "mixer.q_proj";
  f.attention.names.k = "mixer.k_proj";
  f.attention.names.v = "mixer.v_proj";
  f.attention.names.output = "mixer.o_proj";
  f.mlp.Ungate("mixer.up_proj", "mixer.down_proj");
  f.mlp.activation = ReadActivation(config, "mlp_hidden_act", "relu2");
  f.attention.qkv_bias = f.attention.output_bias = config.Flag("attention_bias", false);
  f.mlp.bias = config.Flag("mlp_bias", false);
  CheckSilu(config, "mamba_hidden_act");
  const auto either = [&](const char* one, const char* other) {
    return config.Has(other) ? other : one;
  };
  const uint64_t inner = config.Integer("mamba_num_heads", 1, kMaxHeads, 128) *
                         config.Integer("mamba_head_dim", 1, kMaxHeadDim, 64);
  Mamba2 mamba = ReadMamba(config, sizes,
                           {.n_heads = "mamba_num_heads",
                            .head_dim = "mamba_head_dim",
                            .n_groups = either("n_groups", "mamba_n_groups"),
                            .state = "ssm_state_size",
                            .taps = either("conv_kernel", "mamba_d_conv"),
                            .conv_bias = either("use_conv_bias", "mamba_conv_bias"),
                            .bias = "use_bias",
                            .default_head_dim = 64,
                            .default_n_groups = 8,
                            .default_state = 128},
                           inner);
  mamba.source = "mixer.";
  mamba.norm_epsilon = f.epsilon;
  mamba.norm_group = mamba.n_heads * mamba.head_dim / mamba.n_groups;
  // transformers holds steps to time_step_min; time_step_limit is for its kernels on GPUs alone.
  mamba.dt_min =
      static_cast<float>(config.Positive(either("time_step_min", "mamba_dt_min"), 0.001));
  mamba.dt_max = 0;
  std::optional<Experts> experts;
  for (const std::string& type : types) {
    Layer& layer = f.layers.emplace_back();
    if (type == "mamba") {
      layer.sublayers = {InPlaceOf(f.attention, mamba)};
    } else if (type == "attention") {
      layer.sublayers = {f.attention};
    } else if (type == "mlp") {
      layer.sublayers = {f.mlp};
    } else if (type == "moe") {
      if (!experts) experts = NemotronExperts(config, f);
      layer.sublayers = {experts->InPlaceOf(f.mlp)};
    } else {
      config.Refuse("layers_block_type", "holds " + type + "; known: mamba, attention, mlp, moe");
    }
  }
  f.other_names = {{"backbone.embeddings.", "backbone.embedding."}, {"backbone.", "model."}};
  f.left_out = {"mtp."};
  DecoderSpec spec = BuildDecoder(f);
  spec.head_may_be_tied = config.Flag("tie_word_embeddings", false);  // a head of its own stays
  return spec;
}

}  // namespace

std::vector<Architecture> MambaArchitectures() {
  return {
      {.name = "BambaForCausalLM", .model_type = "bamba", .read = ReadBamba},
      {.name = "GraniteMoeHybridForCausalLM",
       .model_type = "granitemoehybrid",
       .read = ReadGraniteHybrid,
       .gguf = "granitehybrid",
       .add_gguf = AddGraniteHybrid,
       .gguf_names = GraniteHybridRules()},
      {.name = "FalconH1ForCausalLM",
       .model_type = "falcon_h1",
       .read = ReadFalconH1,
       .gguf = "falcon-h1",
       .add_gguf = AddFalconH1,
       .gguf_names = FalconH1Rules()},
      {.name = "Mamba2ForCausalLM",
       .model_type = "mamba2",
       .read = ReadMamba2,
       .gguf = "mamba2",
       .add_gguf = AddMamba2,
       .gguf_names = MixersRules(),
       .gguf_usual_heads = false},
      {.name = "NemotronHForCausalLM",
       .model_type = "nemotron_h",
       .read = ReadNemotronH,
       .gguf = "nemotron_h",
       .add_gguf = AddNemotronH,
       .gguf_names = MixersRules()},
  };
}

}  // namespace rondo::convert
