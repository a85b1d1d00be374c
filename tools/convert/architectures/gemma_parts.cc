#include "tools/convert/architectures/gemma_parts.h"

#include <cmath>

#include "runtime/model/limits.h"
#include "tools/convert/architectures/sublayers/sublayer_builder.h"
#include "tools/convert/sources/gguf/gguf_config.h"

namespace rondo::convert {

void ReadGemmaLayers(const Config& config, Family& f) {
  f.epsilon = config.Positive("rms_norm_eps", 1e-6);
  f.mlp.activation = ReadActivation(config, "hidden_activation", "gelu_pytorch_tanh");
  f.attention.qkv_bias = f.attention.output_bias = config.Flag("attention_bias", false);
  f.embedding_scale = std::sqrt(static_cast<float>(f.sizes.hidden));
  f.tied = config.Flag("tie_word_embeddings", true);
  f.attention.post_norm = "post_attention_layernorm";
  f.mlp.pre_norm = "pre_feedforward_layernorm";
  f.mlp.post_norm = "post_feedforward_layernorm";
  f.attention.head_norm = HeadNorm::kShared;
  f.attention.normalize_v = true;
  f.attention.score_scale = 1.0f;
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
  for (uint32_t i = first; i < n_layers; ++i) {
    Attention& attention = f.layers[i].attention();
    for (uint32_t owner = 0; owner < first; ++owner) {
      if ((f.layers[owner].attention().window == 0) == (attention.window == 0)) {
        attention.kv_layer = static_cast<int32_t>(owner);
      }
    }
    if (attention.kv_layer < 0) {
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
  LayerEmbeddings all;
  all.size = config.Count(kSize, kMaxHidden, 256);
  all.vocab = config.Count("vocab_size_per_layer_input", kMaxVocab, 262144);
  all.table_scale = std::sqrt(static_cast<float>(all.size));
  all.projection_scale = static_cast<float>(1 / std::sqrt(static_cast<double>(f.sizes.hidden)));
  all.scale = static_cast<float>(std::sqrt(0.5));
  f.before_layers.push_back(
      [all](SublayerBuilder& b) { b.spec().layer_embeddings = Build(all, b); });
  LayerEmbedding own;
  own.size = all.size;
  own.activation = f.mlp.activation;
  for (Layer& layer : f.layers) layer.sublayers.emplace_back(own);
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
