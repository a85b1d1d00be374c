// Encoders: BERT and RoBERTa, whose positions begin behind that of the padding: learned positions,
// biases everywhere, norms behind attention and MLP.
#include <string>
#include <utility>

#include "runtime/model/limits.h"
#include "tools/convert/architectures/architecture.h"
#include "tools/convert/architectures/bert_parts.h"
#include "tools/convert/architectures/family.h"

namespace rondo::convert {
namespace {

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

}  // namespace

std::vector<Architecture> BertArchitectures() {
  return {
      {.name = "BertModel", .model_type = "bert", .read = ReadBert, .is_encoder = true},
      {.name = "RobertaModel", .model_type = "roberta", .read = ReadRoberta, .is_encoder = true},
      {.name = "XLMRobertaModel",
       .model_type = "xlm-roberta",
       .read = ReadRoberta,
       .is_encoder = true},
  };
}

}  // namespace rondo::convert
