#include "tools/convert/sources/gguf/gguf_config.h"

#include <algorithm>
#include <numeric>

#include "runtime/model/limits.h"
#include "tools/convert/common/fail.h"

namespace rondo::convert {
namespace {

using nlohmann::json;

constexpr const char* kWindowKey = "attention.sliding_window";
constexpr const char* kRmsEpsilon = "attention.layer_norm_rms_epsilon";
constexpr const char* kEpsilon = "attention.layer_norm_epsilon";
constexpr const char* kRopeBase = "rope.freq_base";

// 0: none.
uint64_t WindowOf(const GgufKeys& keys) { return keys.Count(kWindowKey, UINT32_MAX, 0); }

// Divisors of the frequencies, one for each, as type longrope has them.
void AddFactors(const GgufKeys& keys, const char* short_tensor, const char* long_tensor,
                json& rope) {
  rope["rope_type"] = "longrope";
  rope["short_factor"] = keys.Values(short_tensor, kMaxHeadDim);
  rope["long_factor"] = keys.Values(long_tensor, kMaxHeadDim);
}

void AddYarn(const GgufKeys& keys, json& rope) {
  // The first two multiply what yarn gives; in config.json such a factor takes its place.
  for (const char* key : {"rope.scaling.attn_factor", "rope.scaling.yarn_attn_factor",
                          "rope.scaling.yarn_ext_factor"}) {
    if (keys.Number(key, 1.0) != 1) {
      keys.Refuse(key, "is not 1, the only one known for type yarn");
    }
  }
  for (const char* key : {"beta_fast", "beta_slow"}) {
    const std::string name = std::string("rope.scaling.yarn_") + key;
    if (keys.Has(name)) rope[key] = keys.Number(name);
  }
  const char* const kTruncate = "rope.scaling.yarn_truncate";
  if (keys.Has(kTruncate)) rope["truncate"] = keys.Flag(kTruncate, true);
}

// Rows of the token embedding: keys say it too, but not in every file.
uint64_t VocabSize(const GgufKeys& keys) {
  const auto found = keys.file().tensors().find("token_embd.weight");
  if (found == keys.file().tensors().end()) {
    Fail(keys.file().path(), ": tensor token_embd.weight is missing");
  }
  return found->second.shape.front();
}

void AddTokens(const GgufKeys& keys, json& config, std::vector<std::string>& notes) {
  const uint64_t vocab_size = config.at("vocab_size");
  const auto tokens = [&](const std::string& name) {
    const std::string key = "tokenizer.ggml." + name + "_token_id";
    return keys.all().Tokens(key.c_str(), vocab_size, notes);
  };
  const std::vector<uint32_t> bos = tokens("bos");
  if (bos.size() == 1) config["bos_token_id"] = bos.front();
  if (bos.size() > 1) config["bos_token_id"] = bos;
  std::vector<uint32_t> ends;  // of a text, of a turn, of a message
  for (const char* name : {"eos", "eot", "eom"}) {
    for (const uint32_t id : tokens(name)) {
      if (std::ranges::find(ends, id) == ends.end()) ends.push_back(id);
    }
  }
  if (!ends.empty()) config["eos_token_id"] = ends;
}

void AddHeads(const GgufKeys& keys, const GgufRules& rules, json& config) {
  const uint64_t head_dim = keys.head_dim();
  if (!keys.Has("attention.kv_lora_rank") &&
      keys.Count("attention.value_length", kMaxHeadDim, head_dim) != head_dim) {
    keys.Refuse("attention.value_length", "differs from attention.key_length");
  }
  config["num_attention_heads"] = keys.n_heads();
  config["num_key_value_heads"] = keys.n_kv_heads();
  config["head_dim"] = head_dim;
  const char* const kSize = "feed_forward_length";  // some that are all experts have none
  if (keys.Has(kSize)) config["intermediate_size"] = keys.OfAnyLayer(kSize, kMaxIntermediate);
  config["rope_parameters"] = RopeParameters(keys, keys.Number(kRopeBase, rules.rope_theta));
}

// Where positions turn: models with others have no rope_parameters by now.
void NoteRopeBase(const GgufKeys& keys, const json& config) {
  const auto rope = config.find("rope_parameters");
  if (keys.Has(kRopeBase) || rope == config.end()) return;
  const json& of_full = rope->contains("full_attention") ? rope->at("full_attention") : *rope;
  keys.NoteAssumed(kRopeBase, of_full.at("rope_theta").dump());
}

}  // namespace

json RopeParameters(const GgufKeys& keys, double theta) {
  json rope = {{"rope_type", "default"}, {"rope_theta", theta}};
  const uint64_t head_dim = keys.head_dim();
  const uint64_t rotated = keys.Count("rope.dimension_count", kMaxHeadDim, head_dim);
  if (rotated != head_dim) {
    rope["partial_rotary_factor"] = static_cast<double>(rotated) / static_cast<double>(head_dim);
  }
  const char* const kSections = "rope.dimension_sections";
  if (keys.HoldsList(kSections)) {
    // Of time, height and width; the fourth is of no model whose text this reads. llama.cpp's
    // converter writes the usual ones where a config says nothing: of tokens, whose coordinates are
    // equal, they tell nothing, and may be of another number of pairs.
    std::vector<double> sections = keys.Numbers(kSections);
    if (sections.size() == 4 && sections.back() == 0) sections.pop_back();
    const double pairs = std::accumulate(sections.begin(), sections.end(), 0.0);
    if (2 * pairs == static_cast<double>(rotated)) rope["mrope_section"] = sections;
  }
  const char* const kOriginal = "rope.scaling.original_context_length";
  if (keys.Has(kOriginal)) {
    rope["original_max_position_embeddings"] = keys.Count(kOriginal, kMaxContext);
  }
  const char* const kFactor = "rope.scaling.factor";
  const std::string type = keys.Text("rope.scaling.type", keys.Has(kFactor) ? "linear" : "none");
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
    rope["factor"] = keys.Number(kFactor);
    if (type == "yarn") AddYarn(keys, rope);
  } else if (type != "none") {
    keys.Refuse("rope.scaling.type",
                "is " + type + "; known: none, linear, yarn, longrope (with its factors' tensors)");
  } else if (keys.Has("rope.scale_linear")) {  // older files
    rope["rope_type"] = "linear";
    rope["factor"] = keys.Number("rope.scale_linear");
  }
  return rope;
}

