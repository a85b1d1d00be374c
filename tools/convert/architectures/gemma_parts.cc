#include "tools/convert/architectures/gemma_parts.h"

#include <cmath>

#include "runtime/model/limits.h"

namespace rondo::convert {

std::vector<RopeSpec> ReadTwoRopes(const Config& config, const RopeRequest& request) {
  const auto parameters = config.Object("rope_parameters");
  const auto full = parameters ? parameters->Object("full_attention") : std::nullopt;
  const auto sliding = parameters ? parameters->Object("sliding_attention") : std::nullopt;
  RopeRequest local = request;
  local.theta = config.Positive("rope_local_base_freq", 10000);
  return {full ? ReadRope(config, *full, request) : ReadRope(config, request),
          sliding ? ReadRope(config, *sliding, local) : PlainRope(config, local.theta, local)};
}

void ShareKeys(const Config& config, uint32_t shared, Family& f) {
  if (shared == 0) return;
  const uint32_t n_layers = f.sizes.n_layers, first = n_layers - shared;
  f.layer_kv_layer.assign(n_layers, -1);
  for (uint32_t i = first; i < n_layers; ++i) {
    for (uint32_t owner = 0; owner < first; ++owner) {
      if ((f.layer_window[owner] == 0) == (f.layer_window[i] == 0)) {
        f.layer_kv_layer[i] = static_cast<int32_t>(owner);
      }
    }
    if (f.layer_kv_layer[i] < 0) {
      config.Refuse("num_kv_shared_layers",
                    "leaves layer " + std::to_string(i) + " none of its kind to share with");
    }
  }
  // Of layers that share keys, checkpoints may hold what is not used.
  f.ignored = {"self_attn.k_proj.weight", "self_attn.v_proj.weight", "self_attn.k_norm.weight",
               "self_attn.v_norm.weight"};
}

void AddLayerEmbeddings(const Config& config, Family& f) {
  const char* const kSize = "hidden_size_per_layer_input";
  if (config.Mentions(kSize) && config.Integer(kSize, 0, kMaxHidden, 0) == 0) return;
  const auto size = static_cast<uint32_t>(config.Integer(kSize, 1, kMaxHidden, 256));
  f.layer_embeddings = Family::LayerEmbeddings{
      .size = size,
      .vocab =
          static_cast<uint32_t>(config.Integer("vocab_size_per_layer_input", 1, kMaxVocab, 262144)),
      .table_scale = std::sqrt(static_cast<float>(size)),
      .projection_scale = static_cast<float>(1 / std::sqrt(static_cast<double>(f.sizes.hidden))),
      .scale = static_cast<float>(std::sqrt(0.5)),
  };
}

}  // namespace rondo::convert
