#include "tools/convert/sources/gguf/gguf_config.h"

#include <algorithm>
#include <array>

#include "runtime/model/limits.h"
#include "tools/convert/fail.h"

namespace rondo::convert {
namespace {

using nlohmann::json;

constexpr const char* kWindowKey = "attention.sliding_window";

// ---- Rotary positions

// Divisors of the frequencies, one for each, as type longrope has them.
void AddFactors(const GgufKeys& keys, const char* short_tensor, const char* long_tensor,
                json& rope) {
  rope["rope_type"] = "longrope";
  rope["short_factor"] = keys.Values(short_tensor, kMaxHeadDim);
  rope["long_factor"] = keys.Values(long_tensor, kMaxHeadDim);
}

// `theta`: of the layers meant, where they differ.
json RopeParameters(const GgufKeys& keys, double theta) {
  json rope = {{"rope_type", "default"}, {"rope_theta", theta}};
  const uint64_t head_dim = keys.head_dim();
  const uint64_t rotated = keys.Count("rope.dimension_count", kMaxHeadDim, head_dim);
  if (rotated != head_dim) {
    rope["partial_rotary_factor"] = static_cast<double>(rotated) / static_cast<double>(head_dim);
  }
  const char* const kOriginal = "rope.scaling.original_context_length";
  if (keys.Has(kOriginal)) {
    rope["original_max_position_embeddings"] = keys.Count(kOriginal, kMaxContext);
  }
  const std::string type = keys.Text("rope.scaling.type", "none");
  const double attention_factor = keys.Number("rope.scaling.attn_factor", 1.0);
  if (keys.HasTensor("rope_freqs.weight")) {
    // Llama 3.1's scaling, worked out: the same at every length.
    if (type != "none")
      keys.Refuse("rope.scaling.type", "is " + type + " beside rope_freqs.weight");
    AddFactors(keys, "rope_freqs.weight", "rope_freqs.weight", rope);
    rope["attention_factor"] = attention_factor;
    rope["original_max_position_embeddings"] = keys.Count("context_length", kMaxContext);
  } else if (keys.HasTensor("rope_factors_short.weight") ||
             keys.HasTensor("rope_factors_long.weight")) {
    for (const char* name : {"rope_factors_short.weight", "rope_factors_long.weight"}) {
      if (!keys.HasTensor(name)) Fail(keys.file().path(), ": tensor ", name, " is missing");
    }
    AddFactors(keys, "rope_factors_short.weight", "rope_factors_long.weight", rope);
    if (keys.Has("rope.scaling.attn_factor")) rope["attention_factor"] = attention_factor;
  } else if (type == "linear" || type == "yarn") {
    rope["rope_type"] = type;
    rope["factor"] = keys.Number("rope.scaling.factor");
    if (type == "yarn" && attention_factor != 1) {
      // Here it multiplies what yarn gives; in config.json it takes its place.
      keys.Refuse("rope.scaling.attn_factor", "is not 1, the only one known for type yarn");
    }
  } else if (type != "none") {
    keys.Refuse("rope.scaling.type",
                "is " + type + "; known: none, linear, yarn, longrope (with its factors' tensors)");
  } else if (keys.Has("rope.scale_linear")) {  // older files
    rope["rope_type"] = "linear";
    rope["factor"] = keys.Number("rope.scale_linear");
  }
  return rope;
}

// ---- What one architecture has and others do not

void AddBiases(const GgufKeys& keys, json& config) {
  config["attention_bias"] = keys.HasTensor("blk.0.attn_q.bias");
  config["mlp_bias"] = keys.HasTensor("blk.0.ffn_up.bias");
}

void AddWindow(const GgufKeys& keys, json& config) {
  const uint64_t window = keys.Count(kWindowKey, UINT32_MAX, 0);
  config["sliding_window"] = window == 0 ? json() : json(window);
}

void AddExperts(const GgufKeys& keys, const char* count, json& config) {
  config[count] = keys.Count("expert_count", kMaxExperts);
  config["num_experts_per_tok"] = keys.Count("expert_used_count", kMaxExperts);
}

// Layer by layer; `is_full(i)` for layer i.
template <typename IsFull>
json LayerTypes(const GgufKeys& keys, const char* other, const IsFull& is_full) {
  json types = json::array();
  for (uint64_t i = 0; i < keys.n_layers(); ++i) {
    types.push_back(is_full(i) ? "full_attention" : other);
  }
  return types;
}

void AddLlama(const GgufKeys& keys, json& config) {
  if (ExpertCount(keys) > 0) {  // Mixtral
    config["architectures"] = {"MixtralForCausalLM"};
    config["model_type"] = "mixtral";
    AddExperts(keys, "num_local_experts", config);
    AddWindow(keys, config);
  } else if (keys.Count(kWindowKey, UINT32_MAX, 0) > 0) {  // Mistral
    config["architectures"] = {"MistralForCausalLM"};
    config["model_type"] = "mistral";
    AddWindow(keys, config);
  } else {
    AddBiases(keys, config);
  }
}

void AddQwen3(const GgufKeys& keys, json& config) { AddBiases(keys, config); }

void AddQwen3Moe(const GgufKeys& keys, json& config) {
  AddBiases(keys, config);
  AddExperts(keys, "num_experts", config);
  config["moe_intermediate_size"] = keys.Count("expert_feed_forward_length", kMaxIntermediate);
  config["norm_topk_prob"] = true;
  config["decoder_sparse_step"] = 1;
  config["mlp_only_layers"] = json::array();
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
  config["attn_logit_softcapping"] = keys.Number("attn_logit_softcapping", 50.0);
  config["final_logit_softcapping"] = keys.Number("final_logit_softcapping", 30.0);
  config["layer_types"] =
      LayerTypes(keys, "sliding_attention", [](uint64_t i) { return i % 2 == 1; });
}

void AddGemma3(const GgufKeys& keys, json& config) {
  AddGemma(keys, config);
  AddGemmaScale(keys, 62, config);
  AddWindow(keys, config);
  const uint64_t period =
      std::max<uint64_t>(keys.Count("attention.sliding_window_pattern", kMaxLayers, 6), 1);
  config["layer_types"] =
      LayerTypes(keys, "sliding_attention", [&](uint64_t i) { return i % period == period - 1; });
  if (keys.Has("final_logit_softcapping")) {
    config["final_logit_softcapping"] = keys.Number("final_logit_softcapping");
  }
  // Layers with a window have a base of their own, and no scaling.
  config["rope_parameters"] = {
      {"full_attention", RopeParameters(keys, keys.Number("rope.freq_base", 1e6))},
      {"sliding_attention",
       {{"rope_type", "default"}, {"rope_theta", keys.Number("rope.freq_base_swa", 1e4)}}}};
}

void AddPhi2(const GgufKeys& keys, json& config) {
  config["hidden_act"] = "gelu_new";
  config["layer_norm_eps"] = keys.Number("attention.layer_norm_epsilon");
}

void AddPhi3(const GgufKeys& keys, json& config) {
  AddWindow(keys, config);
  config["original_max_position_embeddings"] =
      keys.Count("rope.scaling.original_context_length", kMaxContext,
                 keys.Count("context_length", kMaxContext));
}

void AddOlmoe(const GgufKeys& keys, json& config) {
  AddExperts(keys, "num_experts", config);
  config["norm_topk_prob"] = false;
  if (keys.Has("expert_feed_forward_length")) {
    config["intermediate_size"] = keys.Count("expert_feed_forward_length", kMaxIntermediate);
  }
  if (keys.Has("attention.clamp_kqv")) config["clip_qkv"] = keys.Number("attention.clamp_kqv");
}

void AddOlmo2(const GgufKeys& keys, json&) {
  if (keys.Count(kWindowKey, UINT32_MAX, 0) > 0) {
    keys.Refuse(kWindowKey, "is set, which makes the model an Olmo 3: that is not known");
  }
}

void AddSmolLm3(const GgufKeys& keys, json& config) {
  AddBiases(keys, config);
  config["no_rope_layer_interval"] = 4;  // not in the file
}

void AddGranite(const GgufKeys& keys, json& config) {
  AddBiases(keys, config);
  config["embedding_multiplier"] = keys.Number("embedding_scale", 1.0);
  config["residual_multiplier"] = keys.Number("residual_scale", 1.0);
  config["attention_multiplier"] = keys.Number("attention.scale");
  config["logits_scaling"] = keys.Number("logit_scale", 1.0);
}

void AddStableLm(const GgufKeys& keys, json& config) {
  config["layer_norm_eps"] = keys.Number("attention.layer_norm_epsilon");
  config["use_qkv_bias"] = keys.HasTensor("blk.0.attn_q.bias");
  config["qk_layernorm"] = keys.HasTensor("blk.0.attn_q_norm.weight");
  config["use_parallel_residual"] = keys.Flag("use_parallel_residual", true);
}

void AddStarcoder2(const GgufKeys& keys, json& config) {
  AddWindow(keys, config);
  config["hidden_act"] = "gelu_pytorch_tanh";
  config["norm_epsilon"] = keys.Number("attention.layer_norm_epsilon");
  config["use_bias"] = keys.HasTensor("blk.0.attn_q.bias");
}

void AddGptNeoX(const GgufKeys& keys, json& config) {
  config["hidden_act"] = "gelu";
  config["layer_norm_eps"] = keys.Number("attention.layer_norm_epsilon");
  config["use_parallel_residual"] = keys.Flag("use_parallel_residual", true);
  config["attention_bias"] = true;
}

void AddLfm2(const GgufKeys& keys, json& config) {
  const std::vector<uint64_t> n_kv_heads = keys.PerLayer("attention.head_count_kv", kMaxHeads);
  config["num_key_value_heads"] = *std::ranges::max_element(n_kv_heads);
  for (const uint64_t n : n_kv_heads) {
    if (n != 0 && n != config["num_key_value_heads"]) {
      keys.Refuse("attention.head_count_kv", "differs between layers with attention");
    }
  }
  config["layer_types"] = LayerTypes(keys, "conv", [&](uint64_t i) { return n_kv_heads[i] > 0; });
  config["conv_L_cache"] = keys.Count("shortconv.l_cache", kMaxHidden);
  config["conv_bias"] = keys.HasTensor("blk.0.shortconv.conv.bias");
  config["norm_eps"] = keys.Number("attention.layer_norm_rms_epsilon");
  config["block_auto_adjust_ff_dim"] = false;
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
            {"n_positions", config["max_position_embeddings"]}};
}

// ----

struct Architecture {
  const char* name;  // general.architecture
  const char* hugging_face;
  const char* model_type;
  double rope_theta;  // where the file has none
  void (*add)(const GgufKeys&, json&);
};

constexpr std::array kArchitectures = {
    Architecture{"llama", "LlamaForCausalLM", "llama", 1e4, AddLlama},
    Architecture{"qwen2", "Qwen2ForCausalLM", "qwen2", 1e4, nullptr},
    Architecture{"qwen3", "Qwen3ForCausalLM", "qwen3", 1e4, AddQwen3},
    Architecture{"qwen3moe", "Qwen3MoeForCausalLM", "qwen3_moe", 1e4, AddQwen3Moe},
    Architecture{"gemma", "GemmaForCausalLM", "gemma", 1e4, AddGemma},
    Architecture{"gemma2", "Gemma2ForCausalLM", "gemma2", 1e4, AddGemma2},
    Architecture{"gemma3", "Gemma3ForCausalLM", "gemma3_text", 1e6, AddGemma3},
    Architecture{"phi2", "PhiForCausalLM", "phi", 1e4, AddPhi2},
    Architecture{"phi3", "Phi3ForCausalLM", "phi3", 1e4, AddPhi3},
    Architecture{"olmo2", "Olmo2ForCausalLM", "olmo2", 1e4, AddOlmo2},
    Architecture{"olmoe", "OlmoeForCausalLM", "olmoe", 1e4, AddOlmoe},
    Architecture{"smollm3", "SmolLM3ForCausalLM", "smollm3", 1e4, AddSmolLm3},
    Architecture{"granite", "GraniteForCausalLM", "granite", 1e4, AddGranite},
    Architecture{"stablelm", "StableLmForCausalLM", "stablelm", 1e4, AddStableLm},
    Architecture{"starcoder2", "Starcoder2ForCausalLM", "starcoder2", 1e4, AddStarcoder2},
    Architecture{"gpt2", "GPT2LMHeadModel", "gpt2", 1e4, AddGpt2},
    Architecture{"gptneox", "GPTNeoXForCausalLM", "gpt_neox", 1e4, AddGptNeoX},
    Architecture{"lfm2", "Lfm2ForCausalLM", "lfm2", 1e4, AddLfm2},
};

const Architecture& Find(const GgufKeys& keys) {
  std::string known;
  for (const Architecture& architecture : kArchitectures) {
    if (keys.architecture() == architecture.name) return architecture;
    known += (known.empty() ? "" : ", ") + std::string(architecture.name);
  }
  keys.all().Refuse("general.architecture",
                    "names the architecture " + keys.architecture() + "; known: " + known);
}

// Rows of the token embedding: keys say it too, but not in every file.
uint64_t VocabSize(const GgufKeys& keys) {
  const auto found = keys.file().tensors().find("token_embd.weight");
  if (found == keys.file().tensors().end()) {
    Fail(keys.file().path(), ": tensor token_embd.weight is missing");
  }
  return found->second.shape.front();
}

void AddTokens(const GgufKeys& keys, json& config) {
  const json& metadata = keys.file().metadata();
  const auto token = [&](const std::string& name) {
    return metadata.value("tokenizer.ggml." + name + "_token_id", json());
  };
  if (const json bos = token("bos"); !bos.is_null()) config["bos_token_id"] = bos;
  json ends = json::array();  // of a text, of a turn, of a message
  for (const char* name : {"eos", "eot", "eom"}) {
    if (const json id = token(name); !id.is_null() && std::ranges::find(ends, id) == ends.end()) {
      ends.push_back(id);
    }
  }
  if (!ends.empty()) config["eos_token_id"] = ends;
}

}  // namespace

