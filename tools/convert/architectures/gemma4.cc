// Gemma 4 and Gemma 4 Unified (the text parts): embeddings of each layer's own, layers that read
// the keys and values of others, larger heads in those that see everything, norms of values, a
// factor at a layer's end, and experts beside the MLP; and their assistants.
#include <algorithm>
#include <cmath>

#include "runtime/model/limits.h"
#include "runtime/model/operators/attention.h"
#include "tools/convert/architectures/architecture.h"
#include "tools/convert/architectures/experts_config.h"
#include "tools/convert/architectures/family.h"
#include "tools/convert/architectures/gemma_parts.h"
#include "tools/convert/architectures/sublayers/sublayer_builder.h"
#include "tools/convert/sources/gguf/gguf_config.h"

namespace rondo::convert {
namespace {

constexpr uint64_t kWindow = 512, kUnifiedWindow = 1024;
constexpr uint32_t kContext = 131072, kUnifiedContext = 262144;

// Of a head's channels the first share turns, by frequencies that are counted over all of them.
RopeSpec ProportionalRope(const Config& parameters, uint32_t head_dim) {
  const double theta = parameters.Positive("rope_theta", 1e6);
  const double share = parameters.Positive("partial_rotary_factor", 1);
  const double factor = parameters.Positive("factor", 1);
  if (share > 1) parameters.Refuse("partial_rotary_factor", "is above 1");
  const auto turned = static_cast<uint32_t>(share * head_dim / 2);
  RopeSpec rope;
  for (uint32_t i = 0; i < head_dim / 2; ++i) {
    const float exponent = static_cast<float>(2 * i) / static_cast<float>(head_dim);
    const float power = static_cast<float>(
        std::pow(static_cast<double>(static_cast<float>(theta)), static_cast<double>(exponent)));
    rope.frequencies.push_back(i < turned ? 1.0f / power / static_cast<float>(factor) : 0.0f);
  }
  rope.description = "proportional, " + std::to_string(2 * turned) + " of " +
                     std::to_string(head_dim) + " channels";
  return rope;
}

// By default a head turns whole.
RopeSpec UsualRope(const Config& config, const Config& parameters, const RopeRequest& request) {
  const char* const kShare = "partial_rotary_factor";
  if (parameters.Text("rope_type", "default") == "default" && parameters.Number(kShare, 1) != 1) {
    parameters.Refuse(kShare, "is not 1, which a rope of type default has no use for");
  }
  return ReadRope(config, parameters, request);
}

RopeSpec FullRope(const Config& config, uint32_t head_dim, uint32_t context) {
  const auto all = config.Object("rope_parameters");
  const auto full = all ? all->Object("full_attention") : std::nullopt;
  if (!full) {
    return ProportionalRope(
        Config::Of("its defaults: key ", {{"partial_rotary_factor", 0.25}, {"rope_theta", 1e6}}),
        head_dim);
  }
  if (full->Text("rope_type", "default") == "proportional")
    return ProportionalRope(*full, head_dim);
  return UsualRope(config, *full, {head_dim, context, 1e6});
}

RopeSpec SlidingRope(const Config& config, uint32_t head_dim, uint32_t context) {
  const auto all = config.Object("rope_parameters");
  const auto sliding = all ? all->Object("sliding_attention") : std::nullopt;
  const RopeRequest request = {head_dim, context, 1e4};
  return sliding ? UsualRope(config, *sliding, request) : PlainRope(config, 1e4, request);
}

// Every layer has experts, beside an MLP that works on each row.
void AddExperts(const Config& config, Family& f) {
  if (!config.Flag("enable_moe_block", false)) return;
  for (const char* key : {"num_experts", "top_k_experts", "moe_intermediate_size"}) {
    if (!config.Has(key)) config.Refuse(key, "is missing, but enable_moe_block is true");
  }
  Experts experts = ReadExperts(config, f,
                                {.n_experts = "num_experts",
                                 .n_used = "top_k_experts",
                                 .intermediate = "moe_intermediate_size"});
  experts.normalize = true;
  experts.names.router = "router.proj";
  experts.names.router_norm = "router.scale";
  experts.names.weight_scales = "router.per_expert_scale";
  experts.names.expert = "experts.";
  experts.names.post_norm = "post_feedforward_layernorm_2";
  experts.Share("mlp.", 0);
  experts.shared_names.norm = "pre_feedforward_layernorm";
  experts.shared_names.post_norm = "post_feedforward_layernorm_1";
  for (Layer& layer : f.layers) {
    Mlp& mlp = layer.mlp();
    experts.shared_size = mlp.intermediate_size;
    mlp.pre_norm = "pre_feedforward_layernorm_2";
    layer.sublayers.back() = experts.InPlaceOf(mlp);
  }
}

// The stream is multiplied by it.
void ScaleLayer(SublayerBuilder& b, format::LayerT& layer) {
  layer.scale = b.Vector(b.name() + "scale", b.source() + "layer_scalar", 1);
}

// What Gemma 4 and Gemma 4 Unified have both.
Family CommonFamily(const Config& config, uint64_t window, uint32_t context) {
  // "vision" is of pictures alone: text is causal.
  if (config.Text("use_bidirectional_attention", "vision") != "vision") {
    config.Refuse("use_bidirectional_attention", "is set: only causal attention is known");
  }
  Family f(ReadSizes(config,
                     {.default_kv_heads = 4, .default_head_dim = 256, .default_context = context}));
  ReadGemmaLayers(config, f);
  if (config.Has("final_logit_softcapping")) {
    f.logit_soft_cap = static_cast<float>(config.Positive("final_logit_softcapping"));
  }
  const uint32_t n_layers = f.sizes.n_layers;
  std::vector<uint32_t> windows =
      ReadWindows(config, f.sizes, ReadWindow(config, window),
                  [&](uint32_t i) { return (i + 1) % 6 != 0 && i + 1 < n_layers; });
  windows.back() = 0;  // whatever the list says

  // Layers that see everything have heads of their own size.
  const auto global_dim = static_cast<uint32_t>(
      config.Integer("global_head_dim", 1, kMaxHeadDim,
                     config.Mentions("global_head_dim") ? f.sizes.head_dim : 512));
  const bool k_is_v = config.Flag("attention_k_eq_v", false);
  const uint32_t global_kv_heads =
      k_is_v ? static_cast<uint32_t>(config.Integer("num_global_key_value_heads", 1,
                                                    f.sizes.n_heads, f.sizes.n_kv_heads))
             : f.sizes.n_kv_heads;
  if (f.sizes.n_heads % global_kv_heads != 0) {
    config.Refuse("num_global_key_value_heads", "does not divide num_attention_heads");
  }
  f.ropes = {FullRope(config, global_dim, f.sizes.context),
             SlidingRope(config, f.sizes.head_dim, f.sizes.context)};
  f.AddLayers(windows, {.full = 0, .sliding = 1});
  for (Layer& layer : f.layers) {
    layer.at_end = ScaleLayer;
    Attention& attention = layer.attention();
    if (attention.window > 0) continue;
    attention.head_dim = attention.v_head_dim = global_dim;
    attention.n_kv_heads = global_kv_heads;
    if (k_is_v) attention.names.v = attention.names.k;
  }
  return f;
}

// The last layers read the keys of others, and may have larger MLPs.
void ShareLastLayers(const Config& config, Family& f) {
  const uint32_t n_layers = f.sizes.n_layers;
  const auto shared =
      static_cast<uint32_t>(config.Integer("num_kv_shared_layers", 0, n_layers - uint64_t{1}, 0));
  ShareKeys(config, shared, f);
  if (!config.Flag("use_double_wide_mlp", false)) return;
  for (uint32_t i = n_layers - shared; i < n_layers; ++i) {
    f.layers[i].mlp().intermediate_size *= 2;
  }
}

DecoderSpec WithAssistants(DecoderSpec spec) {
  spec.has_assistants = true;
  return spec;
}

DecoderSpec ReadGemma4(const Config& config) {
  Family f = CommonFamily(config, kWindow, kContext);
  ShareLastLayers(config, f);
  AddExperts(config, f);
  AddLayerEmbeddings(config, f);
  return WithAssistants(BuildDecoder(f));
}

DecoderSpec ReadGemma4Unified(const Config& config) {
  Family f = CommonFamily(config, kUnifiedWindow, kUnifiedContext);
  ShareLastLayers(config, f);
  return WithAssistants(BuildDecoder(f));
}

// A small model that drafts for one of these: all its layers read that one's keys.
DecoderSpec ReadAssistant(const Config& config, uint64_t window, uint32_t context) {
  const std::optional<Config> text = config.Object("text_config");
  if (!text) config.Refuse("text_config", "is missing");
  for (const char* key : {"enable_moe_block", "use_double_wide_mlp"}) {
    if (text->Flag(key, false)) text->Refuse(key, "is true: an assistant has plain MLPs");
  }
  const char* const kLayerSize = "hidden_size_per_layer_input";
  if (text->Integer(kLayerSize, 0, kMaxHidden, 256) != 0) {
    text->Refuse(kLayerSize, "is not 0: an assistant has no embeddings of layers");
  }
  Family f = CommonFamily(*text, window, context);
  const uint32_t n_layers = f.sizes.n_layers;
  const char* const kShared = "num_kv_shared_layers";
  const uint64_t shared = text->Integer(kShared, 0, n_layers, 0);
  if (shared != 0 && shared != n_layers) {
    text->Refuse(kShared, "is not that of all layers, as an assistant's is");
  }
  for (Layer& layer : f.layers) layer.attention().kv_layer = kKeysOfOther;
  f.tied = config.Flag("tie_word_embeddings", true);
  f.logit_soft_cap = 0;
  f.left_out = {"masked_embedding."};  // says which tokens are worth a look
  f.assistant = {.input = "pre_projection",
                 .output = "post_projection",
                 .other_hidden = config.Count("backbone_hidden_size", kMaxHidden, 1536)};
  return BuildDecoder(f);
}

DecoderSpec ReadGemma4Assistant(const Config& config) {
  return ReadAssistant(config, kWindow, kContext);
}

DecoderSpec ReadGemma4UnifiedAssistant(const Config& config) {
  return ReadAssistant(config, kUnifiedWindow, kUnifiedContext);
}

// The share of a head that turns in layers that see everything: other channels have a divisor that
// leaves them where they are.
double TurningShare(const GgufKeys& keys) {
  const char* const kDivisors = "rope_freqs.weight";
  if (!keys.HasTensor(kDivisors)) return 1;
  const std::vector<float> divisors = keys.Values(kDivisors, kMaxHeadDim);
  const auto turning = std::ranges::count(divisors, 1.0f);
  for (size_t i = 0; i < divisors.size(); ++i) {
    const bool turns = i < static_cast<size_t>(turning);
    if (turns ? divisors[i] != 1 : divisors[i] < 1e20f) {
      keys.Refuse("rope.dimension_count",
                  "goes with a tensor rope_freqs.weight that does more "
                  "than to say which channels turn");
    }
  }
  return static_cast<double>(turning) / static_cast<double>(divisors.size());
}

void AddGemma4(const GgufKeys& keys, nlohmann::json& config) {
  if (ExpertCount(keys) > 0) {
    config["enable_moe_block"] = true;
    config["num_experts"] = ExpertCount(keys);
    config["top_k_experts"] = keys.Count("expert_used_count", kMaxExperts);
    AddExpertSize(keys, config);
  }
  for (const char* key : {"attention.value_length", "attention.value_length_swa"}) {
    const std::string of_keys = std::string(key).replace(10, 5, "key");
    if (keys.Has(key) && keys.Count(key, kMaxHeadDim) != keys.Count(of_keys, kMaxHeadDim)) {
      keys.Refuse(key, "differs from " + of_keys);
    }
  }
  AddGemmaLayers(keys, 6, config);
  config["num_attention_heads"] = keys.n_heads();
  config["head_dim"] = keys.Count("attention.key_length_swa", kMaxHeadDim);
  config["global_head_dim"] = keys.Count("attention.key_length", kMaxHeadDim);
  // Those that see everything may have fewer, where k is v.
  const std::vector<uint64_t> n_kv_heads = keys.PerLayer("attention.head_count_kv", kMaxHeads);
  bool k_is_v = false;
  for (size_t i = 0; i < n_kv_heads.size(); ++i) {
    const bool is_full = config["layer_types"][i] == "full_attention";
    const char* const key = is_full ? "num_global_key_value_heads" : "num_key_value_heads";
    if (config.value(key, n_kv_heads[i]) != n_kv_heads[i]) {
      keys.Refuse("attention.head_count_kv", "differs between layers of one kind");
    }
    config[key] = n_kv_heads[i];
    const std::string layer = "blk." + std::to_string(i);
    k_is_v |= keys.HasTensor(layer + ".attn_k.weight") && !keys.HasTensor(layer + ".attn_v.weight");
  }
  config["attention_k_eq_v"] = k_is_v;
  const std::vector<uint64_t> sizes = keys.PerLayer("feed_forward_length", kMaxIntermediate);
  config["intermediate_size"] = sizes.front();
  config["use_double_wide_mlp"] = sizes.back() != sizes.front();
  for (const auto& [key, dim] : {std::pair{"rope.dimension_count", "global_head_dim"},
                                 {"rope.dimension_count_swa", "head_dim"}}) {
    const uint64_t whole = config[dim];
    if (keys.Count(key, kMaxHeadDim, whole) != whole) keys.Refuse(key, "is not all of a head");
  }
  config["rope_parameters"] = {{"full_attention",
                                {{"rope_type", "proportional"},
                                 {"partial_rotary_factor", TurningShare(keys)},
                                 {"rope_theta", keys.Number("rope.freq_base", 1e6)}}},
                               {"sliding_attention",
                                {{"rope_type", "default"},
                                 {"rope_theta", keys.NumberOrAssumed("rope.freq_base_swa", 1e4)}}}};
}

}  // namespace

std::vector<Architecture> Gemma4Architectures() {
  const NameRules names = {
      {"blk.{}.layer_output_scale.weight", "model.layers.{}.layer_scalar"},
      {"blk.{}.pre_ffw_norm_2", "model.layers.{}.pre_feedforward_layernorm_2"},
      {"blk.{}.post_ffw_norm_1", "model.layers.{}.post_feedforward_layernorm_1"},
      {"blk.{}.post_ffw_norm_2", "model.layers.{}.post_feedforward_layernorm_2"},
      {"blk.{}.ffn_gate_inp", "model.layers.{}.router.proj"},
      {"blk.{}.ffn_gate_inp.scale", "model.layers.{}.router.scale"},
      {"blk.{}.ffn_gate_up_exps.weight", "model.layers.{}.experts.gate_up_proj"},
      {"blk.{}.ffn_down_exps.weight", "model.layers.{}.experts.down_proj"},
      {"blk.{}.ffn_down_exps.scale", "model.layers.{}.router.per_expert_scale"},
  };
  return {
      {.name = "Gemma4ForCausalLM",
       .model_type = "gemma4_text",
       .read = ReadGemma4,
       .gguf = "gemma4",
       .add_gguf = AddGemma4,
       .gguf_names = With(GemmaNames(), names),
       .gguf_usual_heads = false},
      {.name = "Gemma4UnifiedForCausalLM",
       .model_type = "gemma4_unified_text",
       .read = ReadGemma4Unified},
      {.name = "Gemma4AssistantForCausalLM",
       .model_type = "gemma4_assistant",
       .read = ReadGemma4Assistant},
      {.name = "Gemma4UnifiedAssistantForCausalLM",
       .model_type = "gemma4_unified_assistant",
       .read = ReadGemma4UnifiedAssistant},
  };
}

}  // namespace rondo::convert