void AddBiases(const GgufKeys& keys, json& config) {
  config["attention_bias"] = keys.HasInSomeLayer("attn_q.bias");
  config["mlp_bias"] = keys.HasInSomeLayer("ffn_up.bias");
}

void AddMultipliers(const GgufKeys& keys, json& config) {
  config["embedding_multiplier"] = keys.Number("embedding_scale", 1.0);
  config["residual_multiplier"] = keys.Number("residual_scale", 1.0);
  config["attention_multiplier"] = keys.Number("attention.scale");
  config["logits_scaling"] = keys.Number("logit_scale", 1.0);
}

bool HasWindow(const GgufKeys& keys) { return WindowOf(keys) > 0; }

void NoteWindow(const GgufKeys& keys) {
  if (!HasWindow(keys)) keys.NoteAssumed(kWindowKey, "none, so that every layer sees all tokens");
}

void AddWindow(const GgufKeys& keys, json& config) {
  const uint64_t window = WindowOf(keys);
  config["sliding_window"] = window == 0 ? json() : json(window);
}

void AddExperts(const GgufKeys& keys, const char* count, json& config) {
  config[count] = keys.Count("expert_count", kMaxExperts);
  config["num_experts_per_tok"] = keys.Count("expert_used_count", kMaxExperts);
}

void AddExpertSize(const GgufKeys& keys, json& config) {
  config["moe_intermediate_size"] = keys.Count("expert_feed_forward_length", kMaxIntermediate);
}

