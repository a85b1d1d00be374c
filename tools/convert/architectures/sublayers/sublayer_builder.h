// SublayerBuilder: what the sublayers of a model are made of, layer by layer: tables of the schema,
// and the recipes of their tensors.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tools/convert/architectures/family.h"

namespace rondo::convert {

class SublayerBuilder {
 public:
  // Both outlive it.
  SublayerBuilder(const Family& family, DecoderSpec* spec)
      : f_(family), s_(family.sizes), spec_(*spec) {}

  void BeginLayer(uint32_t index) {
    name_ = "layers." + std::to_string(index) + ".";
    source_ = f_.prefix + f_.layer_prefix + std::to_string(index) + ".";
  }
  // Another one, by what its names begin with.
  void BeginLayer(const std::string& name, const std::string& source) {
    name_ = name;
    source_ = source;
  }
  const std::string& name() const { return name_; }      // of the layer, in the Rondo file
  const std::string& source() const { return source_; }  // and in the checkpoint
  const Family& family() const { return f_; }
  const Sizes& sizes() const { return s_; }
  DecoderSpec& spec() { return spec_; }

  // Parts by the names of their tensors, without ".weight". `apart`: where some checkpoints have
  // them instead; empty: nowhere.
  std::unique_ptr<format::LinearT> Linear(const std::string& name,
                                          const std::vector<TensorRecipe::Part>& parts,
                                          uint64_t cols, bool has_bias, float scale = 1,
                                          const std::vector<TensorRecipe::Part>& apart = {});
  // A tensor as it is, by its whole name.
  int32_t Vector(const std::string& name, const std::string& source, uint64_t size);
  // A depthwise convolution's.
  uint32_t Kernel(const std::string& name, const std::string& source, uint32_t taps,
                  uint64_t channels);
  // Of the residual stream; null where the family has none. One whose tensors serve in two places
  // is written once.
  std::unique_ptr<format::NormT> Norm(const std::string& name, const std::string& source,
                                      float scale = 1);
  // Of n channels, without weights.
  std::unique_ptr<format::NormT> PlainNorm(const std::string& name, uint64_t n, float scale = 1);
  std::unique_ptr<format::NormT> NormOf(const std::string& name,
                                        std::vector<TensorRecipe::Part> weights,
                                        std::vector<TensorRecipe::Part> biases, bool has_bias,
                                        float scale);

 private:
  const Family& f_;
  const Sizes& s_;
  DecoderSpec& spec_;
  std::string name_, source_;
  std::map<std::string, format::NormT> norms_;  // by source
};

// A tensor of gate and up, as GGUF files have it: two, called as it is and ".gate" or ".up".
std::vector<TensorRecipe::Part> GateAndUp(const std::string& fused, uint64_t size);

}  // namespace rondo::convert
