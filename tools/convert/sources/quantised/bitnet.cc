// BitNet: weights of -1, 0 and 1 times a number (transformers' integrations/bitnet.py).
//   offline  X.weight U8 [rows / 4, cols], two bits each, one more than they mean: those of row r +
//            k * rows / 4 are bits 2k of byte row r; X.weight_scale [1], which divides, or
//            multiplies where linear_class is autobitlinear
//   online   X.weight of floats, of a layer: with s = max(mean |w|, 1e-5), w is s times w / s
//            rounded and held to [-1, 1]
// modules_to_not_convert names those that are neither.
#include <algorithm>
#include <cmath>

#include "tools/convert/common/fail.h"
#include "tools/convert/sources/quantised/packed_codes.h"

namespace rondo::convert {
namespace {

constexpr uint64_t kLanes = 4;

// integers(row, out), all times `scale`.
template <typename Integers>
void SetReaders(uint64_t cols, const std::function<std::pair<Integers, float>()>& open,
                QuantisedMatrix* found) {
  found->open = [open, cols] {
    return [opened = open(), row_of = std::vector<int8_t>(cols)](uint64_t row,
                                                                 std::span<float> out) mutable {
      opened.first(row, row_of);
      for (size_t i = 0; i < out.size(); ++i) {
        out[i] = static_cast<float>(row_of[i]) * opened.second;
      }
    };
  };
  found->integers = {2, cols, [open] {
                       return [opened = open()](uint64_t row, std::span<int8_t> out,
                                                std::span<float> scales) {
                         opened.first(row, out);
                         scales[0] = opened.second;
                       };
                     }};
}

using Integers = std::function<void(uint64_t row, std::span<int8_t> out)>;
using OpenTernary = std::function<std::pair<Integers, float>()>;

QuantisedMatrix Offline(const FolderTensors& tensors, const std::string& name,
                        const std::string& scale_name, bool multiplies) {
  const Safetensors::Tensor& packed = Part(tensors, name, {"U8"});
  if (packed.shape.size() != 2 || packed.elements() == 0) {
    Fail(tensors.Called(name), " has shape ", InBrackets(packed.shape),
         ", expected rows and columns");
  }
  Part(tensors, scale_name, kFloats, {1}, name);
  const uint64_t rows = packed.shape[0], cols = packed.shape[1];
  QuantisedMatrix found;
  found.shape = {rows * kLanes, cols};
  found.parts = {name, scale_name};
  const OpenTernary open = [=, &tensors] {
    const float stored = tensors.Scales(scale_name)[0];
    const Integers integers = [=, &tensors, bytes = RowsOf(tensors, name, rows)](
                                  uint64_t row, std::span<int8_t> out) {
      const std::span<const uint8_t> codes = bytes(row % rows);
      for (size_t i = 0; i < out.size(); ++i) {
        const int code = codes[i] >> row / rows * 2 & 3;
        if (code == 3) {
          Fail(tensors.Called(name), " has the code 3 in row ", row, ", column ", i,
               ", expected 0, 1 or 2");
        }
        out[i] = static_cast<int8_t>(code - 1);
      }
    };
    const float scale = multiplies ? stored : 1 / stored;
    if (!std::isfinite(scale))
      Fail(tensors.Called(scale_name), " holds ", stored, ", which is too small");
    return std::pair(integers, scale);
  };
  SetReaders(cols, open, &found);
  return found;
}

QuantisedMatrix Online(const FolderTensors& tensors, const std::string& name) {
  const std::vector<uint64_t>& shape = tensors.all().at(name).tensor->shape;
  QuantisedMatrix found;
  found.shape = shape;
  found.parts = {name};
  const OpenTernary open = [&tensors, name, cols = shape[1]] {
    constexpr double kLeast = 1e-5;
    std::vector<float> values = tensors.Floats(name);
    double sum = 0;
    for (const float value : values) sum += std::fabs(double{value});
    const auto scale =
        static_cast<float>(std::max(sum / static_cast<double>(values.size()), kLeast));
    const Integers integers = [values = std::move(values), cols, scale](uint64_t row,
                                                                        std::span<int8_t> out) {
      for (size_t i = 0; i < out.size(); ++i) {
        const float rounded = std::nearbyint(values[row * cols + i] / scale);
        out[i] = static_cast<int8_t>(std::clamp(rounded, -1.0f, 1.0f));
      }
    };
    return std::pair(integers, scale);
  };
  SetReaders(shape[1], open, &found);
  return found;
}

// As transformers has it: a module with one of these in its name keeps its floats.
bool KeepsFloats(const Config& config, const std::string& module) {
  return std::ranges::any_of(config.Texts("modules_to_not_convert"), [&](const std::string& part) {
    return module.find(part) != std::string::npos;
  });
}

}  // namespace

std::optional<QuantisedMatrix> FindBitNet(const FolderTensors& tensors, const std::string& name,
                                          const Quantisation& quantisation) {
  const std::optional<std::string> module = Before(name, ".weight");
  if (quantisation.method != "bitnet" || !module) return std::nullopt;
  const Config& config = *quantisation.config;
  const std::string mode = config.Text("quantization_mode", "offline");
  const std::string linear = config.Text("linear_class", "bitlinear");
  if (mode != "offline" && mode != "online") {
    config.Refuse("quantization_mode", "is \"" + mode + "\", expected offline or online");
  }
  if (linear != "bitlinear" && linear != "autobitlinear") {
    config.Refuse("linear_class", "is \"" + linear + "\", expected bitlinear or autobitlinear");
  }
  const Safetensors::Tensor& tensor = *tensors.all().at(name).tensor;
  const bool is_packed = tensor.dtype == "U8";
  if (KeepsFloats(config, *module)) {
    if (!is_packed) return std::nullopt;
    config.Refuse("modules_to_not_convert", "names " + *module + ", whose weights are packed");
  }
  QuantisedMatrix found;
  if (is_packed) {
    found = Offline(tensors, name, *module + ".weight_scale", linear == "autobitlinear");
  } else if (mode == "online" && tensor.shape.size() == 2 && tensor.elements() > 0 &&
             name.find(".layers.") != std::string::npos) {
    found = Online(tensors, name);
  } else {
    return std::nullopt;
  }
  found.name = name;
  found.type = "BitNet";
  return found;
}

}  // namespace rondo::convert
