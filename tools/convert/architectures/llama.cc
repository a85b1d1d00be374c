// Llama: from config.json and the names of transformers' LlamaForCausalLM. Defaults are those of
// its configuration class.
#include <cmath>

#include "runtime/model/limits.h"
#include "tools/convert/architectures/architecture.h"
#include "tools/convert/rope.h"

namespace rondo::convert {
namespace {

struct Sizes {
  uint32_t vocab, hidden, intermediate, n_layers, n_heads, n_kv_heads, head_dim, context;
  double epsilon;
  bool attention_bias, mlp_bias, tied;
};

Sizes ReadSizes(const Config& config) {
  const auto integer = [&](const char* key, uint64_t high) {
    return static_cast<uint32_t>(config.Integer(key, 1, high));
  };
  Sizes s;
  s.vocab = integer("vocab_size", kMaxVocab);
  s.hidden = integer("hidden_size", kMaxHidden);
  s.intermediate = integer("intermediate_size", kMaxIntermediate);
  s.n_layers = integer("num_hidden_layers", kMaxLayers);
  s.n_heads = integer("num_attention_heads", kMaxHeads);
  s.n_kv_heads =
      static_cast<uint32_t>(config.Integer("num_key_value_heads", 1, s.n_heads, s.n_heads));
  if (s.n_heads % s.n_kv_heads != 0) {
    config.Refuse("num_key_value_heads", "does not divide num_attention_heads");
  }
  if (!config.Has("head_dim") && s.hidden % s.n_heads != 0) {
    config.Refuse("hidden_size", "is not a multiple of num_attention_heads");
  }
  s.head_dim =
      static_cast<uint32_t>(config.Integer("head_dim", 1, kMaxHeadDim, s.hidden / s.n_heads));
  if (s.head_dim % kHeadDimMultiple != 0 || s.head_dim > kMaxHeadDim || s.head_dim == 0) {
    config.Refuse("head_dim", "(or hidden_size / num_attention_heads) is " +
                                  std::to_string(s.head_dim) + ", expected a multiple of " +
                                  std::to_string(kHeadDimMultiple) + " up to " +
                                  std::to_string(kMaxHeadDim));
  }
  s.context =
      static_cast<uint32_t>(config.Integer("max_position_embeddings", 1, kMaxContext, 2048));
  s.epsilon = config.Positive("rms_norm_eps", 1e-6);
  s.attention_bias = config.Flag("attention_bias", false);
  s.mlp_bias = config.Flag("mlp_bias", false);
  s.tied = config.Flag("tie_word_embeddings", false);
  return s;
}

void RefuseWhatIsNotLlama(const Config& config) {
  const std::string activation = config.Text("hidden_act", "silu");
  if (activation != "silu") config.Refuse("hidden_act", "is " + activation + ", expected silu");
  if (config.Has("quantization_config")) {
    config.Refuse("quantization_config", "is set: convert from the checkpoint that it was made of");
  }
}

// A linear layer of stacked parts, each `{source}.weight` and with `bias` also `{source}.bias`.
LinearSpec AddLinear(DecoderSpec& spec, const std::string& name,
                     const std::vector<TensorRecipe::Part>& parts, uint64_t cols, bool bias) {
  TensorRecipe weights{name, TensorRole::kMatrix, {}, cols};
  TensorRecipe biases{name + ".bias", TensorRole::kVector, {}, 1};
  for (const TensorRecipe::Part& part : parts) {
    weights.parts.push_back({part.source + ".weight", part.rows});
    biases.parts.push_back({part.source + ".bias", part.rows});
  }
  LinearSpec linear{spec.Add(std::move(weights))};
  if (bias) linear.bias = static_cast<int32_t>(spec.Add(std::move(biases)));
  return linear;
}

NormSpec AddNorm(DecoderSpec& spec, const std::string& name, const std::string& source,
                 const Sizes& s) {
  return {s.epsilon, spec.Add({name, TensorRole::kVector, {{source, s.hidden}}, 1})};
}

LayerSpec AddLayer(DecoderSpec& spec, uint32_t index, const Sizes& s) {
  const std::string name = "layers." + std::to_string(index) + ".";
  const std::string source = "model." + name;
  const uint64_t q_rows = uint64_t{s.n_heads} * s.head_dim;
  const uint64_t kv_rows = uint64_t{s.n_kv_heads} * s.head_dim;
  LayerSpec layer;
  layer.n_heads = s.n_heads;
  layer.n_kv_heads = s.n_kv_heads;
  layer.head_dim = s.head_dim;
  layer.rope = 0;
  layer.score_scale = static_cast<float>(1.0 / std::sqrt(static_cast<double>(s.head_dim)));
  layer.intermediate_size = s.intermediate;
  layer.attention_norm =
      AddNorm(spec, name + "attention.norm", source + "input_layernorm.weight", s);
  layer.qkv = AddLinear(spec, name + "attention.qkv",
                        {{source + "self_attn.q_proj", q_rows},
                         {source + "self_attn.k_proj", kv_rows},
                         {source + "self_attn.v_proj", kv_rows}},
                        s.hidden, s.attention_bias);
  layer.output = AddLinear(spec, name + "attention.output",
                           {{source + "self_attn.o_proj", s.hidden}}, q_rows, s.attention_bias);
  layer.mlp_norm = AddNorm(spec, name + "mlp.norm", source + "post_attention_layernorm.weight", s);
  layer.gate_up = AddLinear(
      spec, name + "mlp.gate_up",
      {{source + "mlp.gate_proj", s.intermediate}, {source + "mlp.up_proj", s.intermediate}},
      s.hidden, s.mlp_bias);
  layer.down = AddLinear(spec, name + "mlp.down", {{source + "mlp.down_proj", s.hidden}},
                         s.intermediate, s.mlp_bias);
  spec.ignored.insert(source + "self_attn.rotary_emb.inv_freq");  // old exports: it is computed
  return layer;
}

}  // namespace

DecoderSpec ReadLlama(const Config& config) {
  RefuseWhatIsNotLlama(config);
  const Sizes s = ReadSizes(config);
  DecoderSpec spec;
  spec.vocab_size = s.vocab;
  spec.hidden_size = s.hidden;
  spec.context_length = s.context;
  spec.ropes.push_back(ReadRope(config, s.head_dim, s.context));
  const auto add_vocabulary = [&](const char* name, const char* source) {
    return spec.Add({name, TensorRole::kEmbedding, {{source, s.vocab}}, s.hidden});
  };
  spec.embedding = add_vocabulary("embedding", "model.embed_tokens.weight");
  for (uint32_t i = 0; i < s.n_layers; ++i) spec.layers.push_back(AddLayer(spec, i, s));
  spec.final_norm = AddNorm(spec, "final_norm", "model.norm.weight", s);
  const char* const kHead = "lm_head.weight";
  if (s.tied) {
    spec.head = {spec.embedding};
    spec.ignored.insert(kHead);  // some exports hold the embedding twice
  } else {
    spec.head = {add_vocabulary("head", kHead)};
  }
  return spec;
}

}  // namespace rondo::convert