void AddDeepSeekExperts(const GgufKeys& keys, json& config) {
  AddExperts(keys, "n_routed_experts", config);
  AddExpertSize(keys, config);
  config["n_shared_experts"] = keys.Count("expert_shared_count", kMaxExperts, 0);
  config["first_k_dense_replace"] = keys.Count("leading_dense_block_count", kMaxLayers, 0);
  config["n_group"] = std::max<uint64_t>(keys.Count("expert_group_count", kMaxExperts, 1), 1);
  config["topk_group"] =
      std::max<uint64_t>(keys.Count("expert_group_used_count", kMaxExperts, 1), 1);
  config["routed_scaling_factor"] = keys.Number("expert_weights_scale", 1.0);
  config["norm_topk_prob"] = keys.Flag("expert_weights_norm", false);
}

void CheckGating(const GgufKeys& keys, Gating expected) {
  const char* const kKey = "expert_gating_func";
  const auto number = static_cast<uint64_t>(expected);
  if (keys.Count(kKey, UINT32_MAX, number) != number) {
    keys.Refuse(kKey, std::string("is not ") + std::to_string(number) + " (" +
                          (expected == Gating::kSigmoid ? "sigmoid" : "softmax") +
                          "), which is all that is known for this model");
  }
}

void AddSlidingLayers(const GgufKeys& keys, uint64_t period_if_absent, json& config) {
  NoteWindow(keys);
  const char* const kKey = "attention.sliding_window_pattern";
  const bool is_list = keys.HoldsList(kKey);
  const std::vector<uint64_t> slides = is_list ? keys.PerLayer(kKey, 1) : std::vector<uint64_t>();
  const uint64_t period =
      is_list ? 0 : std::max<uint64_t>(keys.Count(kKey, kMaxLayers, period_if_absent), 1);
  config["layer_types"] = LayerTypes(keys, "sliding_attention", [&](uint64_t i) {
    return is_list ? slides[i] == 0 : (i + 1) % period == 0;
  });
}

json LayerTypes(const GgufKeys& keys, const char* other,
                const std::function<bool(uint64_t layer)>& is_full) {
  json types = json::array();
  for (uint64_t i = 0; i < keys.n_layers(); ++i) {
    types.push_back(is_full(i) ? "full_attention" : other);
  }
  return types;
}

uint64_t ExpertCount(const GgufKeys& keys) { return keys.Count("expert_count", kMaxExperts, 0); }

json ReadGgufConfig(const GgufKeys& keys, const GgufRules& rules, std::vector<std::string>& notes) {
  json config = {
      {"architectures", {rules.architecture}},
      {"model_type", rules.model_type},
      {"hidden_act", "silu"},
      {"tie_word_embeddings", !keys.HasTensor("output.weight")},
  };
  if (rules.usual_heads) AddHeads(keys, rules, config);
  config["vocab_size"] = VocabSize(keys);
  config["hidden_size"] = keys.Count("embedding_length", kMaxHidden);
  config["num_hidden_layers"] = keys.n_layers();
  config["max_position_embeddings"] = keys.Count("context_length", kMaxContext);
  // Some files have both.
  if (keys.Has(kRmsEpsilon)) config["rms_norm_eps"] = keys.Number(kRmsEpsilon);
  const bool has_epsilon = keys.Has(kEpsilon);
  if (ExpertCount(keys) == 0) keys.Has("expert_used_count");
  if (rules.add != nullptr) rules.add(keys, config);
  const auto is_epsilon = [](const auto& item) {
    return item.key().ends_with("_eps") || item.key().ends_with("_epsilon");
  };
  const auto items = config.items();
  if (!has_epsilon && std::find_if(items.begin(), items.end(), is_epsilon) == items.end()) {
    keys.Refuse(kRmsEpsilon, "is missing");
  }
  NoteRopeBase(keys, config);
  AddTokens(keys, config, notes);
  if (!keys.Flag("attention.causal", true)) {
    keys.Refuse("attention.causal", "is false: only causal attention is known");
  }
  keys.CheckAllRead();
  return config;
}

}  // namespace rondo::convert
