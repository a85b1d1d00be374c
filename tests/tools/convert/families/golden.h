// Goldens: tiny models of each type of transformers, with the logits that transformers gave. How
// they are written is told in tests/data/families/README.md.
#pragma once

#include <cstdint>
#include <filesystem>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

namespace rondo::convert {

struct GoldenTensor {
  std::vector<uint64_t> shape;
  float mean;  // may be infinite: then all its values are
  int exponent;
};
using GoldenTensors = std::map<std::string, GoldenTensor>;  // by name

struct GoldenModel {
  std::string label;  // what is different from the type's first one; of that "as it is"
  uint64_t seed;
  nlohmann::json config;
  GoldenTensors tensors;
  std::vector<std::vector<float>> logits;  // of the tokens at kGoldenPositions
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
// Those of a file, which names of tensors that differ in numbers alone are folded in, put into
// `by_name`; null takes one out.
void ReadGoldenTensors(const nlohmann::json& tensors, GoldenTensors* by_name);
// Each of `n` rows is a float and as many integers of 16 bits, which it is the unit of, in base64.
std::vector<std::vector<float>> GoldenRows(const std::string& text,
                                           size_t n = std::size(kGoldenPositions));
// The largest of `all`, which has many rows, from those that are expected at `positions`, by the
// standard deviation of all that is expected.
double GoldenDifference(const std::vector<std::vector<float>>& expected,
                        const std::vector<float>& all,
                        std::span<const uint32_t> positions = kGoldenPositions);
// The names that a folded one stands for: "a.{0-1,5}.b" is a.0.b, a.1.b and a.5.b.
std::vector<std::string> Unfolded(const std::string& name);

}  // namespace rondo::convert
