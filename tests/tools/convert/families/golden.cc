#include "tests/tools/convert/families/golden.h"

#include <cmath>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>
#include <numeric>
#include <sstream>

#include "tests/tools/convert/checkpoint_tensors.h"
#include "tests/tools/convert/families/golden_weights.h"
#include "tools/convert/sources/json_text.h"
#include "tools/convert/tokenizer/text.h"

namespace rondo::convert {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// JSON has no number that is infinite.
float MeanOf(const json& kind) {
  if (!kind.is_string()) return kind;
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  return kind.get<std::string>() == "inf" ? kInfinity : -kInfinity;
}

}  // namespace

void ReadGoldenTensors(const json& tensors, GoldenTensors* by_name) {
  for (const auto& [folded, kind] : tensors.items()) {
    for (const std::string& name : Unfolded(folded)) {
      if (kind.is_null()) {
        by_name->erase(name);
      } else {
        (*by_name)[name] = {kind.at(0), MeanOf(kind.at(1)), kind.at(2)};
      }
    }
  }
}

std::vector<std::string> Unfolded(const std::string& name) {
  const size_t open = name.find('{'), close = name.find('}');
  if (open == std::string::npos) return {name};
  std::vector<std::string> names;
  std::istringstream ranges(name.substr(open + 1, close - open - 1));
  for (std::string range; std::getline(ranges, range, ',');) {
    const size_t dash = range.find('-');
    const int first = std::stoi(range);
    const int last = dash == std::string::npos ? first : std::stoi(range.substr(dash + 1));
    for (int n = first; n <= last; ++n) {
      const auto more = Unfolded(name.substr(0, open) + std::to_string(n) + name.substr(close + 1));
      names.insert(names.end(), more.begin(), more.end());
    }
  }
  return names;
}

std::vector<std::vector<float>> GoldenRows(const std::string& text, size_t n) {
  const std::string data = DecodeBase64(text).value();
  std::vector<std::vector<float>> rows(n);
  const size_t stride = data.size() / rows.size();
  for (size_t row = 0; row < rows.size(); ++row) {
    const char* begin = &data.at(row * stride);
    float unit = 0;
    std::memcpy(&unit, begin, sizeof unit);
    std::vector<int16_t> values((stride - sizeof unit) / sizeof(int16_t));
    std::memcpy(values.data(), begin + sizeof unit, values.size() * sizeof(int16_t));
    for (const int16_t value : values) rows[row].push_back(unit * value);
  }
  return rows;
}

double GoldenDifference(const std::vector<std::vector<float>>& expected,
                        const std::vector<float>& all, std::span<const uint32_t> positions) {
  double sum = 0, squares = 0, worst = 0;
  const size_t cols = expected.front().size();
  for (size_t row = 0; row < expected.size(); ++row) {
    for (size_t col = 0; col < cols; ++col) {
      const double value = expected[row][col];
      sum += value;
      squares += value * value;
      const double error = std::fabs(all.at(positions[row] * cols + col) - value);
      if (!(error <= worst)) worst = error;  // what is no number, too
    }
  }
  const auto n = static_cast<double>(expected.size() * cols);
  return worst / std::sqrt(squares / n - sum / n * (sum / n));
}

std::vector<GoldenModel> ReadGoldens(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  const json file = ParseJsonObject(text, path.string());
  GoldenModel base = {"as it is", file.at("seed"), file.at("config"), {}, {}, ""};
  ReadGoldenTensors(file.at("tensors"), &base.tensors);
  base.logits = GoldenRows(file.at("logits"));
  std::vector<GoldenModel> goldens = {base};
  for (const json& variant : file.at("variants")) {
    GoldenModel golden = base;
    golden.label = variant.at("label");
    golden.config.merge_patch(variant.at("config"));
    if (variant.contains("tensors")) ReadGoldenTensors(variant["tensors"], &golden.tensors);
    if (variant.contains("logits")) golden.logits = GoldenRows(variant["logits"]);
    golden.refused = variant.value("refused", "");
    goldens.push_back(std::move(golden));
  }
  return goldens;
}

void WriteCheckpoint(const fs::path& folder, const GoldenModel& golden) {
  CheckpointTensors tensors;
  for (const auto& [name, tensor] : golden.tensors) {
    const uint64_t size = std::accumulate(tensor.shape.begin(), tensor.shape.end(), uint64_t{1},
                                          std::multiplies<uint64_t>());
    tensors[name] = {tensor.shape,
                     GoldenWeights(golden.seed, name, size, tensor.mean, tensor.exponent)};
  }
  fs::create_directories(folder);
  std::ofstream(folder / "config.json") << golden.config;
  WriteTensors(folder, tensors);
}

std::vector<int32_t> GoldenTokens(const GoldenModel& golden) {
  std::vector<int32_t> tokens;
  for (const uint32_t draw : GoldenDraws(golden.seed, "ids", 48)) {
    tokens.push_back(4 + static_cast<int32_t>(draw % 36));  // behind the special ones
  }
  return tokens;
}

}  // namespace rondo::convert
