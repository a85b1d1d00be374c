#include "tools/convert/architectures/family_config.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "runtime/model/limits.h"

namespace rondo::convert {

namespace {

constexpr SizeKeys kUsual;

}  // namespace

Sizes ReadSizes(const Config& config, const SizeKeys& keys) {
  const auto integer = [&](const char* key, uint64_t high) {
    return static_cast<uint32_t>(config.Integer(key, 1, high));
  };
  // transformers takes each of these by the usual name, too, whatever a family calls it.
  const auto called = [&](const char* key, const char* usual) {
    return !config.Has(key) && config.Has(usual) ? usual : key;
  };
  Sizes s = {};
  s.vocab = integer("vocab_size", kMaxVocab);
  s.hidden = integer(called(keys.hidden, kUsual.hidden), kMaxHidden);
  if (keys.four_times) s.intermediate = 4 * s.hidden;
  if (keys.intermediate != nullptr && (!keys.four_times || config.Has(keys.intermediate))) {
    s.intermediate = integer(keys.intermediate, kMaxIntermediate);
  }
  s.n_layers = integer(called(keys.n_layers, kUsual.n_layers), kMaxLayers);
  s.n_heads = integer(called(keys.n_heads, kUsual.n_heads), kMaxHeads);
  const char* const kKvHeads = "num_key_value_heads";
  const uint32_t kv_heads = keys.default_kv_heads == 0 ? s.n_heads : keys.default_kv_heads;
  s.n_kv_heads = static_cast<uint32_t>(
      config.Integer(kKvHeads, 1, s.n_heads, config.Mentions(kKvHeads) ? s.n_heads : kv_heads));
  if (s.n_kv_heads > s.n_heads || s.n_heads % s.n_kv_heads != 0) {
    config.Refuse(kKvHeads, std::string("does not divide ") + keys.n_heads);
  }
  const char* const kHeadDim = "head_dim";
  uint32_t head_dim = config.Mentions(kHeadDim) ? 0 : keys.default_head_dim;
  if (head_dim == 0) {
    if (!config.Has(kHeadDim) && s.hidden % s.n_heads != 0) {
      config.Refuse(keys.hidden, std::string("is not a multiple of ") + keys.n_heads);
    }
    head_dim = s.hidden / s.n_heads;
  }
  s.head_dim = config.Count(kHeadDim, kMaxHeadDim, head_dim);
  if (s.head_dim > kMaxHeadDim || s.head_dim == 0) {
    config.Refuse(kHeadDim, "(or the hidden size by the number of heads) is " +
                                std::to_string(s.head_dim) + ", expected 1 to " +
                                std::to_string(kMaxHeadDim));
  }
  if (keys.without_kv_heads != nullptr && s.n_kv_heads != s.n_heads) {
    config.Refuse(kKvHeads,
                  std::string("is set, which ") + keys.without_kv_heads + " does not know");
  }
  s.context = static_cast<uint32_t>(
      config.Integer(called(keys.context, kUsual.context), 1, kMaxContext, keys.default_context));
  return s;
}

format::Activation ReadActivation(const Config& config, const char* key, const char* if_absent) {
  using format::Activation;
  static const std::map<std::string, Activation> kKnown = {
      {"silu", Activation::kSilu},
      {"swish", Activation::kSilu},
      {"gelu", Activation::kGelu},
      {"gelu_python", Activation::kGelu},
      {"gelu_new", Activation::kGeluTanh},
      {"gelu_fast", Activation::kGeluTanh},
      {"gelu_pytorch_tanh", Activation::kGeluTanh},
      {"gelu_accurate", Activation::kGeluTanh},
      {"quick_gelu", Activation::kGeluQuick},
      {"relu", Activation::kRelu},
      {"relu2", Activation::kReluSquared},
  };
  const std::string name = config.Text(key, if_absent);
  const auto found = kKnown.find(name);
  if (found != kKnown.end()) return found->second;
  std::string known;
  for (const auto& [text, value] : kKnown) known += (known.empty() ? "" : ", ") + text;
  config.Refuse(key, "is " + name + "; known: " + known);
}

uint64_t ReadWindow(const Config& config, uint64_t if_absent) {
  const char* const kKey = "sliding_window";
  if (!config.Mentions(kKey)) return if_absent;
  return config.Integer(kKey, 1, kMaxContext, 0);
}

std::vector<uint32_t> ReadWindows(const Config& config, const Sizes& sizes, uint64_t window,
                                  const std::function<bool(uint32_t layer)>& slides) {
  const char* const kKey = "layer_types";
  const std::vector<std::string> types = config.Texts(kKey);
  if (!types.empty() && types.size() != sizes.n_layers) {
    config.Refuse(kKey, "has " + std::to_string(types.size()) + " entries for " +
                            std::to_string(sizes.n_layers) + " layers");
  }
  std::vector<uint32_t> windows;
  for (uint32_t i = 0; i < sizes.n_layers; ++i) {
    bool sliding = slides(i);
    if (!types.empty()) {
      sliding = types[i] == "sliding_attention";
      if (!sliding && types[i] != "full_attention") {
        config.Refuse(kKey, "holds " + types[i] +
                                "; known for this model: full_attention, sliding_attention");
      }
      if (sliding && window == 0) config.Refuse("sliding_window", "is missing");
    }
    windows.push_back(sliding ? static_cast<uint32_t>(window) : 0);
  }
  return windows;
}

std::vector<bool> ReadLayerTypes(const Config& config, const char* key, uint32_t n_layers,
                                 const std::string& type, const std::string& other) {
  std::vector<bool> is_type;
  if (!config.Has(key)) return is_type;
  const std::vector<std::string> types = config.Texts(key);
  const auto unknown = std::find_if(types.begin(), types.end(), [&](const std::string& one) {
    return one != type && one != other;
  });
  if (unknown != types.end()) {
    config.Refuse(key, "holds " + *unknown + "; known: " + type + ", " + other);
  }
  for (const std::string& one : types) is_type.push_back(one == type);
  if (is_type.size() != n_layers) config.Refuse(key, "does not have an entry for each layer");
  return is_type;
}

}  // namespace rondo::convert
