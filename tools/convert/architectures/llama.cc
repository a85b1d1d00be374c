// Llama 2, 3 and their kin, Mistral, Ministral, Mixtral, CWM, SmolLM3, Seed-OSS, Granite and
// HyperCLOVA X: what differs is a window, experts, layers without RoPE, biases, or multipliers.
// Defaults are those of transformers' configuration classes.
#include <utility>

#include "runtime/model/limits.h"
#include "tools/convert/architectures/architecture.h"
#include "tools/convert/architectures/experts_config.h"
#include "tools/convert/architectures/family.h"
#include "tools/convert/sources/gguf/gguf_config.h"

namespace rondo::convert {
namespace {

using nlohmann::json;

Family LlamaFamily(const Config& config, const SizeKeys& keys, double theta = 10000) {
  Family f = ReadFamily(config, keys, {.theta = theta, .attention_bias = false});
  f.mlp.bias = config.Flag("mlp_bias", false);
  f.ignored = {"self_attn.rotary_emb.inv_freq"};  // old exports: it is computed
  return f;
}

// With a window in every layer.
DecoderSpec BuildSliding(const Config& config, uint64_t if_absent, Family f) {
  f.AddLayers(
      ReadWindows(config, f.sizes, ReadWindow(config, if_absent), [](uint32_t) { return true; }));
  return BuildDecoder(std::move(f));
}

DecoderSpec ReadLlama(const Config& config) { return BuildDecoder(LlamaFamily(config, {})); }

// Ministral, too.
DecoderSpec ReadMistral(const Config& config) {
  return BuildSliding(config, 4096,
                      LlamaFamily(config, {.default_kv_heads = 8, .default_context = 131072}));
}

DecoderSpec ReadCwm(const Config& config) {
  if (!config.Has("rope_parameters") && !config.Has("rope_scaling")) {
    config.Refuse("rope_parameters", "is missing");
  }
  Family f = LlamaFamily(
      config, {.default_kv_heads = 8, .default_head_dim = 128, .default_context = 131072}, 1e6);
  f.epsilon = config.Positive("rms_norm_eps", 1e-5);
  const std::vector<uint32_t> windows =
      ReadWindows(config, f.sizes, ReadWindow(config, 8192), [](uint32_t i) { return i % 4 != 0; });
  f.AddLayers(windows);
  return BuildDecoder(f);
}

DecoderSpec ReadSeedOss(const Config& config) {
  Family f = LlamaFamily(
      config, {.default_kv_heads = 8, .default_head_dim = 128, .default_context = 524288});
  f.attention.qkv_bias = config.Flag("attention_bias", true);
  f.attention.output_bias = config.Flag("attention_out_bias", false);
  return BuildDecoder(f);
}

DecoderSpec ReadMixtral(const Config& config) {
  Family f = LlamaFamily(config, {.default_kv_heads = 8, .default_context = 131072}, 1e6);
  f.epsilon = config.Positive("rms_norm_eps", 1e-5);
  Experts experts = ReadExperts(config, f, {});
  NameAsMixtral(experts);
  experts.normalize = true;
  f.AddLayers(ReadWindows(config, f.sizes, ReadWindow(config, 0), [](uint32_t) { return true; }));
  f.PlaceExperts(experts);
  return BuildDecoder(f);
}

DecoderSpec ReadSmolLm3(const Config& config) {
  Family f = LlamaFamily(config, {.default_kv_heads = 4, .default_context = 32768}, 2e6);
  f.tied = config.Flag("tie_word_embeddings", true);
  const uint64_t window = config.Flag("use_sliding_window", false) ? ReadWindow(config, 0) : 0;
  const char* const kLayers = "no_rope_layers";  // 1: with RoPE, against what it is called
  std::vector<uint64_t> rotates = config.Integers(kLayers, 1);
  const uint64_t interval = config.Integer("no_rope_layer_interval", 1, kMaxLayers, 4);
  for (uint32_t i = 0; rotates.size() < f.sizes.n_layers && !config.Has(kLayers); ++i) {
    rotates.push_back((i + 1) % interval != 0 ? 1 : 0);
  }
  if (rotates.size() != f.sizes.n_layers) {
    config.Refuse(kLayers, "does not have an entry for each layer");
  }
  const std::vector<uint32_t> windows =
      ReadWindows(config, f.sizes, window, [&](uint32_t i) { return rotates[i] == 0; });
  f.AddLayers(windows);
  for (uint32_t i = 0; i < f.sizes.n_layers; ++i) {
    f.layers[i].attention().rope = rotates[i] != 0 ? 0 : -1;
  }
  return BuildDecoder(f);
}

Family GraniteFamily(const Config& config) {
  Family f = LlamaFamily(config, {});
  ReadMultipliers(config, f);
  return f;
}

DecoderSpec ReadGranite(const Config& config) { return BuildDecoder(GraniteFamily(config)); }

// Granite with norms behind attention and MLP, too.
DecoderSpec ReadHyperClovaX(const Config& config) {
  Family f = GraniteFamily(config);
  if (!config.Has("attention_multiplier")) {
    f.attention.score_scale = Family(f.sizes).attention.score_scale;
  }
  f.logit_scale = static_cast<float>(config.Positive("logits_scaling", 1));
  if (config.Flag("use_post_norm", true)) {
    f.attention.post_norm = "post_norm1";
    f.mlp.post_norm = "post_norm2";
  }
  return BuildDecoder(f);
}

// A file of "llama" has experts (Mixtral), or a window (Mistral), or neither.
bool HasExperts(const GgufKeys& keys) { return ExpertCount(keys) > 0; }

void AddMixtral(const GgufKeys& keys, json& config) {
  AddExperts(keys, "num_local_experts", config);
  AddWindow(keys, config);
}

void AddSeedOss(const GgufKeys& keys, json& config) {
  AddBiases(keys, config);
  config["attention_out_bias"] = keys.HasTensor("blk.0.attn_output.bias");
}

void AddSmolLm3(const GgufKeys& keys, json& config) {
  AddBiases(keys, config);
  config["no_rope_layer_interval"] = 4;  // not in the file
}

void AddGranite(const GgufKeys& keys, json& config) {
  AddBiases(keys, config);
  AddMultipliers(keys, config);
}

}  // namespace

std::vector<Architecture> LlamaArchitectures() {
  const NameRules llama = With(UsualNames(), PairedHeadNames());
  // Files made before experts were stacked have a tensor for each.
  const NameRules mixtral =
      With(With(llama, MixtralNames()),
           {
               {"blk.{}.ffn_gate.{}", "model.layers.{}.block_sparse_moe.experts.{}.w1"},
               {"blk.{}.ffn_down.{}", "model.layers.{}.block_sparse_moe.experts.{}.w2"},
               {"blk.{}.ffn_up.{}", "model.layers.{}.block_sparse_moe.experts.{}.w3"},
           });
  const NameRules seed_oss = {
      {"blk.{}.post_attention_norm", "model.layers.{}.post_attention_layernorm"},
  };
  return {
      {.name = "MixtralForCausalLM",
       .model_type = "mixtral",
       .read = ReadMixtral,
       .gguf = "llama",
       .is_in_gguf = HasExperts,
       .add_gguf = AddMixtral,
       .gguf_names = mixtral},
      {.name = "MistralForCausalLM",
       .model_type = "mistral",
       .read = ReadMistral,
       .gguf = "llama",
       .is_in_gguf = HasWindow,
       .add_gguf = AddWindow,
       .gguf_names = llama},
      {.name = "LlamaForCausalLM",
       .model_type = "llama",
       .read = ReadLlama,
       .gguf = "llama",
       .add_gguf = AddBiases,
       .gguf_names = llama},
      {.name = "MinistralForCausalLM", .model_type = "ministral", .read = ReadMistral},
      {.name = "CwmForCausalLM", .model_type = "cwm", .read = ReadCwm},
      {.name = "SeedOssForCausalLM",
       .model_type = "seed_oss",
       .read = ReadSeedOss,
       .gguf = "seed_oss",
       .add_gguf = AddSeedOss,
       .gguf_names = With(UsualNames(), seed_oss)},
      {.name = "HyperCLOVAXForCausalLM", .model_type = "hyperclovax", .read = ReadHyperClovaX},
      {.name = "SmolLM3ForCausalLM",
       .model_type = "smollm3",
       .read = ReadSmolLm3,
       .gguf = "smollm3",
       .add_gguf = AddSmolLm3,
       .gguf_names = llama},
      {.name = "GraniteForCausalLM",
       .model_type = "granite",
       .read = ReadGranite,
       .gguf = "granite",
       .add_gguf = AddGranite,
       .gguf_names = llama},
  };
}

}  // namespace rondo::convert
