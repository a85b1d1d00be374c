#include "tools/convert/architectures/mamba_gguf.h"

#include "runtime/model/limits.h"
#include "tools/convert/sources/gguf/gguf_config.h"

namespace rondo::convert {
namespace {

// What configs call a layer's sizes.
struct MambaNames {
  const char* n_heads = "mamba_n_heads";
  const char* head_dim = "mamba_d_head";
  const char* n_groups = "mamba_n_groups";
  const char* state = "mamba_d_state";
  const char* taps = "mamba_d_conv";
  const char* expand = "mamba_expand";
  const char* conv_bias = "mamba_conv_bias";
  const char* bias = "mamba_proj_bias";
};

void AddMamba(const GgufKeys& keys, const MambaNames& names, nlohmann::json& config) {
  const uint64_t n_heads = keys.Count("ssm.time_step_rank", kMaxHeads);
  const uint64_t inner = keys.Count("ssm.inner_size", kMaxIntermediate);
  if (inner % n_heads != 0) keys.Refuse("ssm.inner_size", "is not a multiple of the heads");
  config[names.n_heads] = n_heads;
  config[names.head_dim] = inner / n_heads;
  config[names.n_groups] = keys.Count("ssm.group_count", kMaxHeads);
  config[names.state] = keys.Count("ssm.state_size", kMaxHeadDim);
  config[names.taps] = keys.Count("ssm.conv_kernel", kMaxConvTaps);
  config[names.expand] = inner / config["hidden_size"].get<uint64_t>();
  config[names.conv_bias] = keys.HasInSomeLayer("ssm_conv1d.bias");
  config[names.bias] = keys.HasInSomeLayer("ssm_in.bias");
}

constexpr MambaNames kMixerNames = {.n_heads = "num_heads",
                                    .head_dim = "head_dim",
                                    .n_groups = "n_groups",
                                    .state = "state_size",
                                    .taps = "conv_kernel",
                                    .expand = "expand",
                                    .conv_bias = "use_conv_bias",
                                    .bias = "use_bias"};

// Of a Mamba2 layer's tensors, whose names begin with `mixer`.
NameRules MixerRules(const std::string& mixer) {
  return {
      {"blk.{}.ssm_in", mixer + "in_proj"},
      {"blk.{}.ssm_conv1d", mixer + "conv1d", Change::kDepthwise},
      {"blk.{}.ssm_conv1d.bias", mixer + "conv1d.bias"},
      {"blk.{}.ssm_dt.bias", mixer + "dt_bias"},
      {"blk.{}.ssm_a", mixer + "A_log", Change::kDecay},
      {"blk.{}.ssm_d", mixer + "D", Change::kFlat},
      {"blk.{}.ssm_norm", mixer + "norm", Change::kFlat},
      {"blk.{}.ssm_out", mixer + "out_proj"},
  };
}

}  // namespace

void AddGraniteHybrid(const GgufKeys& keys, nlohmann::json& config) {
  AddBiases(keys, config);
  AddMultipliers(keys, config);
  AddMamba(keys, {}, config);
  const char* const kShared = "expert_shared_feed_forward_length";
  config["num_local_experts"] = ExpertCount(keys);
  config["num_experts_per_tok"] = keys.Count("expert_used_count", kMaxExperts, 0);
  config["shared_intermediate_size"] = keys.Has(kShared)
                                           ? keys.Count(kShared, kMaxIntermediate)
                                           : config["intermediate_size"].get<uint64_t>();
  const std::vector<uint64_t> n_kv_heads = keys.PerLayer("attention.head_count_kv", kMaxHeads);
  nlohmann::json types;
  for (const uint64_t n : n_kv_heads) types.push_back(n == 0 ? "mamba" : "attention");
  config["layer_types"] = std::move(types);
  const char* const kTurns = "rope.scaling.finetuned";
  if (!keys.Has(kTurns)) keys.NoteAssumed(kTurns, "true, so that positions turn");
  const bool turns = keys.Flag(kTurns, true);
  config["position_embedding_type"] = turns ? "rope" : "nope";
  if (!turns) config.erase("rope_parameters");
}

void AddFalconH1(const GgufKeys& keys, nlohmann::json& config) {
  AddBiases(keys, config);
  AddMamba(keys, {}, config);
  config["mamba_d_ssm"] = keys.Count("ssm.inner_size", kMaxIntermediate);
  config["mamba_rms_norm"] = keys.HasInSomeLayer("ssm_norm.weight");
  config["mamba_norm_before_gate"] = false;  // files know no other
  config["projectors_bias"] = config["mamba_proj_bias"];
}

void AddMamba2(const GgufKeys& keys, nlohmann::json& config) {
  AddMamba(keys, kMixerNames, config);
  config["layer_norm_epsilon"] = keys.Number("attention.layer_norm_rms_epsilon");
  for (const char* zero : {"attention.head_count", "feed_forward_length"}) {
    if (keys.Count(zero, UINT32_MAX, 0) != 0) keys.Refuse(zero, "is not 0");
  }
}

void AddNemotronH(const GgufKeys& keys, nlohmann::json& config) {
  AddBiases(keys, config);
  MambaNames names = kMixerNames;
  names.n_heads = "mamba_num_heads";
  names.head_dim = "mamba_head_dim";
  names.state = "ssm_state_size";
  AddMamba(keys, names, config);
  config.erase("rope_parameters");
  // Files have one of these, or both.
  const char* const kRms = "attention.layer_norm_rms_epsilon";
  const char* const kOther = "attention.layer_norm_epsilon";
  config["layer_norm_epsilon"] = keys.Number(keys.Has(kOther) && !keys.Has(kRms) ? kOther : kRms);
  const std::vector<uint64_t> n_kv_heads = keys.PerLayer("attention.head_count_kv", kMaxHeads);
  const std::vector<uint64_t> sizes = keys.PerLayer("feed_forward_length", kMaxIntermediate);
  nlohmann::json types;
  for (size_t i = 0; i < sizes.size(); ++i) {
    types.push_back(sizes[i] != 0 ? "mlp" : n_kv_heads[i] != 0 ? "attention" : "mamba");
  }
  config["layers_block_type"] = std::move(types);
}

NameRules GraniteHybridRules() {
  const NameRules granite = With(With(UsualNames(), PairedHeadNames()), GraniteExpertNames());
  // Without experts the MLP is what stands beside them elsewhere.
  const NameRules mlp = {
      {"blk.{}.ffn_gate", "model.layers.{}.shared_mlp.input_linear.gate"},
      {"blk.{}.ffn_up", "model.layers.{}.shared_mlp.input_linear.up"},
      {"blk.{}.ffn_down", "model.layers.{}.shared_mlp.output_linear"},
  };
  return With(With(granite, MixerRules("model.layers.{}.mamba.")), mlp);
}

NameRules FalconH1Rules() {
  const NameRules own = {
      {"output_norm", "model.final_layernorm"},
      {"blk.{}.ffn_norm", "model.layers.{}.pre_ff_layernorm.weight"},  // the one without ".weight"
      {"blk.{}.ffn_gate", "model.layers.{}.feed_forward.gate_proj"},
      {"blk.{}.ffn_up", "model.layers.{}.feed_forward.up_proj"},
      {"blk.{}.ffn_down", "model.layers.{}.feed_forward.down_proj"},
  };
  return With(With(UsualNames(), MixerRules("model.layers.{}.mamba.")), own);
}

NameRules MixersRules() {
  const NameRules own = {
      {"token_embd", "backbone.embeddings"},
      {"output_norm", "backbone.norm_f"},
      {"output", "lm_head"},
      {"blk.{}.attn_norm", "backbone.layers.{}.norm"},
      {"blk.{}.attn_q", "backbone.layers.{}.mixer.q_proj"},
      {"blk.{}.attn_k", "backbone.layers.{}.mixer.k_proj"},
      {"blk.{}.attn_v", "backbone.layers.{}.mixer.v_proj"},
      {"blk.{}.attn_output", "backbone.layers.{}.mixer.o_proj"},
      {"blk.{}.ffn_up", "backbone.layers.{}.mixer.up_proj"},
      {"blk.{}.ffn_down", "backbone.layers.{}.mixer.down_proj"},
  };
  return With(own, MixerRules("backbone.layers.{}.mixer."));
}

}  // namespace rondo::convert
