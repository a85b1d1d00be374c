// Gemma 3n (the text part): several residual streams, of which each layer works on one; a low-rank
// map beside attention; gates of which some layers keep the largest channels only; embeddings of
// each layer's own, and layers that read the keys and values of others.
#include <cmath>

#include "runtime/model/limits.h"
#include "tools/convert/architectures/architecture.h"
#include "tools/convert/architectures/family.h"
#include "tools/convert/architectures/gemma_parts.h"
#include "tools/convert/architectures/sublayers/alt_up.h"
#include "tools/convert/architectures/sublayers/sublayer_builder.h"
#include "tools/convert/sources/gguf/gguf_config.h"

namespace rondo::convert {
namespace {

double Normal(double deviations) { return std::erfc(-deviations / std::sqrt(2.0)) / 2; }

// Standard deviations below which a normally distributed number is with this probability.
double InverseNormal(double probability) {
  double low = -40, high = 40;
  for (int i = 0; i < 200; ++i) {
    const double middle = (low + high) / 2;
    (Normal(middle) < probability ? low : high) = middle;
  }
  return low;
}

// A share of the gate's channels that become 0, for each layer; 0: none do.
std::vector<std::optional<double>> ReadCutoffs(const Config& config, uint32_t n_layers) {
  const char* const kPattern = "activation_sparsity_pattern";
  std::vector<double> shares = config.Numbers(kPattern);
  if (!config.Has(kPattern)) {
    for (uint32_t i = 0; i < n_layers; ++i) shares.push_back(n_layers > 10 && i < 10 ? 0.95 : 0);
  }
  if (shares.size() != n_layers) config.Refuse(kPattern, "does not have an entry for each layer");
  std::vector<std::optional<double>> cutoffs;
  for (const double share : shares) {
    if (share < 0 || share >= 1) config.Refuse(kPattern, "holds what is not from 0 to below 1");
    cutoffs.push_back(share > 0 ? std::optional(InverseNormal(share)) : std::nullopt);
  }
  return cutoffs;
}

// One number for all layers, or a list.
std::vector<uint64_t> ReadIntermediate(const Config& config, uint32_t n_layers) {
  const char* const kSize = "intermediate_size";
  if (!config.HoldsList(kSize)) {
    return std::vector<uint64_t>(n_layers, config.Integer(kSize, 1, kMaxIntermediate));
  }
  std::vector<uint64_t> sizes = config.Integers(kSize, kMaxIntermediate);
  for (const uint64_t size : sizes) {
    if (size == 0) config.Refuse(kSize, "holds a 0");
  }
  if (sizes.size() != n_layers) config.Refuse(kSize, "does not have an entry for each layer");
  return sizes;
}

// Several streams, of which each layer works on one.
void AddStreams(const Config& config, Family& f) {
  AltUp alt_up;
  alt_up.n_streams = static_cast<uint32_t>(config.Integer("altup_num_inputs", 2, kMaxStreams, 4));
  alt_up.active =
      static_cast<uint32_t>(config.Integer("altup_active_idx", 0, alt_up.n_streams - 1, 0));
  alt_up.scaled = config.Flag("altup_correct_scale", true);
  if (!alt_up.scaled) f.ignored.push_back(alt_up.names.scale);
  f.before_layers.push_back([alt_up](SublayerBuilder& b) { b.spec().alt_up = Build(alt_up, b); });
  for (Layer& layer : f.layers) {
    layer.at_end = [alt_up](SublayerBuilder& b, format::LayerT& table) {
      table.alt_up = std::make_unique<format::LayerAltUpT>(BuildLayer(alt_up, b));
    };
  }
}

// Beside attention.
void AddLaurel(const Config& config, Family& f) {
  Laurel laurel;
  laurel.pre_norm = f.attention.pre_norm;
  laurel.rank = config.Count("laurel_rank", kMaxHidden, 64);
  for (Layer& layer : f.layers) {
    layer.attention().reads_previous_input = true;
    layer.attention().residual_factor = static_cast<float>(std::sqrt(0.5));
    layer.sublayers.insert(layer.sublayers.begin(), laurel);
  }
}

DecoderSpec ReadGemma3n(const Config& config) {
  Family f(ReadSizes(config, {.intermediate = nullptr,
                              .default_kv_heads = 2,
                              .default_head_dim = 256,
                              .default_context = 32768}));
  const uint32_t n_layers = f.sizes.n_layers;
  const std::vector<uint64_t> intermediate = ReadIntermediate(config, n_layers);
  ReadGemmaLayers(config, f);
  const char* const kCap = "final_logit_softcapping";
  if (config.Has(kCap) || !config.Mentions(kCap)) {
    f.logit_soft_cap = static_cast<float>(config.Positive(kCap, 30));
  }
  const std::vector<uint32_t> windows = ReadWindows(config, f.sizes, ReadWindow(config, 512),
                                                    [](uint32_t i) { return (i + 1) % 5 != 0; });
  f.ropes = ReadTwoRopes(config, {f.sizes.head_dim, f.sizes.context, 1e6});
  f.AddLayers(windows, {.full = 0, .sliding = 1});
  // As many layers as there are, or more, mean none.
  const auto shared =
      static_cast<uint32_t>(config.Integer("num_kv_shared_layers", 0, kMaxLayers, 15));
  ShareKeys(config, shared < n_layers ? shared : 0, f);
  const std::vector<std::optional<double>> cutoffs = ReadCutoffs(config, n_layers);
  for (uint32_t i = 0; i < n_layers; ++i) {
    Mlp& mlp = f.layers[i].mlp();
    mlp.intermediate_size = static_cast<uint32_t>(intermediate[i]);
    if (!cutoffs[i]) continue;
    mlp.gate_cutoff = std::make_unique<format::GateCutoffT>();
    mlp.gate_cutoff->deviations = static_cast<float>(*cutoffs[i]);
  }
  AddLaurel(config, f);
  AddLayerEmbeddings(config, f);
  if (f.before_layers.empty()) config.Refuse("hidden_size_per_layer_input", "is 0");
  AddStreams(config, f);
  return BuildDecoder(f);
}

void AddGemma3n(const GgufKeys& keys, nlohmann::json& config) {
  // Other readers share from a fixed layer on where it is absent; published files have it.
  const char* const shared = "attention.shared_kv_layers";
  if (!keys.Has(shared)) keys.Refuse(shared, "is missing");
  AddGemmaLayers(keys, 5, config);
  config["rope_parameters"] = {
      {"full_attention", RopeParameters(keys, keys.Number("rope.freq_base", 1e6))},
      {"sliding_attention",
       {{"rope_type", "default"},
        {"rope_theta", keys.NumberOrAssumed("rope.freq_base_swa", 1e4)}}}};
  config["altup_num_inputs"] = keys.Count("altup.num_inputs", kMaxStreams);
  config["altup_active_idx"] = keys.Count("altup.active_idx", kMaxStreams, 0);
  config["altup_correct_scale"] = keys.HasInSomeLayer("altup_correct_scale.weight");
  const auto left = keys.file().tensors().find("blk.0.laurel_l.weight");  // no key says the rank
  if (left != keys.file().tensors().end()) config["laurel_rank"] = left->second.shape.front();
  // Deviations above the mean, and minus infinity where nothing is cut off.
  std::vector<double> shares;
  for (const auto& deviations : keys.NumbersOrNone("activation_sparsity_scale")) {
    shares.push_back(deviations ? Normal(*deviations) : 0);
  }
  if (!shares.empty()) config["activation_sparsity_pattern"] = shares;
}

}  // namespace

std::vector<Architecture> Gemma3nArchitectures() {
  const NameRules names = {
      {"altup_proj", "model.altup_projections.{}", Change::kStreams},
      {"altup_unembd_proj", "model.altup_unembed_projections.{}", Change::kStreams},
      {"blk.{}.altup_router", "model.layers.{}.altup.modality_router"},
      {"blk.{}.altup_router_norm", "model.layers.{}.altup.router_norm"},
      {"blk.{}.altup_predict_coef", "model.layers.{}.altup.prediction_coefs"},
      {"blk.{}.altup_correct_coef", "model.layers.{}.altup.correction_coefs"},
      {"blk.{}.altup_correct_scale.weight", "model.layers.{}.altup.correct_output_scale"},
      {"blk.{}.laurel_l", "model.layers.{}.laurel.linear_left"},
      {"blk.{}.laurel_r", "model.layers.{}.laurel.linear_right"},
      {"blk.{}.laurel_post_norm", "model.layers.{}.laurel.post_laurel_norm"},
  };
  return {{.name = "Gemma3nForCausalLM",
           .model_type = "gemma3n_text",
           .read = ReadGemma3n,
           .gguf = "gemma3n",
           .add_gguf = AddGemma3n,
           .gguf_names = With(GemmaNames(), names)}};
}

}  // namespace rondo::convert
