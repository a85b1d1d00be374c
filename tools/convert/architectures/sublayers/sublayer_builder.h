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
    layer_ = index;
    name_ = "layers." + std::to_string(index) + ".";
    source_ = f_.prefix + f_.layers + std::to_string(index) + ".";
  }
  uint32_t layer() const { return layer_; }
  const std::string& name() const { return name_; }      // of the layer, in the Rondo file
  const std::string& source() const { return source_; }  // and in the checkpoint
  const Family& family() const { return f_; }
  const Sizes& sizes() const { return s_; }
  DecoderSpec& spec() { return spec_; }
  uint32_t intermediate() const {  // of the layer's MLP
    return f_.layer_intermediate.empty() ? s_.intermediate : f_.layer_intermediate[layer_];
  }

  // Parts by the names of their tensors, without ".weight". `apart`: where some checkpoints have
  // them instead; empty: nowhere.
  std::unique_ptr<format::LinearT> Linear(const std::string& name,
                                          const std::vector<TensorRecipe::Part>& parts,
                                          uint64_t cols, bool has_bias, float scale = 1,
                                          const std::vector<TensorRecipe::Part>& apart = {});
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
  uint32_t layer_ = 0;
  std::string name_, source_;
  std::map<std::string, format::NormT> norms_;  // by source
};

// A tensor of gate and up, as GGUF files have it: two, called as it is and ".gate" or ".up".
std::vector<TensorRecipe::Part> GateAndUp(const std::string& fused, uint64_t size);
// The model's own part of layer embeddings, and of several residual streams.
format::LayerEmbeddingsT BuildLayerEmbeddings(SublayerBuilder& b);
format::AltUpT BuildAltUp(SublayerBuilder& b);
// What the layer that was begun does with these streams.
format::LayerAltUpT BuildLayerAltUp(SublayerBuilder& b);
// The sublayers of the layer that was begun, one file each.
format::AttentionT BuildAttention(SublayerBuilder& b);
format::LatentAttentionT BuildLatentAttention(SublayerBuilder& b);
format::LayerEmbeddingT BuildLayerEmbedding(SublayerBuilder& b);
format::LaurelT BuildLaurel(SublayerBuilder& b);
format::ShortConvT BuildShortConv(SublayerBuilder& b);
format::GatedDeltaNetT BuildGatedDeltaNet(SublayerBuilder& b);
format::Mamba2T BuildMamba2(SublayerBuilder& b);
format::MlpT BuildMlp(SublayerBuilder& b);
format::ExpertsT BuildExperts(SublayerBuilder& b);

}  // namespace rondo::convert
