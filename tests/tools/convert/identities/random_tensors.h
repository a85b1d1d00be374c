// A checkpoint of random matrices, of which rows and columns can be multiplied; vectors are 1.
#pragma once

#include <algorithm>
#include <map>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tools/convert/output/decoder_spec.h"
#include "tools/convert/sources/checkpoint.h"

namespace rondo::convert {

// Of all that a spec asks for, in memory.
class RandomTensors : public Checkpoint {
 public:
  // As files say that they have them: of the matrices the type and the bytes of an element.
  explicit RandomTensors(const DecoderSpec& spec, const std::string& type = "F32",
                         uint64_t bytes = 4) {
    std::mt19937 random(1);
    std::normal_distribution<float> normal;
    for (const TensorRecipe& recipe : spec.tensors) {
      for (const TensorRecipe::Part& part : recipe.parts) {
        const bool is_matrix = recipe.role == TensorRole::kMatrix;
        Entry entry{"memory", is_matrix ? type : "F32", recipe.SourceShape(part)};
        entry.bytes = entry.elements() * (is_matrix ? bytes : sizeof(float));
        std::vector<float>& values = values_[part.source];
        values.resize(entry.elements());
        for (float& value : values) value = entry.shape.size() == 1 ? 1 : normal(random);
        Add(part.source, std::move(entry));
      }
    }
  }

  void Read(const std::string& name, uint64_t first, std::span<float> out) const override {
    std::copy_n(values_.at(name).begin() + static_cast<ptrdiff_t>(first), out.size(), out.begin());
  }

  // Row, or column, `index` of a matrix of so many columns.
  void Multiply(const std::string& name, uint64_t cols, bool column, uint64_t index, float factor) {
    std::vector<float>& values = values_.at(name + ".weight");
    for (size_t i = 0; i < values.size(); ++i) {
      if ((column ? i % cols : i / cols) == index) values[i] *= factor;
    }
  }

 private:
  std::string Where() const override { return "memory"; }
  std::map<std::string, std::vector<float>> values_;
};

}  // namespace rondo::convert
