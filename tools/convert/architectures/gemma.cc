// Gemma, Gemma 2, VaultGemma and Gemma 3 (the text part): norms whose weights are kept less 1, a
// scaled embedding, GELU; later norms after attention and MLP, soft caps, windows in some layers,
// and a RoPE of their own.
#include <cmath>

#include "runtime/model/limits.h"
#include "tools/convert/architectures/architecture.h"
#include "tools/convert/architectures/family.h"
#include "tools/convert/architectures/gemma_parts.h"
#include "tools/convert/sources/gguf/gguf_config.h"

namespace rondo::convert {
namespace {

using nlohmann::json;

Family GemmaFamily(const Config& config, uint32_t kv_heads, uint32_t context) {
  Family f = ReadFamily(
      config, {.default_kv_heads = kv_heads, .default_head_dim = 256, .default_context = context},
      {.activation_key = "hidden_activation",
       .activation = "gelu_pytorch_tanh",
       .turning = 0,
       .attention_bias = false,
       .tied = true});
  f.norm_offset = 1;
  // hidden_act of the first configs says "gelu", which the model never used.
  const format::Activation act = ReadActivation(config, "hidden_act", "gelu");
  if (act != format::Activation::kGelu && act != format::Activation::kGeluTanh) {
    config.Refuse("hidden_act", "is not gelu in any of its forms");
  }
  f.embedding_scale = std::sqrt(static_cast<float>(f.sizes.hidden));
  f.ignored = {"self_attn.rotary_emb.inv_freq"};
  return f;
}

// What Gemma 2 added: norms on both sides, the scale of scores, soft caps.
void AddGemma2(const Config& config, double attention_cap, double logit_cap, Family& f) {
  f.attention.post_norm = "post_attention_layernorm";
  f.mlp.pre_norm = "pre_feedforward_layernorm";
  f.mlp.post_norm = "post_feedforward_layernorm";
  const double scalar = config.Positive("query_pre_attn_scalar", 256);
  f.attention.score_scale = static_cast<float>(1 / std::sqrt(scalar));
  const auto cap = [&](const char* key, double if_absent) {
    if (!config.Mentions(key)) return static_cast<float>(if_absent);
    return config.Has(key) ? static_cast<float>(config.Positive(key)) : 0.0f;
  };
  f.attention.soft_cap = cap("attn_logit_softcapping", attention_cap);
  f.logit_soft_cap = cap("final_logit_softcapping", logit_cap);
}

void RequireCausal(const Config& config) {
  if (!config.Flag("use_bidirectional_attention", false)) return;
  config.Refuse("use_bidirectional_attention", "is true: only causal attention is known");
}

DecoderSpec ReadGemma(const Config& config) {
  RequireCausal(config);
  Family f = GemmaFamily(config, 16, 8192);
  f.ropes = {ReadRope(config, {f.sizes.head_dim, f.sizes.context})};
  return BuildDecoder(f);
}

DecoderSpec ReadGemma2Kin(const Config& config, bool post_norms) {
  RequireCausal(config);
  Family f = GemmaFamily(config, 4, 8192);
  AddGemma2(config, 50, 30, f);
  if (!post_norms) f.attention.post_norm = f.mlp.post_norm = "";
  f.ropes = {ReadRope(config, {f.sizes.head_dim, f.sizes.context})};
  const std::vector<uint32_t> windows =
      ReadWindows(config, f.sizes, ReadWindow(config, 4096), [](uint32_t i) { return i % 2 == 0; });
  f.AddLayers(windows);
  return BuildDecoder(f);
}

DecoderSpec ReadGemma2(const Config& config) { return ReadGemma2Kin(config, true); }

// Without the norms behind.
DecoderSpec ReadVaultGemma(const Config& config) { return ReadGemma2Kin(config, false); }

DecoderSpec ReadGemma3(const Config& config) {
  Family f = GemmaFamily(config, 4, 131072);
  AddGemma2(config, 0, 0, f);
  f.attention.soft_cap = 0;  // transformers reads attn_logit_softcapping here, and does not use it
  f.attention.head_norm = HeadNorm::kShared;
  const char* const kPattern =
      config.Has("sliding_window_pattern") ? "sliding_window_pattern" : "_sliding_window_pattern";
  const uint64_t pattern = config.Integer(kPattern, 1, kMaxLayers, 6);
  uint64_t window = ReadWindow(config, 4096);
  // EmbeddingGemma: half of it on either side.
  f.attention.bidirectional = config.Flag("use_bidirectional_attention", false);
  if (f.attention.bidirectional && window > 0) window = window / 2 + 1;
  const std::vector<uint32_t> windows = ReadWindows(
      config, f.sizes, window, [pattern](uint32_t i) { return (i + 1) % pattern != 0; });
  f.ropes = ReadTwoRopes(config, {f.sizes.head_dim, f.sizes.context, 1e6});
  f.AddLayers(windows, {.full = 0, .sliding = 1});
  return BuildDecoder(f);
}

// Published checkpoints that also see leave out what is as in the first of them. transformers caps
// the logits of the text's own class alone.
Config Gemma3TextConfig(const Config& text) {
  return text
      .WithDefaults({{"vocab_size", 262208},
                     {"hidden_size", 2304},
                     {"intermediate_size", 9216},
                     {"num_hidden_layers", 26},
                     {"num_attention_heads", 8}})
      .With("final_logit_softcapping", nullptr);
}

// It says of its text's attention that it is bidirectional, within the prefix; transformers sees
// that whole whatever this says. It caps no logits here, either.
Config PaliGemmaTextConfig(const Config& text) {
  return text.With("use_bidirectional_attention", nullptr).With("final_logit_softcapping", nullptr);
}

void AddGemma(const GgufKeys&, json& config) {
  config["hidden_activation"] = "gelu_pytorch_tanh";
  config.erase("hidden_act");
}

// The file has no query scale: the largest model of each family divides by its true head size, all
// others by head_dim.
void AddGemmaScale(const GgufKeys& keys, uint64_t layers_of_largest, json& config) {
  const bool is_largest = keys.n_layers() == layers_of_largest;
  config["query_pre_attn_scalar"] =
      is_largest ? keys.Count("embedding_length", kMaxHidden) / keys.n_heads() : keys.head_dim();
}

void AddGemma2(const GgufKeys& keys, json& config) {
  AddGemma(keys, config);
  AddGemmaScale(keys, 46, config);
  AddWindow(keys, config);
  NoteWindow(keys);
  config["attn_logit_softcapping"] = keys.NumberOrAssumed("attn_logit_softcapping", 50.0);
  config["final_logit_softcapping"] = keys.NumberOrAssumed("final_logit_softcapping", 30.0);
  config["layer_types"] =
      LayerTypes(keys, "sliding_attention", [](uint64_t i) { return i % 2 == 1; });
}

void AddGemma3(const GgufKeys& keys, json& config) {
  AddGemma(keys, config);
  AddGemmaScale(keys, 62, config);
  AddWindow(keys, config);
  AddSlidingLayers(keys, 6, config);
  if (keys.Has("final_logit_softcapping")) {
    config["final_logit_softcapping"] = keys.Number("final_logit_softcapping");
  }
  // Layers with a window have a base of their own, and no scaling.
  config["rope_parameters"] = {
      {"full_attention", RopeParameters(keys, keys.Number("rope.freq_base", 1e6))},
      {"sliding_attention",
       {{"rope_type", "default"},
        {"rope_theta", keys.NumberOrAssumed("rope.freq_base_swa", 1e4)}}}};
}

}  // namespace

std::vector<Architecture> GemmaArchitectures() {
  const NameRules gemma = {
      {"output_norm", "model.norm", Change::kPlusOne},
      {"blk.{}.attn_norm", "model.layers.{}.input_layernorm", Change::kPlusOne},
      {"blk.{}.ffn_norm", "model.layers.{}.post_attention_layernorm", Change::kPlusOne},
  };
  const NameRules gemma2 = {
      {"output_norm", "model.norm", Change::kPlusOne},
      {"blk.{}.attn_norm", "model.layers.{}.input_layernorm", Change::kPlusOne},
      {"blk.{}.post_attention_norm", "model.layers.{}.post_attention_layernorm", Change::kPlusOne},
      {"blk.{}.ffn_norm", "model.layers.{}.pre_feedforward_layernorm", Change::kPlusOne},
      {"blk.{}.post_ffw_norm", "model.layers.{}.post_feedforward_layernorm", Change::kPlusOne},
      {"blk.{}.attn_q_norm", "model.layers.{}.self_attn.q_norm", Change::kPlusOne},
      {"blk.{}.attn_k_norm", "model.layers.{}.self_attn.k_norm", Change::kPlusOne},
  };
  return {
      {.name = "GemmaForCausalLM",
       .model_type = "gemma",
       .read = ReadGemma,
       .gguf = "gemma",
       .add_gguf = AddGemma,
       .gguf_names = With(UsualNames(), gemma)},
      {.name = "Gemma2ForCausalLM",
       .model_type = "gemma2",
       .read = ReadGemma2,
       .gguf = "gemma2",
       .add_gguf = AddGemma2,
       .gguf_names = With(UsualNames(), gemma2)},
      {.name = "VaultGemmaForCausalLM", .model_type = "vaultgemma", .read = ReadVaultGemma},
      {.name = "Gemma3ForCausalLM",
       .model_type = "gemma3_text",
       .read = ReadGemma3,
       .gguf = "gemma3",
       .add_gguf = AddGemma3,
       .gguf_names = With(UsualNames(), gemma2),
       .gguf_rope_theta = 1e6},
      {.name = "Gemma3ForConditionalGeneration",
       .model_type = "gemma3",
       .read = nullptr,
       .text_type = "gemma3_text",
       .text_config = Gemma3TextConfig},
      {.name = "PaliGemmaForConditionalGeneration",
       .model_type = "paligemma",
       .read = nullptr,
       .text_type = "gemma",
       .text_config = PaliGemmaTextConfig,
       .has_prefix = true},
  };
}

}  // namespace rondo::convert
