#include "tools/convert/sources/gguf/gguf_config.h"

#include <algorithm>

#include "runtime/model/limits.h"
#include "tools/convert/architectures/architecture.h"
#include "tools/convert/fail.h"

namespace rondo::convert {
namespace {

using nlohmann::json;

constexpr const char* kWindowKey = "attention.sliding_window";

// Divisors of the frequencies, one for each, as type longrope has them.
void AddFactors(const GgufKeys& keys, const char* short_tensor, const char* long_tensor,
                json& rope) {
  rope["rope_type"] = "longrope";
  rope["short_factor"] = keys.Values(short_tensor, kMaxHeadDim);
  rope["long_factor"] = keys.Values(long_tensor, kMaxHeadDim);
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

void AddBiases(const GgufKeys& keys, json& config) {
  config["attention_bias"] = keys.HasTensor("blk.0.attn_q.bias");
  config["mlp_bias"] = keys.HasTensor("blk.0.ffn_up.bias");
}

uint64_t WindowOf(const GgufKeys& keys) { return keys.Count(kWindowKey, UINT32_MAX, 0); }

void AddWindow(const GgufKeys& keys, json& config) {
  const uint64_t window = WindowOf(keys);
  config["sliding_window"] = window == 0 ? json() : json(window);
}

void AddExperts(const GgufKeys& keys, const char* count, json& config) {
  config[count] = keys.Count("expert_count", kMaxExperts);
  config["num_experts_per_tok"] = keys.Count("expert_used_count", kMaxExperts);
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

json ReadGgufConfig(const GgufKeys& keys) {
  const Architecture& architecture = FindArchitecture(keys);
  if (keys.all().Integer("split.count", 0, UINT32_MAX, 0) > 1) {
    keys.all().Refuse("split.count", "is above 1: the model must be in one file");
  }
  const uint64_t head_dim = keys.head_dim();
  if (keys.Count("attention.value_length", kMaxHeadDim, head_dim) != head_dim) {
    keys.Refuse("attention.value_length", "differs from attention.key_length");
  }
  json config = {
      {"architectures", {architecture.name}},
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
       RopeParameters(keys, keys.Number("rope.freq_base", architecture.gguf_rope_theta))},
  };
  const char* const kEpsilon = "attention.layer_norm_rms_epsilon";
  if (keys.Has(kEpsilon)) config["rms_norm_eps"] = keys.Number(kEpsilon);
  if (architecture.add_gguf != nullptr) architecture.add_gguf(keys, config);
  const char* const kKvHeads = "num_key_value_heads";
  if (!config.contains(kKvHeads)) {
    config[kKvHeads] = keys.Count("attention.head_count_kv", kMaxHeads, keys.n_heads());
  }
  AddTokens(keys, config);
  return config;
}

}  // namespace rondo::convert
