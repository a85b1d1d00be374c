#include "tools/convert/rope.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <sstream>

namespace rondo::convert {
namespace {

constexpr double kDefaultTheta = 10000.0;

// Where the two forms of config.json keep the same facts.
struct RopeConfig {
  Config scaling;  // type and its parameters
  double theta;
  std::string type;
};

RopeConfig Locate(const Config& config) {
  const auto type_of = [](const Config& scaling) {
    return scaling.Text("rope_type", scaling.Text("type", "default"));
  };
  if (auto parameters = config.Object("rope_parameters")) {
    const double theta = parameters->Positive("rope_theta", kDefaultTheta);
    if (config.Has("rope_theta") && config.Positive("rope_theta") != theta) {
      config.Refuse("rope_theta", "contradicts rope_parameters.rope_theta");
    }
    return {*parameters, theta, type_of(*parameters)};
  }
  const double theta = config.Positive("rope_theta", kDefaultTheta);
  if (auto scaling = config.Object("rope_scaling")) return {*scaling, theta, type_of(*scaling)};
  return {config, theta, "default"};
}

// theta ^ (2i / dim), rounded as a float32 power is.
std::vector<float> Wavelengths(double theta, uint32_t dim) {
  std::vector<float> powers(dim / 2);
  for (uint32_t i = 0; i < dim / 2; ++i) {
    const float exponent = static_cast<float>(2 * i) / static_cast<float>(dim);
    powers[i] = static_cast<float>(
        std::pow(static_cast<double>(static_cast<float>(theta)), static_cast<double>(exponent)));
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
  return factor <= 1 ? 1.0 : 0.1 * mscale * std::log(factor) + 1.0;
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
    return dim * std::log(original / (rotations * 2 * std::numbers::pi)) /
           (2 * std::log(rope.theta));
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

}  // namespace

RopeSpec ReadRope(const Config& config, uint32_t head_dim, uint32_t context_length) {
  const RopeConfig rope = Locate(config);
  const char* const kPartial = "partial_rotary_factor";
  for (const Config* place : {&config, &rope.scaling}) {
    if (place->Number(kPartial, 1) != 1) place->Refuse(kPartial, "is not 1, the only one known");
  }
  std::vector<float> frequencies = Wavelengths(rope.theta, head_dim);
  for (float& frequency : frequencies) frequency = 1.0f / frequency;

  RopeSpec spec;
  std::ostringstream description;
  description << rope.type << ", theta " << rope.theta;
  if (rope.type == "linear") {
    const float factor = static_cast<float>(rope.scaling.Positive("factor"));
    for (float& frequency : frequencies) frequency /= factor;
    description << ", factor " << factor;
  } else if (rope.type == "llama3") {
    frequencies = Llama3(rope, std::move(frequencies));
    description << ", factor " << rope.scaling.Positive("factor");
  } else if (rope.type == "yarn") {
    const double original =
        rope.scaling.Positive("original_max_position_embeddings", context_length);
    const double factor = rope.scaling.Positive("factor", context_length / original);
    frequencies = Yarn(rope, factor, original, head_dim);
    spec.scale = YarnScale(rope.scaling, factor);
    description << ", factor " << factor;
  } else if (rope.type != "default") {
    rope.scaling.Refuse("rope_type", "is " + rope.type + "; known: default, linear, llama3, yarn");
  }
  for (float frequency : frequencies) {
    if (!std::isfinite(frequency)) {
      config.Refuse("rope_theta", "and its scaling give a frequency that is not finite");
    }
    spec.frequencies.push_back(frequency);
  }
  if (!std::isfinite(spec.scale) || spec.scale <= 0) {
    rope.scaling.Refuse("mscale", "gives an attention factor that is not above 0");
  }
  spec.description = description.str();
  return spec;
}

}  // namespace rondo::convert
