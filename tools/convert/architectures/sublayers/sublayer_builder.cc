#include "tools/convert/architectures/sublayers/sublayer_builder.h"

namespace rondo::convert {

std::unique_ptr<format::LinearT> SublayerBuilder::Linear(
    const std::string& name, const std::vector<TensorRecipe::Part>& parts, uint64_t cols,
    bool has_bias, float scale, const std::vector<TensorRecipe::Part>& apart) {
  TensorRecipe weights{name, TensorRole::kMatrix, {}, cols};
  TensorRecipe biases{name + ".bias", TensorRole::kVector, {}, 1};
  weights.transposed = f_.transposed;
  weights.scale = biases.scale = scale;
  const auto add = [](const std::vector<TensorRecipe::Part>& from,
                      std::vector<TensorRecipe::Part>& of_weights,
                      std::vector<TensorRecipe::Part>& of_biases) {
    for (const TensorRecipe::Part& part : from) {
      of_weights.push_back(part);
      of_biases.push_back(part);
      of_weights.back().source += ".weight";
      of_biases.back().source += ".bias";
      if (!part.shape.empty()) of_biases.back().shape = {part.shape.front()};
    }
  };
  add(parts, weights.parts, biases.parts);
  if (!apart.empty()) {
    weights.others.push_back({{}, f_.transposed});
    biases.others.emplace_back();
    add(apart, weights.others[0].parts, biases.others[0].parts);
  }
  auto linear = std::make_unique<format::LinearT>();
  linear->weight = spec_.Add(std::move(weights));
  if (has_bias) linear->bias = static_cast<int32_t>(spec_.Add(std::move(biases)));
  return linear;
}

int32_t SublayerBuilder::Vector(const std::string& name, const std::string& source, uint64_t size) {
  return static_cast<int32_t>(spec_.Add({name, TensorRole::kVector, {{source, size}}, 1}));
}

uint32_t SublayerBuilder::Kernel(const std::string& name, const std::string& source, uint32_t taps,
                                 uint64_t channels) {
  TensorRecipe kernel{name, TensorRole::kTable, {{source, taps, 0, {channels, 1, taps}}}, channels};
  kernel.transposed = true;
  return spec_.Add(std::move(kernel));
}

std::unique_ptr<format::NormT> SublayerBuilder::Norm(const std::string& name,
                                                     const std::string& source, float scale) {
  const auto found = norms_.find(source);
  if (found != norms_.end()) return std::make_unique<format::NormT>(found->second);
  if (!f_.norm_weights) return PlainNorm(name, s_.hidden, scale);
  auto norm = NormOf(name, {{source + ".weight", s_.hidden}}, {{source + ".bias", s_.hidden}},
                     f_.norm_bias, scale);
  norms_.emplace(source, *norm);
  return norm;
}

std::unique_ptr<format::NormT> SublayerBuilder::PlainNorm(const std::string& name, uint64_t n,
                                                          float scale) {
  auto norm = std::make_unique<format::NormT>();
  norm->kind = f_.norm;
  norm->epsilon = f_.epsilon;
  TensorRecipe ones{name, TensorRole::kVector, {{"", n}}, 1};
  ones.scale = scale;
  norm->weight = spec_.Add(std::move(ones));
  return norm;
}

std::unique_ptr<format::NormT> SublayerBuilder::NormOf(const std::string& name,
                                                       std::vector<TensorRecipe::Part> weights,
                                                       std::vector<TensorRecipe::Part> biases,
                                                       bool has_bias, float scale) {
  TensorRecipe weight{name, TensorRole::kVector, std::move(weights), 1};
  weight.scale = scale;
  weight.offset = f_.norm_offset * scale;
  auto norm = std::make_unique<format::NormT>();
  norm->kind = f_.norm;
  norm->epsilon = f_.epsilon;
  norm->weight = spec_.Add(std::move(weight));
  if (has_bias) {
    TensorRecipe bias{name + ".bias", TensorRole::kVector, std::move(biases), 1};
    bias.scale = scale;
    norm->bias = static_cast<int32_t>(spec_.Add(std::move(bias)));
  }
  return norm;
}

std::vector<TensorRecipe::Part> GateAndUp(const std::string& fused, uint64_t size) {
  return {{fused + ".gate", size}, {fused + ".up", size}};
}

}  // namespace rondo::convert
