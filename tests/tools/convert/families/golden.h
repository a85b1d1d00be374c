// Goldens: tiny models of each type of transformers, with the logits that transformers gave. How
// they are written is told in tests/data/families/README.md.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace rondo::convert {

struct GoldenTensor {
  std::vector<uint64_t> shape;
  float mean;
  int exponent;
};

struct GoldenModel {
  std::string label;  // what is different from the type's first one; of that "as it is"
  uint64_t seed;
  nlohmann::json config;
  std::map<std::string, GoldenTensor> tensors;  // by name
  std::vector<std::vector<float>> logits;       // of the tokens at kGoldenPositions
  std::string refused;  // a word of the sentence with which it is refused; empty: it is not
};

constexpr uint32_t kGoldenPositions[] = {11, 30, 47};
// Worst difference of a logit, by the standard deviation of the three rows.
constexpr double kGoldenTolerance = 3e-4;

// The type's own model first, then its variants. Throws std::exception.
std::vector<GoldenModel> ReadGoldens(const std::filesystem::path& path);
// config.json and model.safetensors. `folder` is made if it is absent.
void WriteCheckpoint(const std::filesystem::path& folder, const GoldenModel& golden);
// What the model is given.
std::vector<int32_t> GoldenTokens(const GoldenModel& golden);
// Of the tokens at kGoldenPositions. Each row is a float and as many integers of 16 bits, which it
// is the unit of, in base64.
std::vector<std::vector<float>> GoldenRows(const std::string& text);
// The largest of `all`, which are the logits of all tokens, from those rows, by the standard
// deviation of the rows.
double GoldenDifference(const std::vector<std::vector<float>>& expected,
                        const std::vector<float>& all);
// The names that a folded one stands for: "a.{0-1,5}.b" is a.0.b, a.1.b and a.5.b.
std::vector<std::string> Unfolded(const std::string& name);

}  // namespace rondo::convert
