// LFM2: short gated convolutions, with grouped-query attention in some layers. LFM2-MoE: experts
// behind all but the first.
#include "runtime/model/limits.h"
#include "tools/convert/architectures/architecture.h"
#include "tools/convert/architectures/experts_config.h"
#include "tools/convert/architectures/family.h"
#include "tools/convert/sources/gguf/gguf_config.h"

namespace rondo::convert {
namespace {

using nlohmann::json;

// The MLP's size as transformers makes it of the config's.
uint32_t Intermediate(const Config& config) {
  const char* const kKey = config.Has("block_ff_dim") ? "block_ff_dim" : "intermediate_size";
  uint64_t size = config.Integer(kKey, 1, kMaxIntermediate, 12288);
  if (!config.Flag("block_auto_adjust_ff_dim", true)) return static_cast<uint32_t>(size);
  size = 2 * size / 3;
  if (config.Mentions("block_ffn_dim_multiplier") == config.Has("block_ffn_dim_multiplier")) {
    size = static_cast<uint64_t>(config.Positive("block_ffn_dim_multiplier", 1) *
                                 static_cast<double>(size));
    const uint64_t multiple = config.Integer("block_multiple_of", 1, kMaxIntermediate, 256);
    size = (size + multiple - 1) / multiple * multiple;
  }
  if (size == 0 || size > kMaxIntermediate) config.Refuse(kKey, "gives an MLP of a size not known");
  return static_cast<uint32_t>(size);
}

std::vector<bool> ConvLayers(const Config& config, uint32_t n_layers) {
  std::vector<bool> convs =
      ReadLayerTypes(config, "layer_types", n_layers, "conv", "full_attention");
  if (!convs.empty()) return convs;
  const char* const kFull = "full_attn_idxs";
  convs.assign(n_layers, config.Has(kFull));
  for (const uint64_t i : config.Integers(kFull, n_layers - 1)) convs[i] = false;
  return convs;
}

Family Lfm2Family(const Config& config, const Sizes& sizes) {
  Family f(sizes);
  f.epsilon = config.Positive("norm_eps", 1e-5);
  f.final_norm = "embedding_norm";
  f.attention.pre_norm = "operator_norm";
  f.mlp.pre_norm = "ffn_norm";
  f.attention.names.output = "self_attn.out_proj";
  f.attention.head_norm = HeadNorm::kShared;
  f.attention.names.q_norm = "self_attn.q_layernorm";
  f.attention.names.k_norm = "self_attn.k_layernorm";
  f.mlp.names.gate = "feed_forward.w1";
  f.mlp.names.up = "feed_forward.w3";
  f.mlp.names.down = "feed_forward.w2";
  f.ropes = {ReadRope(config, {sizes.head_dim, sizes.context, 1e6})};
  f.tied = config.Flag("tie_embedding", config.Flag("tie_word_embeddings", true));
  ShortConv conv = InPlaceOf(f.attention, ShortConv());
  conv.taps = config.Count("conv_L_cache", kMaxConvTaps, 3);
  conv.has_bias = config.Flag("conv_bias", false);
  f.AddLayers();
  const std::vector<bool> convs = ConvLayers(config, sizes.n_layers);
  for (uint32_t i = 0; i < sizes.n_layers; ++i) {
    if (convs[i]) f.layers[i].sublayers[0] = conv;
  }
  return f;
}

DecoderSpec ReadLfm2(const Config& config) {
  Sizes sizes = ReadSizes(
      config, {.intermediate = nullptr, .default_kv_heads = 8, .default_context = 128000});
  sizes.intermediate = Intermediate(config);
  return BuildDecoder(Lfm2Family(config, sizes));
}

DecoderSpec ReadLfm2Moe(const Config& config) {
  Family f =
      Lfm2Family(config, ReadSizes(config, {.default_kv_heads = 8, .default_context = 128000}));
  Experts experts = ReadExperts(config, f,
                                {.n_experts = "num_experts",
                                 .default_experts = 32,
                                 .default_used = 4,
                                 .intermediate = "moe_intermediate_size",
                                 .default_intermediate = 1792});
  experts.names.router = "feed_forward.gate";
  experts.names.expert = "feed_forward.experts.";
  experts.names.gate = "w1";
  experts.names.up = "w3";
  experts.names.down = "w2";
  experts.scoring = format::Scoring::kSigmoid;
  if (config.Flag("use_expert_bias", true)) experts.names.choice_bias = "feed_forward.expert_bias";
  experts.normalize = config.Flag("norm_topk_prob", true);
  experts.normalize_epsilon = 1e-6f;
  experts.weight_scale = static_cast<float>(config.Number("routed_scaling_factor", 1));
  const uint64_t dense = config.Integer("num_dense_layers", 0, kMaxLayers, 2);
  f.PlaceExperts(experts, [dense](uint32_t i) { return i >= dense; });
  f.other_names = {{"feed_forward.w1.", "feed_forward.gate_proj."},  // of MLX
                   {"feed_forward.w3.", "feed_forward.up_proj."},
                   {"feed_forward.w2.", "feed_forward.down_proj."}};
  return BuildDecoder(f);
}

void AddLfm2(const GgufKeys& keys, json& config) {
  const std::vector<uint64_t> n_kv_heads = keys.PerLayer("attention.head_count_kv", kMaxHeads);
  config["layer_types"] = LayerTypes(keys, "conv", [&](uint64_t i) { return n_kv_heads[i] > 0; });
  config["conv_L_cache"] = keys.Count("shortconv.l_cache", kMaxHidden);
  config["conv_bias"] = keys.HasTensor("blk.0.shortconv.conv.bias");
  config["norm_eps"] = keys.Number("attention.layer_norm_rms_epsilon");
  config["block_auto_adjust_ff_dim"] = false;
}

void AddLfm2Moe(const GgufKeys& keys, json& config) {
  AddLfm2(keys, config);
  AddExperts(keys, "num_experts", config);
  AddExpertSize(keys, config);
  CheckGating(keys, Gating::kSigmoid);
  config["num_dense_layers"] = keys.Count("leading_dense_block_count", kMaxLayers, 0);
  config["use_expert_bias"] = true;
  config["norm_topk_prob"] = keys.Flag("expert_weights_norm", true);
  config["routed_scaling_factor"] = keys.Number("expert_weights_scale", 1.0);
}

}  // namespace

std::vector<Architecture> Lfm2Architectures() {
  const NameRules lfm2 = {
      {"token_embd_norm", "model.embedding_norm"},
      {"output_norm", "model.embedding_norm"},
      {"blk.{}.attn_norm", "model.layers.{}.operator_norm"},
      {"blk.{}.attn_output", "model.layers.{}.self_attn.out_proj"},
      {"blk.{}.attn_q_norm", "model.layers.{}.self_attn.q_layernorm"},
      {"blk.{}.attn_k_norm", "model.layers.{}.self_attn.k_layernorm"},
      {"blk.{}.ffn_norm", "model.layers.{}.ffn_norm"},
      {"blk.{}.ffn_gate", "model.layers.{}.feed_forward.w1"},
      {"blk.{}.ffn_down", "model.layers.{}.feed_forward.w2"},
      {"blk.{}.ffn_up", "model.layers.{}.feed_forward.w3"},
      {"blk.{}.shortconv.conv", "model.layers.{}.conv.conv", Change::kDepthwise},
      {"blk.{}.shortconv.in_proj", "model.layers.{}.conv.in_proj"},
      {"blk.{}.shortconv.out_proj", "model.layers.{}.conv.out_proj"},
  };
  const NameRules lfm2_moe = {
      {"blk.{}.ffn_gate_inp", "model.layers.{}.feed_forward.gate"},
      {"blk.{}.exp_probs_b.bias", "model.layers.{}.feed_forward.expert_bias"},
      {"blk.{}.ffn_gate_exps", "model.layers.{}.feed_forward.experts.{}.w1", Change::kExperts},
      {"blk.{}.ffn_down_exps", "model.layers.{}.feed_forward.experts.{}.w2", Change::kExperts},
      {"blk.{}.ffn_up_exps", "model.layers.{}.feed_forward.experts.{}.w3", Change::kExperts},
  };
  return {
      {.name = "Lfm2ForCausalLM",
       .model_type = "lfm2",
       .read = ReadLfm2,
       .gguf = "lfm2",
       .add_gguf = AddLfm2,
       .gguf_names = With(UsualNames(), lfm2)},
      {.name = "Lfm2MoeForCausalLM",
       .model_type = "lfm2_moe",
       .read = ReadLfm2Moe,
       .gguf = "lfm2moe",
       .add_gguf = AddLfm2Moe,
       .gguf_names = With(With(UsualNames(), lfm2), lfm2_moe)},
  };
}

}  // namespace rondo::convert
