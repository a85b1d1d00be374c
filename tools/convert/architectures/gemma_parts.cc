#include "tools/convert/architectures/gemma_parts.h"

#include <cmath>

#include "runtime/model/limits.h"
#include "tools/convert/sources/gguf/gguf_config.h"

namespace rondo::convert {

void ReadGemmaLayers(const Config& config, Family& f) {
  f.epsilon = config.Positive("rms_norm_eps", 1e-6);
  f.activation = ReadActivation(config, "hidden_activation", "gelu_pytorch_tanh");
  f.qkv_bias = f.output_bias = config.Flag("attention_bias", false);
  f.embedding_scale = std::sqrt(static_cast<float>(f.sizes.hidden));
  f.tied = config.Flag("tie_word_embeddings", true);
  f.attention_post_norm = "post_attention_layernorm";
  f.mlp_norm = "pre_feedforward_layernorm";
  f.mlp_post_norm = "post_feedforward_layernorm";
  f.head_norm = Family::HeadNorm::kShared;
  f.v_norm = true;
  f.layer_scale.assign(f.sizes.n_layers, 1.0f);
}

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

NameRules GemmaNames() {
  return With(UsualNames(),
              {
                  {"per_layer_token_embd", "model.embed_tokens_per_layer"},
                  {"per_layer_model_proj", "model.per_layer_model_projection"},
                  {"per_layer_proj_norm", "model.per_layer_projection_norm"},
                  {"blk.{}.post_attention_norm", "model.layers.{}.post_attention_layernorm"},
                  {"blk.{}.ffn_norm", "model.layers.{}.pre_feedforward_layernorm"},
                  {"blk.{}.post_ffw_norm", "model.layers.{}.post_feedforward_layernorm"},
                  {"blk.{}.inp_gate", "model.layers.{}.per_layer_input_gate"},
                  {"blk.{}.proj", "model.layers.{}.per_layer_projection"},
                  {"blk.{}.post_norm", "model.layers.{}.post_per_layer_input_norm"},
              });
}

void AddGemmaLayers(const GgufKeys& keys, uint64_t period, nlohmann::json& config) {
  AddWindow(keys, config);
  AddSlidingLayers(keys, period, config);
  config["hidden_activation"] = "gelu_pytorch_tanh";
  config["num_kv_shared_layers"] = keys.Count("attention.shared_kv_layers", kMaxLayers, 0);
  config["hidden_size_per_layer_input"] =
      keys.Count("embedding_length_per_layer_input", kMaxHidden, 0);
  config["vocab_size_per_layer_input"] = config["vocab_size"];
  if (keys.Has("final_logit_softcapping")) {
    config["final_logit_softcapping"] = keys.Number("final_logit_softcapping");
  }
}

}  // namespace rondo::convert
