#include "tests/tools/convert/checkpoint_of.h"

#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <vector>

#include "tools/convert/architectures/architecture.h"

namespace rondo::convert {

namespace {

struct Tensor {
  std::vector<uint64_t> shape;
  bool is_norm;
  bool is_draft_input;
};

// Makes the model's next token hang on the last one above all, and the draft head do the same.
void Guess(const std::string& name, const Tensor& tensor, float* values) {
  const uint64_t rows = tensor.shape[0], cols = tensor.shape.back();
  if (tensor.is_draft_input && cols == 2 * rows) {
    for (uint64_t r = 0; r < rows; ++r) {
      for (uint64_t c = 0; c < cols; ++c) values[r * cols + c] = r == c ? 1 : 0;
    }
  } else if (name.ends_with("o_proj.weight") || name.ends_with("out_proj.weight") ||
             name.ends_with("down_proj.weight") || name.ends_with("down_proj")) {
    uint64_t size = 1;
    for (const uint64_t n : tensor.shape) size *= n;
    for (uint64_t i = 0; i < size; ++i) values[i] *= 0.1f;
  } else if (tensor.is_norm && name.find(".post_") != std::string::npos) {
    for (uint64_t i = 0; i < rows; ++i) values[i] *= 0.1f;
  }
}

void Write(const std::filesystem::path& directory, const std::string& config_json, bool draft_head,
           bool guesses, const Shapes& more = {}) {
  std::filesystem::create_directories(directory);
  std::ofstream(directory / "config.json") << config_json;
  const Config own = Config::Load(directory / "config.json");
  const Config config = more.empty() ? own : own.With("architectures", nullptr);
  const DecoderSpec spec = ReadArchitecture(draft_head ? config.WithDraftHead() : config);
  std::map<std::string, Tensor> tensors;
  for (const auto& [name, shape] : more) {
    tensors[name] = {shape, name.find("norm") != std::string::npos, false};
  }
  for (const TensorRecipe& recipe : spec.tensors) {
    const bool is_norm = recipe.name.find("norm") != std::string::npos;
    for (const TensorRecipe::Part& part : recipe.parts) {
      if (part.source.empty()) continue;
      tensors[part.source] = {
          recipe.SourceShape(part), is_norm,
          recipe.name == "draft_head.input" || recipe.name == "assistant.input"};
    }
    if (recipe.factor) tensors[recipe.factor->source] = {recipe.FactorShape(), false, false};
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
    if (guesses) Guess(name, tensor, values.data() + begin / sizeof(float));
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

}  // namespace

void WriteCheckpointOf(const std::filesystem::path& directory, const std::string& config_json) {
  Write(directory, config_json, false, false);
}

void WriteCheckpointWith(const std::filesystem::path& directory, const std::string& config_json,
                         const Shapes& more) {
  Write(directory, config_json, false, false, more);
}

void WriteCheckpointWithDraftHead(const std::filesystem::path& directory,
                                  const std::string& config_json) {
  Write(directory, config_json, true, true);
}

void WriteCheckpointWithAnyDraftHead(const std::filesystem::path& directory,
                                     const std::string& config_json) {
  Write(directory, config_json, true, false);
}

}  // namespace rondo::convert
