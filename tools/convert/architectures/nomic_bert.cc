// NomicBERT, an encoder: BERT with RoPE and a gate, in the keys of its makers' own code or of
// transformers 5.
#include <algorithm>
#include <utility>

#include "runtime/model/limits.h"
#include "tools/convert/architectures/architecture.h"
#include "tools/convert/architectures/bert_parts.h"
#include "tools/convert/architectures/family.h"
#include "tools/convert/architectures/rope.h"

namespace rondo::convert {
namespace {

// All that no key says.
DecoderSpec Build(const Config& config, Family f) {
  f.ignored = {"attn.rotary_emb.inv_freq"};
  f.norm = format::NormKind::kLayerNorm;
  f.norm_bias = true;
  f.prefix = "bert.";
  f.layer_prefix = "encoder.layers.";
  f.embedding = "embeddings.word_embeddings";
  f.embedding_norm = "emb_ln";
  AddTokenType(config, "embeddings.token_type_embeddings.weight", f);
  f.attention.FuseQkv("attn.Wqkv");
  f.attention.names.output = "attn.out_proj";
  f.attention.output_bias = f.attention.qkv_bias;
  f.attention.pre_norm = f.mlp.pre_norm = "";
  f.attention.residual_norm = "norm1";
  f.mlp.residual_norm = "norm2";
  f.mlp.names.gate = "mlp.fc12";
  f.mlp.names.down = "mlp.fc2";
  f.mlp.names.up = "mlp.fc11";
  return BuildEncoder(std::move(f));
}

// As transformers 5 saves it.
DecoderSpec ReadNew(const Config& config) {
  Family f(ReadSizes(config, {.default_context = 2048, .without_kv_heads = "this architecture"}));
  f.epsilon = config.Positive("layer_norm_eps", 1e-12);
  f.ropes = {ReadRope(config, {f.sizes.head_dim, f.sizes.context})};
  f.mlp.activation = ReadActivation(config, "hidden_act", "silu");
  f.attention.qkv_bias = config.Flag("attention_bias", false);
  f.mlp.bias = config.Flag("mlp_bias", false);
  return Build(config, std::move(f));
}

DecoderSpec ReadNomicBert(const Config& config) {
  if (!config.Has("n_embd") && config.Has("hidden_size")) return ReadNew(config);
  Family f(ReadSizes(config, {.hidden = "n_embd",
                              .n_layers = "n_layer",
                              .n_heads = "n_head",
                              .context = "n_positions",
                              .intermediate = "n_inner",
                              .four_times = true,
                              .without_kv_heads = "this architecture"}));
  const auto require = [&](const char* key, bool value, bool if_absent) {
    if (config.Flag(key, if_absent) == value) return;
    config.Refuse(key, value ? "is false, which is not known" : "is true, which is not known");
  };
  require("prenorm", false, true);
  require("rotary_emb_interleaved", false, false);
  require("causal", false, false);
  require("parallel_block", false, false);
  require("use_rms_norm", false, false);
  if (config.Has("rotary_emb_scale_base")) {
    config.Refuse("rotary_emb_scale_base", "is set, which is not known");
  }
  if (config.Number("moe_every_n_layers", 0.0) > 0) {
    config.Refuse("moe_every_n_layers", "is set: experts are not known here");
  }
  if (config.Text("activation_function", "gelu") != "swiglu") {
    config.Refuse("activation_function", "is not swiglu");
  }
  const double share = config.Number("rotary_emb_fraction", 0.0);
  if (share != 1) config.Refuse("rotary_emb_fraction", "is not 1");
  // Longer texts turn by other frequencies, by their own lengths.
  if (config.Has("rotary_scaling_factor")) {
    f.sizes.context =
        std::min(f.sizes.context, config.Count("max_trained_positions", kMaxContext, 2048));
  }
  f.epsilon = config.Positive("layer_norm_epsilon", 1e-5);
  f.ropes = {PlainRope(config, config.Positive("rotary_emb_base", 10000),
                       {f.sizes.head_dim, f.sizes.context})};
  f.attention.qkv_bias = config.Flag("qkv_proj_bias", true);
  f.mlp.bias = config.Flag("mlp_fc1_bias", true);
  if (config.Flag("mlp_fc2_bias", true) != f.mlp.bias) {
    config.Refuse("mlp_fc2_bias", "is not as mlp_fc1_bias");
  }
  return Build(config, std::move(f));
}

}  // namespace

std::vector<Architecture> NomicBertArchitectures() {
  return {{.name = "NomicBertModel",
           .model_type = "nomic_bert",
           .read = ReadNomicBert,
           .is_encoder = true}};
}

}  // namespace rondo::convert
