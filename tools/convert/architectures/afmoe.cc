// AFMoE (Trinity) and Laguna: what attention makes goes through a gate, by channel or by head;
// experts by sigmoid and a bias of the choice, beside shared ones.
#include <cmath>

#include "runtime/model/limits.h"
#include "tools/convert/architectures/architecture.h"
#include "tools/convert/architectures/experts_config.h"
#include "tools/convert/architectures/family.h"

namespace rondo::convert {
namespace {

Family GatedFamily(const Config& config, const SizeKeys& keys, double epsilon) {
  Family f = ReadFamily(config, keys, {.epsilon = epsilon, .turning = 0, .attention_bias = false});
  f.attention.head_norm = HeadNorm::kShared;
  f.attention.gate = format::GateKind::kSigmoid;
  return f;
}

Experts SigmoidExperts(const Config& config, const Family& f, const ExpertKeys& keys) {
  Experts experts = ReadExperts(config, f, keys);
  experts.scoring = format::Scoring::kSigmoid;
  experts.normalize = true;
  return experts;
}

DecoderSpec ReadAfmoe(const Config& config) {
  Family f = GatedFamily(config, {.default_head_dim = 128, .default_context = 16384}, 1e-5);
  f.attention.post_norm = "post_attention_layernorm";
  f.mlp.pre_norm = "pre_mlp_layernorm";
  f.mlp.post_norm = "post_mlp_layernorm";
  f.attention.names.gate = "self_attn.gate_proj";
  if (config.Flag("mup_enabled", false)) {
    f.embedding_scale = static_cast<float>(std::sqrt(static_cast<double>(f.sizes.hidden)));
  }
  // Layers with a window turn, the others do not.
  f.ropes = {ReadRope(config, {f.sizes.head_dim, f.sizes.context})};
  const uint64_t interval = config.Integer("global_attn_every_n_layers", 1, kMaxLayers, 4);
  const std::vector<uint32_t> windows =
      ReadWindows(config, f.sizes, ReadWindow(config, 1024),
                  [interval](uint32_t i) { return (i + 1) % interval != 0; });
  Experts experts = SigmoidExperts(config, f,
                                   {.n_experts = "num_experts",
                                    .default_experts = 64,
                                    .default_used = 6,
                                    .intermediate = "moe_intermediate_size",
                                    .default_intermediate = 1408});
  experts.names.router = "mlp.router.gate";
  experts.names.choice_bias = "mlp.expert_bias";
  experts.normalize_epsilon = 1e-20f;
  experts.weight_scale = static_cast<float>(config.Number("route_scale", 1));
  const char* const kShared = "num_shared_experts";
  ShareExperts(config, kShared, config.Integer(kShared, 1, kMaxExperts, 2), experts);
  const uint64_t dense = config.Integer("num_dense_layers", 0, kMaxLayers, 1);
  f.AddLayers(windows, {.full = -1, .sliding = 0});
  f.PlaceExperts(experts, [dense](uint32_t i) { return i >= dense; });
  return BuildDecoder(f);
}

// How many heads each layer has.
std::vector<uint32_t> LayerHeads(const Config& config, const Sizes& sizes) {
  const char* const kHeads = "num_attention_heads_per_layer";
  std::vector<uint32_t> heads;
  for (const uint64_t n : config.Integers(kHeads, kMaxHeads)) {
    if (n == 0 || n % sizes.n_kv_heads != 0) {
      config.Refuse(kHeads, "holds " + std::to_string(n) + ", which is not a multiple of the " +
                                std::to_string(sizes.n_kv_heads) + " heads of keys");
    }
    heads.push_back(static_cast<uint32_t>(n));
  }
  if (!heads.empty() && heads.size() != sizes.n_layers) {
    config.Refuse(kHeads, "does not have an entry for each layer");
  }
  return heads;
}

DecoderSpec ReadLaguna(const Config& config) {
  Family f = GatedFamily(
      config, {.default_kv_heads = 8, .default_head_dim = 128, .default_context = 131072}, 1e-6);
  f.attention.names.gate = "self_attn.g_proj";
  f.attention.gate = format::GateKind::kSoftplus;
  f.attention.gate_by_head = true;
  const std::vector<uint32_t> heads = LayerHeads(config, f.sizes);
  f.ropes = ReadRopesByWindow(config, {f.sizes.head_dim, f.sizes.context, 500000, 0.5},
                              {f.sizes.head_dim, f.sizes.context, 10000});
  const std::vector<uint32_t> windows =
      ReadWindows(config, f.sizes, ReadWindow(config, 512), [](uint32_t) { return false; });
  if (config.Flag("moe_apply_router_weight_on_input", false)) {
    config.Refuse("moe_apply_router_weight_on_input", "is true, which is not known");
  }
  if (config.Number("moe_router_logit_softcapping", 0) != 0) {
    config.Refuse("moe_router_logit_softcapping",
                  "is not 0: a router without a cap is all that is known");
  }
  Experts experts = SigmoidExperts(config, f,
                                   {.n_experts = "num_experts",
                                    .default_experts = 256,
                                    .default_used = 8,
                                    .intermediate = "moe_intermediate_size",
                                    .default_intermediate = 512});
  experts.names.choice_bias = "mlp.gate.e_score_correction_bias";
  experts.weight_scale = static_cast<float>(config.Number("moe_routed_scaling_factor", 1));
  experts.Share("mlp.shared_experts.",
                config.Count("shared_expert_intermediate_size", kMaxIntermediate, 512));
  // As it is published.
  f.other_names = {
      {"mlp.gate.e_score_correction_bias", "mlp.experts.e_score_correction_bias"},
      {"mlp.shared_experts.", "mlp.shared_expert."},
  };
  f.AddLayers(windows, {.full = 0, .sliding = 1});
  for (size_t i = 0; i < heads.size(); ++i) f.layers[i].attention().n_heads = heads[i];
  f.PlaceExperts(experts, SparseLayers(config, f.sizes, 1));
  return BuildDecoder(f);
}

}  // namespace

std::vector<Architecture> AfmoeArchitectures() {
  return {
      {.name = "AfmoeForCausalLM", .model_type = "afmoe", .read = ReadAfmoe},
      {.name = "LagunaForCausalLM", .model_type = "laguna", .read = ReadLaguna},
  };
}

}  // namespace rondo::convert
