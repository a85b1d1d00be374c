// Magnitudes: how large the channels of identities are, on either side, by the weights alone.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "tools/convert/identities/identity.h"
#include "tools/convert/sources/checkpoint.h"

namespace rondo::convert {

// As if the inputs of norms, and what no identity leads to, had a variance of 1. What is given does
// not depend on which of the equal models the weights are. Tables, which stay float32, count
// nothing. Everything throws Error.
class Magnitudes {
 public:
  // All three outlive it.
  Magnitudes(const DecoderSpec& spec, const Checkpoint& checkpoint,
             const std::vector<Identity>& identities);

  // Of each channel: its standard deviation.
  std::vector<double> Made(const Identity& identity);
  // Of each channel: its weight in what reads it, by the rows' own magnitudes.
  std::vector<double> Read(const Identity& identity);
  // Of all tensors that were looked at.
  void Forget() { tensors_.clear(); }

 private:
  struct OfTensor {
    std::vector<double> rows, columns;  // root of sums; root of mean shares
  };
  const OfTensor& Of(uint32_t tensor);
  OfTensor OfMatrix(const TensorRecipe& recipe, const std::vector<float>& inputs) const;
  std::vector<float> InputsOf(uint32_t tensor);
  // Times these.
  void Multiply(const Places& places, std::vector<double>* channels);

  const DecoderSpec& spec_;
  const Checkpoint& checkpoint_;
  std::map<uint32_t, std::vector<const Identity*>> feeding_;  // by the tensor that reads them
  std::map<uint32_t, OfTensor> tensors_;
};

}  // namespace rondo::convert