uint64_t ExpertCount(const GgufKeys& keys) { return keys.Count("expert_count", kMaxExperts, 0); }

json ReadGgufConfig(const GgufKeys& keys) {
  const Architecture& architecture = Find(keys);
  if (keys.all().Integer("split.count", 0, UINT32_MAX, 0) > 1) {
    keys.all().Refuse("split.count", "is above 1: the model must be in one file");
  }
  const uint64_t head_dim = keys.head_dim();
  if (keys.Count("attention.value_length", kMaxHeadDim, head_dim) != head_dim) {
    keys.Refuse("attention.value_length", "differs from attention.key_length");
  }
  json config = {
      {"architectures", {architecture.hugging_face}},
      {"model_type", architecture.model_type},
      {"vocab_size", VocabSize(keys)},
      {"hidden_size", keys.Count("embedding_length", kMaxHidden)},
      {"intermediate_size", keys.Count("feed_forward_length", kMaxIntermediate)},
      {"num_hidden_layers", keys.n_layers()},
      {"num_attention_heads", keys.n_heads()},
      {"head_dim", head_dim},
      {"max_position_embeddings", keys.Count("context_length", kMaxContext)},
      {"hidden_act", "silu"},
      {"tie_word_embeddings", !keys.HasTensor("output.weight")},
      {"rope_parameters",
       RopeParameters(keys, keys.Number("rope.freq_base", architecture.rope_theta))},
  };
  if (architecture.add != AddLfm2) {  // whose layers differ
    config["num_key_value_heads"] =
        keys.Count("attention.head_count_kv", kMaxHeads, keys.n_heads());
  }
  const char* const kEpsilon = "attention.layer_norm_rms_epsilon";
  if (keys.Has(kEpsilon)) config["rms_norm_eps"] = keys.Number(kEpsilon);
  if (architecture.add != nullptr) architecture.add(keys, config);
  AddTokens(keys, config);
  return config;
}

}  // namespace rondo::convert
