#include "tests/tools/convert/checkpoint_of.h"

#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <vector>

#include "tools/convert/architectures/architecture.h"

namespace rondo::convert {

void WriteCheckpointOf(const std::filesystem::path& directory, const std::string& config_json) {
  std::filesystem::create_directories(directory);
  std::ofstream(directory / "config.json") << config_json;
  const DecoderSpec spec = ReadArchitecture(Config::Load(directory / "config.json"));
  struct Tensor {
    std::vector<uint64_t> shape;
    bool is_norm;
  };
  std::map<std::string, Tensor> tensors;
  for (const TensorRecipe& recipe : spec.tensors) {
    const bool is_norm = recipe.name.find("norm") != std::string::npos;
    for (const TensorRecipe::Part& part : recipe.parts) {
      if (part.source.empty()) continue;
      tensors[part.source] = {recipe.SourceShape(part), is_norm};
    }
    if (recipe.factor) tensors[recipe.factor->source] = {recipe.FactorShape(), false};
  }
  nlohmann::json header = nlohmann::json::object();
  std::vector<float> values;
  std::mt19937 random(7);
  std::normal_distribution<float> normal;
  for (const auto& [name, tensor] : tensors) {
    uint64_t size = 1;
    for (const uint64_t n : tensor.shape) size *= n;
    const uint64_t begin = values.size() * sizeof(float);
    // Activations then keep about the size that they have.
    const float deviation =
        tensor.is_norm ? 0.1f : 1 / std::sqrt(static_cast<float>(tensor.shape.back()));
    for (uint64_t i = 0; i < size; ++i) {
      values.push_back((tensor.is_norm ? 1.0f : 0.0f) + deviation * normal(random));
    }
    header[name] = {{"dtype", "F32"},
                    {"shape", tensor.shape},
                    {"data_offsets", {begin, values.size() * sizeof(float)}}};
  }
  const std::string text = header.dump();
  const uint64_t length = text.size();
  std::ofstream out(directory / "model.safetensors", std::ios::binary);
  out.write(reinterpret_cast<const char*>(&length), sizeof length);
  out << text;
  out.write(reinterpret_cast<const char*>(values.data()),
            static_cast<std::streamsize>(values.size() * sizeof(float)));
}

}  // namespace rondo::convert
