// Encoders: BERT and RoBERTa, whose positions begin behind that of the padding: learned positions,
// biases everywhere, norms behind attention and MLP. NomicBERT: RoPE and a gate in their place.
#include <algorithm>
#include <string>
#include <utility>

#include "runtime/model/limits.h"
#include "tools/convert/architectures/architecture.h"
#include "tools/convert/architectures/family.h"

namespace rondo::convert {
namespace {

// Every text is of the first type.
void AddTokenType(const Config& config, const std::string& tensor, Family& f) {
  const uint64_t types = config.Integer("type_vocab_size", 0, kMaxVocab, 2);
  if (types == 0) return;
  const uint64_t hidden = f.sizes.hidden;
  f.embedding_offset = {
      "token_type", TensorRole::kVector, {{f.prefix + tensor, hidden, 0, {types, hidden}}}, 1};
}

// What predicts tokens, or the next sentence, stands under one of these names.
DecoderSpec BuildEncoder(Family f) {
  const std::string prefix = f.prefix;
  f.tied = true;  // there is no head
  f.attention.bidirectional = true;
  f.final_norm = "";
  for (const char* part : {"pooler.", "cls.", "lm_head."}) {
    f.left_out.emplace_back(part);
    f.left_out.push_back(prefix + part);
  }
  DecoderSpec spec = BuildDecoder(std::move(f));
  spec.ignored.insert(prefix + "embeddings.position_ids");
  return spec;
}

Family BertFamily(const Config& config, const char* prefix, double epsilon, uint32_t padding) {
  Family f(ReadSizes(config, {.default_context = 512, .without_kv_heads = "this architecture"}));
  const std::string kind = config.Text("position_embedding_type", "absolute");
  if (kind != "absolute") {
    config.Refuse("position_embedding_type", "is " + kind + "; known: absolute");
  }
  if (config.Flag("is_decoder", false)) config.Refuse("is_decoder", "is true, which is not known");
  f.norm = format::NormKind::kLayerNorm;
  f.epsilon = config.Positive("layer_norm_eps", epsilon);
  f.norm_bias = f.attention.qkv_bias = f.attention.output_bias = f.mlp.bias = true;
  f.prefix = prefix;
  f.layer_prefix = "encoder.layer.";
  f.embedding = "embeddings.word_embeddings";
  f.embedding_norm = "embeddings.LayerNorm";
  if (padding >= f.sizes.context) {
    config.Refuse("max_position_embeddings", "leaves no position behind that of the padding");
  }
  f.sizes.context -= padding;
  f.LearnPositions("embeddings.position_embeddings", padding);
  AddTokenType(config, "embeddings.token_type_embeddings.weight", f);
  f.attention.names.q = "attention.self.query";
  f.attention.names.k = "attention.self.key";
  f.attention.names.v = "attention.self.value";
  f.attention.names.output = "attention.output.dense";
  f.attention.pre_norm = f.mlp.pre_norm = "";
  f.attention.residual_norm = "attention.output.LayerNorm";
  f.mlp.residual_norm = "output.LayerNorm";
  f.mlp.Ungate("intermediate.dense", "output.dense");
  f.mlp.activation = ReadActivation(config, "hidden_act", "gelu");
  // Checkpoints that were TensorFlow's.
  f.other_names = {{"LayerNorm.weight", "LayerNorm.gamma"}, {"LayerNorm.bias", "LayerNorm.beta"}};
  return f;
}

DecoderSpec ReadBert(const Config& config) {
  return BuildEncoder(BertFamily(config, "bert.", 1e-12, 0));
}

DecoderSpec ReadRoberta(const Config& config) {
  const auto padding = static_cast<uint32_t>(config.Integer("pad_token_id", 0, kMaxContext, 1));
  return BuildEncoder(BertFamily(config, "roberta.", 1e-12, padding + 1));
}

DecoderSpec ReadNomicBert(const Config& config) {
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
  f.ignored = {"attn.rotary_emb.inv_freq"};
  f.norm = format::NormKind::kLayerNorm;
  f.epsilon = config.Positive("layer_norm_epsilon", 1e-5);
  f.norm_bias = true;
  f.prefix = "bert.";
  f.layer_prefix = "encoder.layers.";
  f.embedding = "embeddings.word_embeddings";
  f.embedding_norm = "emb_ln";
  AddTokenType(config, "embeddings.token_type_embeddings.weight", f);
  f.ropes = {PlainRope(config, config.Positive("rotary_emb_base", 10000),
                       {f.sizes.head_dim, f.sizes.context})};
  f.attention.FuseQkv("attn.Wqkv");
  f.attention.names.output = "attn.out_proj";
  f.attention.qkv_bias = config.Flag("qkv_proj_bias", true);
  f.attention.output_bias = f.attention.qkv_bias;
  f.attention.pre_norm = f.mlp.pre_norm = "";
  f.attention.residual_norm = "norm1";
  f.mlp.residual_norm = "norm2";
  f.mlp.names.gate = "mlp.fc12";
  f.mlp.names.down = "mlp.fc2";
  f.mlp.names.up = "mlp.fc11";
  f.mlp.bias = config.Flag("mlp_fc1_bias", true);
  if (config.Flag("mlp_fc2_bias", true) != f.mlp.bias) {
    config.Refuse("mlp_fc2_bias", "is not as mlp_fc1_bias");
  }
  return BuildEncoder(std::move(f));
}

}  // namespace

std::vector<Architecture> BertArchitectures() {
  return {
      {.name = "BertModel", .model_type = "bert", .read = ReadBert, .is_encoder = true},
      {.name = "RobertaModel", .model_type = "roberta", .read = ReadRoberta, .is_encoder = true},
      {.name = "XLMRobertaModel",
       .model_type = "xlm-roberta",
       .read = ReadRoberta,
       .is_encoder = true},
      {.name = "NomicBertModel",
       .model_type = "nomic_bert",
       .read = ReadNomicBert,
       .is_encoder = true},
  };
}

}  // namespace rondo::convert
