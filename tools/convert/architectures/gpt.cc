// GPT-2: learned positions, one tensor for q, k and v, matrices kept as [inputs, outputs].
// GPT-BigCode (StarCoder): the same with one head of k and v. GPT-Neo: windows in every other
// layer. GPT-NeoX: partial RoPE, q, k and v head by head, attention and MLP side by side.
// StarCoder2 and StableLM: LayerNorm in Llama's or GPT-2's frame.
#include <cmath>

#include "runtime/model/limits.h"
#include "tools/convert/architectures/architecture.h"
#include "tools/convert/architectures/family.h"
#include "tools/convert/sources/gguf/gguf_config.h"

namespace rondo::convert {
namespace {

using nlohmann::json;

Family GptFamily(const Config& config, const SizeKeys& keys, const char* activation) {
  if (config.Flag("add_cross_attention", false)) {
    config.Refuse("add_cross_attention", "is true: only decoders by themselves are known");
  }
  Family f = ReadFamily(config, keys,
                        {.norm = format::NormKind::kLayerNorm,
                         .epsilon_key = "layer_norm_epsilon",
                         .epsilon = 1e-5,
                         .activation_key = "activation_function",
                         .activation = activation,
                         .turning = 0,
                         .tied = true});
  f.norm_bias = f.attention.output_bias = f.mlp.bias = true;
  f.prefix = "transformer.";
  f.layer_prefix = "h.";
  f.embedding = "wte";
  f.LearnPositions("wpe");
  f.final_norm = "ln_f";
  f.attention.pre_norm = "ln_1";
  f.mlp.pre_norm = "ln_2";
  f.mlp.Ungate("mlp.c_fc", "mlp.c_proj");
  return f;
}

Family Gpt2Family(const Config& config, const char* activation) {
  Family f = GptFamily(config,
                       {.hidden = "n_embd",
                        .n_layers = "n_layer",
                        .n_heads = "n_head",
                        .context = "n_positions",
                        .intermediate = "n_inner",
                        .four_times = true,
                        .default_context = 1024},
                       activation);
  f.attention.qkv_bias = true;
  f.attention.FuseQkv("attn.c_attn");
  f.attention.names.output = "attn.c_proj";
  f.ignored = {"attn.bias", "attn.masked_bias"};  // old exports: the causal mask
  const double scale =
      config.Flag("scale_attn_weights", true) ? 1 / std::sqrt(f.sizes.head_dim) : 1;
  f.attention.score_scale = static_cast<float>(scale);
  return f;
}

DecoderSpec ReadGpt2(const Config& config) {
  Family f = Gpt2Family(config, "gelu_new");
  if (f.sizes.n_heads != f.sizes.n_kv_heads) {
    config.Refuse("num_key_value_heads", "is set, which GPT-2 does not know");
  }
  f.transposed = true;
  if (config.Flag("scale_attn_by_inverse_layer_idx", false)) {
    f.AddLayers();
    for (uint32_t i = 0; i < f.sizes.n_layers; ++i) {
      f.layers[i].attention().score_scale /= static_cast<float>(i + 1);
    }
  }
  return BuildDecoder(f);
}

DecoderSpec ReadGptBigCode(const Config& config) {
  Family f = Gpt2Family(config, "gelu_pytorch_tanh");
  if (config.Flag("multi_query", true)) {
    f.attention.n_kv_heads = 1;
  } else {
    f.attention.n_kv_heads = f.sizes.n_heads;
    f.attention.first_row = HeadByHead(f.sizes.head_dim);
  }
  return BuildDecoder(f);
}

DecoderSpec ReadGptNeo(const Config& config) {
  Family f = GptFamily(
      config, {.n_layers = "num_layers", .n_heads = "num_heads", .four_times = true}, "gelu_new");
  f.attention.names.q = "attn.attention.q_proj";
  f.attention.names.k = "attn.attention.k_proj";
  f.attention.names.v = "attn.attention.v_proj";
  f.attention.names.output = "attn.attention.out_proj";
  f.ignored = {"attn.attention.bias", "attn.attention.masked_bias"};
  f.attention.score_scale = 1.0f;
  const auto window = config.Count("window_size", kMaxContext, 256);
  const char* const kLayers = "attention_layers";
  std::vector<bool> global = ReadLayerTypes(config, kLayers, f.sizes.n_layers, "global", "local");
  if (global.empty() && config.Has("attention_types")) {
    config.Refuse(kLayers, "is missing beside attention_types");
  }
  std::vector<uint32_t> windows;
  for (uint32_t i = 0; i < f.sizes.n_layers; ++i) {
    windows.push_back((global.empty() ? i % 2 == 0 : global[i]) ? 0 : window);
  }
  f.AddLayers(windows);
  return BuildDecoder(f);
}

DecoderSpec ReadGptNeox(const Config& config) {
  Family f = ReadFamily(config, {},
                        {.norm = format::NormKind::kLayerNorm,
                         .epsilon_key = "layer_norm_eps",
                         .epsilon = 1e-5,
                         .activation = "gelu",
                         .turning = 0.25,
                         .attention_bias = true});
  f.norm_bias = f.mlp.bias = true;
  f.prefix = "gpt_neox.";
  f.embedding = "embed_in";
  f.final_norm = "final_layer_norm";
  f.head = "embed_out";
  f.attention.FuseQkv("attention.query_key_value", HeadByHead(f.sizes.head_dim));
  f.attention.names.output = "attention.dense";
  f.mlp.Ungate("mlp.dense_h_to_4h", "mlp.dense_4h_to_h");
  f.mlp.reads_previous_input = config.Flag("use_parallel_residual", true);
  f.ignored = {"attention.bias", "attention.masked_bias", "attention.rotary_emb.inv_freq"};
  return BuildDecoder(f);
}

DecoderSpec ReadStarcoder2(const Config& config) {
  Family f = ReadFamily(config, {.default_kv_heads = 2, .default_context = 4096},
                        {.norm = format::NormKind::kLayerNorm,
                         .epsilon_key = "norm_epsilon",
                         .epsilon = 1e-5,
                         .activation = "gelu_pytorch_tanh",
                         .tied = true});
  f.norm_bias = true;
  f.attention.qkv_bias = f.attention.output_bias = f.mlp.bias = config.Flag("use_bias", true);
  f.mlp.Ungate("mlp.c_fc", "mlp.c_proj");
  const std::vector<uint32_t> windows =
      ReadWindows(config, f.sizes, ReadWindow(config, 0), [](uint32_t) { return true; });
  f.AddLayers(windows);
  return BuildDecoder(f);
}

DecoderSpec ReadStableLm(const Config& config) {
  Family f = ReadFamily(config, {.default_kv_heads = 32, .default_context = 4096},
                        {.norm = format::NormKind::kLayerNorm,
                         .epsilon_key = "layer_norm_eps",
                         .epsilon = 1e-5,
                         .turning = 0.25});
  f.norm_bias = true;
  f.attention.qkv_bias = config.Flag("use_qkv_bias", false);
  if (config.Flag("qk_layernorm", false)) {
    f.attention.head_norm = HeadNorm::kPerHead;
    f.attention.names.q_norm = "self_attn.q_layernorm";
    f.attention.names.k_norm = "self_attn.k_layernorm";
  }
  f.mlp.reads_previous_input = config.Flag("use_parallel_residual", false);
  if (f.mlp.reads_previous_input) f.mlp.pre_norm = f.attention.pre_norm;
  f.ignored = {"self_attn.rotary_emb.inv_freq"};
  return BuildDecoder(f);
}

// GPT-2's config.json has other names for everything.
void AddGpt2(const GgufKeys& keys, json& config) {
  config = {{"architectures", config["architectures"]},
            {"model_type", config["model_type"]},
            {"vocab_size", config["vocab_size"]},
            {"tie_word_embeddings", config["tie_word_embeddings"]},
            {"activation_function", "gelu_new"},
            {"layer_norm_epsilon", keys.Number("attention.layer_norm_epsilon")},
            {"n_embd", config["hidden_size"]},
            {"n_head", config["num_attention_heads"]},
            {"n_inner", config["intermediate_size"]},
            {"n_layer", config["num_hidden_layers"]},
            {"num_key_value_heads", config["num_key_value_heads"]},
            {"n_positions", config["max_position_embeddings"]}};
}

void AddStarcoder(const GgufKeys& keys, json& config) {
  const bool multi_query = keys.n_kv_heads() == 1;
  AddGpt2(keys, config);
  config["multi_query"] = multi_query;
  config.erase("num_key_value_heads");
  config["activation_function"] = "gelu_pytorch_tanh";
}

void AddParallel(const GgufKeys& keys, json& config) {
  const char* const kKey = "use_parallel_residual";
  if (!keys.Has(kKey)) keys.NoteAssumed(kKey, "true");
  config[kKey] = keys.Flag(kKey, true);
}

void AddGptNeoX(const GgufKeys& keys, json& config) {
  config["hidden_act"] = "gelu";
  config["layer_norm_eps"] = keys.Number("attention.layer_norm_epsilon");
  AddParallel(keys, config);
  config["attention_bias"] = true;
}

void AddStarcoder2(const GgufKeys& keys, json& config) {
  AddWindow(keys, config);
  config["hidden_act"] = "gelu_pytorch_tanh";
  config["norm_epsilon"] = keys.Number("attention.layer_norm_epsilon");
  config["use_bias"] = keys.HasTensor("blk.0.attn_q.bias");
}

void AddStableLm(const GgufKeys& keys, json& config) {
  config["layer_norm_eps"] = keys.Number("attention.layer_norm_epsilon");
  config["use_qkv_bias"] = keys.HasTensor("blk.0.attn_q.bias");
  config["qk_layernorm"] = keys.HasTensor("blk.0.attn_q_norm.weight");
  AddParallel(keys, config);
}

}  // namespace

std::vector<Architecture> GptArchitectures() {
  const NameRules gpt2 = {
      {"token_embd", "transformer.wte"},
      {"position_embd", "transformer.wpe"},
      {"output_norm", "transformer.ln_f"},
      {"output", "lm_head"},
      {"blk.{}.attn_norm", "transformer.h.{}.ln_1"},
      {"blk.{}.attn_qkv", "transformer.h.{}.attn.c_attn", Change::kTransposed},
      {"blk.{}.attn_output", "transformer.h.{}.attn.c_proj", Change::kTransposed},
      {"blk.{}.ffn_norm", "transformer.h.{}.ln_2"},
      {"blk.{}.ffn_up", "transformer.h.{}.mlp.c_fc", Change::kTransposed},
      {"blk.{}.ffn_down", "transformer.h.{}.mlp.c_proj", Change::kTransposed},
  };
  NameRules starcoder = gpt2;
  for (NameRule& rule : starcoder) rule.change = Change::kNone;
  const NameRules gpt_neox = {
      {"token_embd", "gpt_neox.embed_in"},
      {"output_norm", "gpt_neox.final_layer_norm"},
      {"output", "embed_out"},
      {"blk.{}.attn_norm", "gpt_neox.layers.{}.input_layernorm"},
      {"blk.{}.attn_qkv", "gpt_neox.layers.{}.attention.query_key_value", Change::kGroupedQkv},
      {"blk.{}.attn_output", "gpt_neox.layers.{}.attention.dense"},
      {"blk.{}.ffn_norm", "gpt_neox.layers.{}.post_attention_layernorm"},
      {"blk.{}.ffn_up", "gpt_neox.layers.{}.mlp.dense_h_to_4h"},
      {"blk.{}.ffn_down", "gpt_neox.layers.{}.mlp.dense_4h_to_h"},
  };
  const NameRules starcoder2 = {
      {"blk.{}.ffn_up", "model.layers.{}.mlp.c_fc"},
      {"blk.{}.ffn_down", "model.layers.{}.mlp.c_proj"},
  };
  const NameRules stablelm = {
      {"blk.{}.attn_q_norm", "model.layers.{}.self_attn.q_layernorm.norms.{}", Change::kHeads},
      {"blk.{}.attn_k_norm", "model.layers.{}.self_attn.k_layernorm.norms.{}", Change::kHeads},
  };
  return {
      {.name = "GPT2LMHeadModel",
       .model_type = "gpt2",
       .read = ReadGpt2,
       .gguf = "gpt2",
       .add_gguf = AddGpt2,
       .gguf_names = gpt2},
      {.name = "GPTBigCodeForCausalLM",
       .model_type = "gpt_bigcode",
       .read = ReadGptBigCode,
       .gguf = "starcoder",
       .add_gguf = AddStarcoder,
       .gguf_names = starcoder},
      {.name = "GPTNeoForCausalLM", .model_type = "gpt_neo", .read = ReadGptNeo},
      {.name = "GPTNeoXForCausalLM",
       .model_type = "gpt_neox",
       .read = ReadGptNeox,
       .gguf = "gptneox",
       .add_gguf = AddGptNeoX,
       .gguf_names = gpt_neox},
      {.name = "Starcoder2ForCausalLM",
       .model_type = "starcoder2",
       .read = ReadStarcoder2,
       .gguf = "starcoder2",
       .add_gguf = AddStarcoder2,
       .gguf_names = With(UsualNames(), starcoder2)},
      {.name = "StableLmForCausalLM",
       .model_type = "stablelm",
       .read = ReadStableLm,
       .gguf = "stablelm",
       .add_gguf = AddStableLm,
       .gguf_names = With(UsualNames(), stablelm)},
  };
}

}  // namespace rondo::convert
