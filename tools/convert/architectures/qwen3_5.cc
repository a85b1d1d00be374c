// Qwen3.5 (the text) and Qwen3-Next: gated delta nets, and attention with an output gate in
// every fourth layer.
#include "runtime/model/limits.h"
#include "tools/convert/architectures/architecture.h"
#include "tools/convert/architectures/experts_config.h"
#include "tools/convert/architectures/family.h"
#include "tools/convert/sources/gguf/gguf_config.h"

namespace rondo::convert {
namespace {

std::vector<bool> LinearLayers(const Config& config, uint32_t n_layers) {
  std::vector<bool> linear =
      ReadLayerTypes(config, "layer_types", n_layers, "linear_attention", "full_attention");
  if (!linear.empty()) return linear;
  const uint64_t interval = config.Integer("full_attention_interval", 1, kMaxLayers, 4);
  for (uint32_t i = 0; i < n_layers; ++i) linear.push_back((i + 1) % interval != 0);
  return linear;
}

DeltaNet ReadDeltaNet(const Config& config) {
  DeltaNet net;
  net.n_key_heads = config.Count("linear_num_key_heads", kMaxHeads, 16);
  net.n_value_heads = config.Count("linear_num_value_heads", kMaxHeads, 32);
  if (net.n_value_heads % net.n_key_heads != 0) {
    config.Refuse("linear_num_value_heads", "is not a multiple of linear_num_key_heads");
  }
  net.key_head_dim = config.Count("linear_key_head_dim", kMaxHeadDim, 128);
  net.value_head_dim = config.Count("linear_value_head_dim", kMaxHeadDim, 128);
  for (const char* key : {"linear_key_head_dim", "linear_value_head_dim"}) {
    if (config.Integer(key, 1, kMaxHeadDim, 128) % kHeadDimMultiple != 0) {
      config.Refuse(key, "is not a multiple of " + std::to_string(kHeadDimMultiple));
    }
  }
  net.taps = config.Count("linear_conv_kernel_dim", kMaxConvTaps, 4);
  return net;
}

struct DeltaDefaults {
  uint32_t kv_heads;
  bool all_experts = false, by_key_head = false;
};

Family DeltaFamily(const Config& config, const DeltaDefaults& defaults) {
  Family f = ReadFamily(config,
                        {.intermediate = defaults.all_experts ? nullptr : "intermediate_size",
                         .default_kv_heads = defaults.kv_heads,
                         .default_head_dim = 256,
                         .default_context = 32768},
                        {.turning = 0.25, .attention_bias = false});
  f.norm_offset = 1;
  if (f.mlp.activation != format::Activation::kSilu) {
    config.Refuse("hidden_act", "is not silu, which is all that is known for a delta net");
  }
  f.attention.head_norm = HeadNorm::kShared;
  f.attention.gate = format::GateKind::kSigmoid;
  DeltaNet net = InPlaceOf(f.attention, ReadDeltaNet(config));
  net.norm_epsilon = f.epsilon;
  net.by_key_head = defaults.by_key_head;
  const std::vector<bool> linear = LinearLayers(config, f.sizes.n_layers);
  f.AddLayers();
  for (uint32_t i = 0; i < f.sizes.n_layers; ++i) {
    if (linear[i]) f.layers[i].sublayers[0] = net;
  }
  if (!config.wants_draft_head()) f.left_out = {"mtp."};
  return f;
}

// Its layer has attention, whatever that of the model's first layer has.
DecoderSpec BuildWithHead(const Config& config, Family f) {
  if (config.wants_draft_head()) {
    f.draft_head = {.names = {.input = "mtp.fc",
                              .embedding_norm = "mtp.pre_fc_norm_embedding",
                              .hidden_norm = "mtp.pre_fc_norm_hidden",
                              .norm = "mtp.norm",
                              .layer = "mtp.layers.0."},
                    .layer = Layer{{f.attention, f.layers.front().sublayers.back()}},
                    .chains_normed = true};
  }
  return BuildDecoder(std::move(f));
}

DecoderSpec ReadQwen35Text(const Config& config) {
  return BuildWithHead(config, DeltaFamily(config, {.kv_heads = 4}));
}

// With a shared expert behind a gate.
Experts ReadGatedExperts(const Config& config, const Family& f, uint64_t n, uint64_t n_used) {
  Experts experts = ReadExperts(config, f,
                                {.n_experts = "num_experts",
                                 .default_experts = n,
                                 .default_used = n_used,
                                 .intermediate = "moe_intermediate_size",
                                 .default_intermediate = 512});
  experts.normalize = config.Flag("norm_topk_prob", true);
  experts.Share("mlp.shared_expert.",
                config.Count("shared_expert_intermediate_size", kMaxIntermediate, 512),
                "mlp.shared_expert_gate");
  return experts;
}

DecoderSpec ReadQwen35MoeText(const Config& config) {
  Family f = DeltaFamily(config, {.kv_heads = 2, .all_experts = true});
  f.PlaceExperts(ReadGatedExperts(config, f, 256, 8));
  return BuildWithHead(config, f);
}

DecoderSpec ReadQwen3Next(const Config& config) {
  Family f = DeltaFamily(config, {.kv_heads = 2, .by_key_head = true});
  f.PlaceExperts(ReadGatedExperts(config, f, 512, 10), LayersByStep(config));
  return BuildWithHead(config, f);
}

void AddDeltaNet(const GgufKeys& keys, nlohmann::json& config) {
  const uint64_t value_heads = keys.Count("ssm.time_step_rank", kMaxHeads);
  config["linear_num_key_heads"] = keys.Count("ssm.group_count", kMaxHeads);
  config["linear_num_value_heads"] = value_heads;
  config["linear_key_head_dim"] = keys.Count("ssm.state_size", kMaxHeadDim);
  config["linear_value_head_dim"] =
      keys.Count("ssm.inner_size", kMaxHeads * kMaxHeadDim) / value_heads;
  config["linear_conv_kernel_dim"] = keys.Count("ssm.conv_kernel", kMaxConvTaps);
  config["attention_bias"] = false;
  const char* const kInterval = "full_attention_interval";
  if (keys.HoldsList("attention.recurrent_layers")) {
    keys.Has(kInterval);  // files have both
    const std::vector<uint64_t> recurrent = keys.PerLayer("attention.recurrent_layers", 1);
    config["layer_types"] =
        LayerTypes(keys, "linear_attention", [&](uint64_t i) { return recurrent[i] == 0; });
  } else {
    if (!keys.Has(kInterval)) keys.NoteAssumed(kInterval, "4");
    config[kInterval] = keys.Count(kInterval, kMaxLayers, 4);
  }
}

void AddDeltaNetWithExperts(const GgufKeys& keys, nlohmann::json& config) {
  AddDeltaNet(keys, config);
  AddExperts(keys, "num_experts", config);
  AddExpertSize(keys, config);
  config["shared_expert_intermediate_size"] =
      keys.Count("expert_shared_feed_forward_length", kMaxIntermediate);
  config["norm_topk_prob"] = true;
  CheckGating(keys, Gating::kSoftmax);
}

NameRules DeltaNames() {
  return {
      {"output_norm", "model.norm", Change::kPlusOne},
      {"blk.{}.attn_norm", "model.layers.{}.input_layernorm", Change::kPlusOne},
      {"blk.{}.post_attention_norm", "model.layers.{}.post_attention_layernorm", Change::kPlusOne},
      {"blk.{}.attn_q_norm", "model.layers.{}.self_attn.q_norm", Change::kPlusOne},
      {"blk.{}.attn_k_norm", "model.layers.{}.self_attn.k_norm", Change::kPlusOne},
      {"blk.{}.ssm_norm", "model.layers.{}.linear_attn.norm"},
      {"blk.{}.ffn_gate_inp_shexp", "model.layers.{}.mlp.shared_expert_gate"},
      {"blk.{}.ffn_gate_shexp", "model.layers.{}.mlp.shared_expert.gate_proj"},
      {"blk.{}.ffn_up_shexp", "model.layers.{}.mlp.shared_expert.up_proj"},
      {"blk.{}.ffn_down_shexp", "model.layers.{}.mlp.shared_expert.down_proj"},
  };
}

}  // namespace

std::vector<Architecture> Qwen35Architectures() {
  const NameRules common = With(With(UsualNames(), StackedExpertNames()), DeltaNames());
  // Value heads are where the file's own order of heads has them.
  const NameRules qwen3_5 = {
      {"blk.{}.attn_qkv", "model.layers.{}.linear_attn.in_proj_qkv", Change::kTiledHeads},
      {"blk.{}.attn_gate", "model.layers.{}.linear_attn.in_proj_z", Change::kTiledHeads},
      {"blk.{}.ssm_beta", "model.layers.{}.linear_attn.in_proj_b", Change::kTiledHeads},
      {"blk.{}.ssm_alpha", "model.layers.{}.linear_attn.in_proj_a", Change::kTiledHeads},
      {"blk.{}.ssm_a", "model.layers.{}.linear_attn.A_log", Change::kTiledDecay},
      {"blk.{}.ssm_dt.bias", "model.layers.{}.linear_attn.dt_bias", Change::kTiledHeads},
      {"blk.{}.ssm_conv1d", "model.layers.{}.linear_attn.conv1d", Change::kTiledConv},
      {"blk.{}.ssm_out", "model.layers.{}.linear_attn.out_proj", Change::kTiledColumns},
  };
  // Here they are not moved; gates stay by key head.
  const NameRules qwen3_next = {
      {"blk.{}.attn_qkv", "model.layers.{}.linear_attn.in_proj_qkv"},
      {"blk.{}.attn_gate", "model.layers.{}.linear_attn.in_proj_z"},
      {"blk.{}.ssm_in", "model.layers.{}.linear_attn.in_proj_qkvz"},  // older files
      {"blk.{}.ssm_ba", "model.layers.{}.linear_attn.in_proj_ba"},
      {"blk.{}.ssm_a", "model.layers.{}.linear_attn.A_log", Change::kDecay},
      {"blk.{}.ssm_dt.bias", "model.layers.{}.linear_attn.dt_bias"},
      {"blk.{}.ssm_conv1d", "model.layers.{}.linear_attn.conv1d", Change::kDepthwise},
      {"blk.{}.ssm_out", "model.layers.{}.linear_attn.out_proj"},
  };
  return {
      {.name = "Qwen3_5ForCausalLM",
       .model_type = "qwen3_5_text",
       .read = ReadQwen35Text,
       .gguf = "qwen35",
       .add_gguf = AddDeltaNet,
       .gguf_names = With(common, qwen3_5)},
      {.name = "Qwen3_5MoeForCausalLM",
       .model_type = "qwen3_5_moe_text",
       .read = ReadQwen35MoeText,
       .gguf = "qwen35moe",
       .add_gguf = AddDeltaNetWithExperts,
       .gguf_names = With(common, qwen3_5)},
      {.name = "Qwen3NextForCausalLM",
       .model_type = "qwen3_next",
       .read = ReadQwen3Next,
       .gguf = "qwen3next",
       .add_gguf = AddDeltaNetWithExperts,
       .gguf_names = With(common, qwen3_next)},
  };
}

}  // namespace rondo::convert
