#include "tools/convert/architectures/rope.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <sstream>

#include "runtime/base/portable_math.h"
#include "runtime/model/limits.h"
#include "tools/convert/common/portable_power.h"

namespace rondo::convert {
namespace {

// The key of a scaling rule's name; "su" is what longrope was called at first, and "yarn" in the
// first files of Phi-3. A text's positions are the same in all sections of mrope, which is for
// pictures.
std::string TypeOf(const Config& scaling) {
  const std::string type = scaling.Text("rope_type", scaling.Text("type", "default"));
  const bool was_longrope = type == "su" || (type == "yarn" && scaling.Has("long_factor"));
  return was_longrope ? "longrope" : type == "mrope" ? "default" : type;
}

// Where the two forms of config.json keep the same facts.
struct RopeConfig {
  const Config& config;  // the whole file
  Config scaling;        // type and its parameters
  double theta;
  std::string type;
};

// A config may have both forms, as long as they say the same.
void CheckScaling(const Config& config, const Config& parameters) {
  const char* const kOld = "rope_scaling";
  const std::optional<Config> scaling = config.Object(kOld);
  if (!scaling) return;
  bool agree = TypeOf(*scaling) == TypeOf(parameters);
  for (const auto& [key, value] : scaling->object().items()) {
    if (key == "type" || key == "rope_type" || value.is_null()) continue;
    agree = agree && parameters.object().contains(key) && parameters.object().at(key) == value;
  }
  if (!agree) config.Refuse(kOld, "contradicts rope_parameters");
}

RopeConfig Locate(const Config& config, double default_theta) {
  const char* const old_key = config.Has("rotary_emb_base") ? "rotary_emb_base" : "rope_theta";
  const double old_theta = config.Positive(old_key, default_theta);
  if (auto parameters = config.Object("rope_parameters")) {
    const double theta = parameters->Positive("rope_theta", old_theta);
    if (config.Has(old_key) && old_theta != theta) {
      config.Refuse(old_key, "contradicts rope_parameters.rope_theta");
    }
    CheckScaling(config, *parameters);
    return {config, *parameters, theta, TypeOf(*parameters)};
  }
  if (auto scaling = config.Object("rope_scaling")) {
    return {config, *scaling, scaling->Positive("rope_theta", old_theta), TypeOf(*scaling)};
  }
  return {config, config, old_theta, "default"};
}

// Channels of a head that turn.
uint32_t RotatedChannels(const RopeConfig& rope, const RopeRequest& request) {
  double share = request.partial;
  for (const Config* place : {&rope.config, &rope.scaling}) {
    for (const char* key : {"rotary_pct", "partial_rotary_factor"}) {
      if (!place->Has(key)) continue;
      share = place->Positive(key);
      if (share > 1) place->Refuse(key, "is above 1");
    }
  }
  const auto channels = static_cast<uint32_t>(request.head_dim * share);
  if (channels == 0 || channels % 2 != 0) {
    rope.config.Refuse("partial_rotary_factor",
                       "leaves " + std::to_string(channels) + " of a head's " +
                           std::to_string(request.head_dim) +
                           " channels, expected an even number of at least 2");
  }
  return channels;
}

// theta ^ (2i / dim), rounded as a float32 power is.
std::vector<float> Wavelengths(double theta, uint32_t dim) {
  std::vector<float> powers(dim / 2);
  for (uint32_t i = 0; i < dim / 2; ++i) {
    const float exponent = static_cast<float>(2 * i) / static_cast<float>(dim);
    powers[i] =
        static_cast<float>(PortablePower(static_cast<double>(static_cast<float>(theta)), exponent));
  }
  return powers;
}

// Low frequencies are stretched by `factor`, high ones kept, those between blended.
std::vector<float> Llama3(const RopeConfig& rope, std::vector<float> frequencies) {
  const float factor = static_cast<float>(rope.scaling.Positive("factor"));
  const double low = rope.scaling.Positive("low_freq_factor");
  const double high = rope.scaling.Positive("high_freq_factor");
  if (low >= high) rope.scaling.Refuse("low_freq_factor", "is not below high_freq_factor");
  const double original = rope.scaling.Positive("original_max_position_embeddings");
  for (float& frequency : frequencies) {
    const float wavelength = static_cast<float>(2 * std::numbers::pi) / frequency;
    if (wavelength > static_cast<float>(original / low)) {
      frequency /= factor;
    } else if (wavelength >= static_cast<float>(original / high)) {
      const float smooth = (static_cast<float>(original) / wavelength - static_cast<float>(low)) /
                           static_cast<float>(high - low);
      frequency = (1.0f - smooth) * frequency / factor + smooth * frequency;
    }
  }
  return frequencies;
}

double YarnMagnitude(double factor, double mscale) {
  return factor <= 1 ? 1.0 : 0.1 * mscale * PortableLog(factor) + 1.0;
}

float YarnScale(const Config& scaling, double factor) {
  if (scaling.Has("attention_factor")) {
    return static_cast<float>(scaling.Positive("attention_factor"));
  }
  const double mscale = scaling.Number("mscale", 0);
  const double mscale_all_dim = scaling.Number("mscale_all_dim", 0);
  if (mscale == 0 || mscale_all_dim == 0) return static_cast<float>(YarnMagnitude(factor, 1));
  return static_cast<float>(YarnMagnitude(factor, mscale) / YarnMagnitude(factor, mscale_all_dim));
}

// Channels that turn often keep their frequency, those that turn seldom are divided by `factor`,
// with a linear ramp between.
std::vector<float> Yarn(const RopeConfig& rope, double factor, double original, uint32_t dim) {
  if (rope.theta <= 1) rope.scaling.Refuse("rope_theta", "must be above 1 for type yarn");
  // Zero means the default here, as it does in transformers.
  const auto or_default = [&](const char* key, double value) {
    const double given = rope.scaling.Number(key, 0);
    return given == 0 ? value : given;
  };
  const double fast = or_default("beta_fast", 32), slow = or_default("beta_slow", 1);
  if (fast < 0 || slow < 0) rope.scaling.Refuse("beta_fast", "or beta_slow is negative");
  const auto channel_of = [&](double rotations) {
    return dim * PortableLog(original / (rotations * 2 * std::numbers::pi)) /
           (2 * PortableLog(rope.theta));
  };
  double low = channel_of(fast), high = channel_of(slow);
  if (rope.scaling.Flag("truncate", true)) {
    low = std::floor(low);
    high = std::ceil(high);
  }
  low = std::max(low, 0.0);
  high = std::min(high, dim - 1.0);
  if (low == high) high += 0.001;  // no division by zero
  std::vector<float> frequencies = Wavelengths(rope.theta, dim);
  for (uint32_t i = 0; i < frequencies.size(); ++i) {
    const float ramp =
        (static_cast<float>(i) - static_cast<float>(low)) / static_cast<float>(high - low);
    const float kept = 1.0f - std::clamp(ramp, 0.0f, 1.0f);
    const float power = frequencies[i];
    frequencies[i] =
        1.0f / (static_cast<float>(factor) * power) * (1.0f - kept) + 1.0f / power * kept;
  }
  return frequencies;
}

// One factor per frequency for short sequences, one for long ones.
void LongRope(const RopeConfig& rope, const std::vector<float>& wavelengths,
              uint32_t context_length, RopeSpec* spec) {
  const Config& scaling = rope.scaling;
  const char* const kOriginal = "original_max_position_embeddings";
  const Config& place = scaling.Has(kOriginal) ? scaling : rope.config;
  const auto original = static_cast<uint32_t>(place.Integer(kOriginal, 2, context_length));
  const auto frequencies = [&](const char* key) {
    const std::vector<double> factors = scaling.Numbers(key);
    if (factors.size() != wavelengths.size()) {
      scaling.Refuse(key, "has " + std::to_string(factors.size()) + " factors, expected " +
                              std::to_string(wavelengths.size()));
    }
    std::vector<double> result;
    for (size_t i = 0; i < factors.size(); ++i) {
      if (factors[i] <= 0) scaling.Refuse(key, "holds a factor that is not above 0");
      result.push_back(1.0f / (static_cast<float>(factors[i]) * wavelengths[i]));
    }
    return result;
  };
  spec->frequencies = frequencies("short_factor");
  spec->long_frequencies = frequencies("long_factor");
  spec->short_context = original;
  if (spec->long_frequencies == spec->frequencies) {  // the same at any length
    spec->long_frequencies.clear();
    spec->short_context = 0;
  }
  double factor = static_cast<double>(context_length) / original;
  if (scaling.Has("factor") && !rope.config.Has(kOriginal)) factor = scaling.Positive("factor");
  const double attention =
      factor <= 1 ? 1.0
                  : std::sqrt(1 + PortableLog(factor) / PortableLog(static_cast<double>(original)));
  spec->scale = static_cast<float>(scaling.Positive("attention_factor", attention));
}

// M-RoPE: by which coordinate of a row (time, height, width) each pair turns. The sections say how
// many pairs each has: one section behind another in Qwen2-VL and 2.5; in later ones the pairs take
// turns, as long as height and width have some left. GLM's are as Qwen2-VL's. Of other models that
// have the key it is not known which they mean: all pairs turn by the first, as a text's do by any.
std::vector<uint8_t> AxesOf(const RopeConfig& rope, size_t pairs) {
  const std::string type = rope.config.Text("model_type", "");
  const bool takes_turns = type.starts_with("qwen3");
  const bool is_glm = type.starts_with("glm4v") || type.starts_with("glm_ocr");
  const bool known = takes_turns || is_glm || type.starts_with("qwen2");
  const bool said = rope.scaling.Has("mrope_section");
  if (!known || (!said && !is_glm)) return {};
  const std::vector<double> sections =
      said ? rope.scaling.Numbers("mrope_section") : std::vector<double>{8, 12, 12};
  double sum = 0;
  for (const double section : sections) {
    if (section < 0 || section != std::floor(section) || section > static_cast<double>(pairs)) {
      rope.scaling.Refuse("mrope_section", "holds a number that is no number of pairs");
    }
    sum += section;
  }
  if (sections.size() != kRopeAxes || sum != static_cast<double>(pairs)) {
    rope.scaling.Refuse("mrope_section", "does not share out the " + std::to_string(pairs) +
                                             " pairs that turn between three axes");
  }
  std::vector<uint8_t> axes(pairs, 0);
  size_t next = 0;
  for (uint8_t axis = 0; axis < kRopeAxes; ++axis) {
    for (size_t i = 0; i < static_cast<size_t>(sections[axis]); ++i, ++next) {
      const size_t pair = takes_turns ? kRopeAxes * i + axis : next;
      if (axis > 0 && pair < pairs) axes[pair] = axis;
    }
  }
  return axes;
}

RopeSpec Build(const RopeConfig& rope, const RopeRequest& request) {
  const uint32_t dim = RotatedChannels(rope, request);
  const std::vector<float> wavelengths = Wavelengths(rope.theta, dim);
  std::vector<float> frequencies = wavelengths;
  for (float& frequency : frequencies) frequency = 1.0f / frequency;

  RopeSpec spec;
  std::ostringstream description;
  description << rope.type << ", theta " << rope.theta;
  if (dim != request.head_dim)
    description << ", " << dim << " of " << request.head_dim << " channels";
  if (rope.type == "linear") {
    const float factor = static_cast<float>(rope.scaling.Positive("factor"));
    for (float& frequency : frequencies) frequency /= factor;
    description << ", factor " << factor;
  } else if (rope.type == "llama3") {
    frequencies = Llama3(rope, std::move(frequencies));
    description << ", factor " << rope.scaling.Positive("factor");
  } else if (rope.type == "yarn") {
    const double original =
        rope.scaling.Positive("original_max_position_embeddings", request.context_length);
    const double factor = rope.scaling.Positive("factor", request.context_length / original);
    frequencies = Yarn(rope, factor, original, dim);
    spec.scale = YarnScale(rope.scaling, factor);
    description << ", factor " << factor;
  } else if (rope.type == "longrope") {
    LongRope(rope, wavelengths, request.context_length, &spec);
    if (spec.short_context > 0) {
      description << ", up to " << spec.short_context << " tokens by the short factors";
    }
  } else if (rope.type == "dynamic") {
    spec.short_context = request.context_length;
    description << ", up to " << request.context_length << " tokens";
  } else if (rope.type != "default") {
    rope.scaling.Refuse("rope_type", "is " + rope.type + "; known: default, linear, dynamic, " +
                                         "llama3, yarn, longrope");
  }
  if (spec.frequencies.empty()) spec.frequencies.assign(frequencies.begin(), frequencies.end());
  for (const std::vector<double>* all : {&spec.frequencies, &spec.long_frequencies}) {
    for (double frequency : *all) {
      if (std::isfinite(frequency)) continue;
      rope.config.Refuse("rope_theta", "and its scaling give a frequency that is not finite");
    }
  }
  if (!std::isfinite(spec.scale) || spec.scale <= 0) {
    rope.scaling.Refuse("mscale", "gives an attention factor that is not above 0");
  }
  spec.axes = AxesOf(rope, spec.frequencies.size());
  if (!spec.axes.empty()) description << ", by three axes";
  spec.description = description.str();
  return spec;
}

}  // namespace

RopeSpec ReadRope(const Config& config, const RopeRequest& request) {
  return Build(Locate(config, request.theta), request);
}

RopeSpec ReadRope(const Config& config, const Config& parameters, const RopeRequest& request) {
  return Build(
      {config, parameters, parameters.Positive("rope_theta", request.theta), TypeOf(parameters)},
      request);
}

std::vector<RopeSpec> ReadRopesByWindow(const Config& config, const RopeRequest& full,
                                        const RopeRequest& sliding) {
  const std::optional<Config> all = config.Object("rope_parameters");
  const auto rope = [&](const char* type, const RopeRequest& request) {
    const std::optional<Config> own = all ? all->Object(type) : std::nullopt;
    if (!own) return PlainRope(Config::Of("its defaults: key ", {}), request.theta, request);
    RopeRequest whole = request;
    whole.partial = 1;  // what is meant where parameters are given
    return ReadRope(*own, *own, whole);
  };
  return {rope("full_attention", full), rope("sliding_attention", sliding)};
}

RopeSpec PlainRope(const Config& config, double theta, const RopeRequest& request) {
  return Build({config, config, theta, "default"}, request);
}

}  // namespace rondo::convert
