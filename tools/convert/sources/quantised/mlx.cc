// MLX: X.weight U32 [..., rows, cols * bits / 32], codes from the low bit on, X.scales [..., rows,
// groups] and X.biases; weight = code * scale + bias (mlx_lm/utils.py). In its modes mxfp4 and
// nvfp4 the codes are FP4, the scales U8 and there are no biases.
#include "tools/convert/common/fail.h"
#include "tools/convert/sources/float_formats.h"
#include "tools/convert/sources/quantised/packed_codes.h"

namespace rondo::convert {
namespace {

struct Parts {
  std::string codes, scales, biases;
};

ReadRow OpenAffine(const FolderTensors& tensors, const Parts& parts, uint64_t rows, uint64_t groups,
                   uint32_t bits) {
  ScaledRows matrix = ScaledRowsOf(tensors, parts.codes, parts.scales, rows, groups, bits);
  matrix.biases = tensors.Floats(parts.biases);
  return matrix;
}

}  // namespace

std::optional<QuantisedMatrix> FindMlx(const FolderTensors& tensors, const std::string& name,
                                       const Quantisation& quantisation) {
  const std::optional<std::string> module = Before(name, ".weight");
  if (!module || tensors.all().at(name).tensor->dtype != "U32") return std::nullopt;
  if (quantisation.method != "mlx") {
    Fail(tensors.Called(name), " is U32, as MLX has it, but the config has no MLX quantization");
  }
  const Parts parts = {name, *module + ".scales", *module + ".biases"};
  const bool affine = tensors.Find(parts.biases) != nullptr;
  const Safetensors::Tensor& codes = *tensors.all().at(name).tensor;
  const Safetensors::Tensor& scales =
      affine ? Part(tensors, parts.scales, kFloats) : Part(tensors, parts.scales, {"U8"});
  // Layers may differ from what the config says of all.
  const Config& all = *quantisation.config;
  const std::optional<Config> own =
      all.object().contains(*module) && all.object()[*module].is_object()
          ? all.Object(module->c_str())
          : std::nullopt;
  const Config& config = own ? *own : all;
  const auto bits = static_cast<uint32_t>(config.Integer("bits", 1, 8));
  const std::string mode = config.Text("mode", affine ? "affine" : "mxfp4");
  const bool is_known =
      affine ? mode == "affine" : (mode == "mxfp4" || mode == "nvfp4") && bits == 4;
  if (!is_known) config.Refuse("mode", "is \"" + mode + "\", which does not fit tensor " + name);
  if (codes.shape.size() < 2 || codes.elements() == 0 || codes.shape.back() * 32 % bits != 0) {
    Fail(tensors.Called(name), " has shape ", InBrackets(codes.shape), ", expected rows of ", bits,
         " bits");
  }
  QuantisedMatrix found;
  found.shape = codes.shape;
  found.shape.back() = codes.shape.back() * 32 / bits;
  const uint64_t cols = found.shape.back(), rows = codes.elements() / codes.shape.back();
  const uint64_t groups = cols / config.Integer("group_size", 1, cols);
  std::vector<uint64_t> expected = codes.shape;
  expected.back() = groups;
  if (groups == 0 || cols % groups != 0 || scales.shape != expected) {
    Fail(tensors.Called(parts.scales), " has shape ", InBrackets(scales.shape), ", expected ",
         InBrackets(expected), " by ", name, " and the config's group_size");
  }
  found.name = name;
  found.type = affine ? "MLX, " + std::to_string(bits) + " bits" : "MLX, " + mode;
  found.parts = {name, parts.scales};
  if (affine) {
    Part(tensors, parts.biases, kFloats, expected, parts.scales);
    found.parts.push_back(parts.biases);
    found.open = [&tensors, parts, rows, groups, bits] {
      return OpenAffine(tensors, parts, rows, groups, bits);
    };
  } else {
    found.open = [&tensors, parts, rows, value = mode == "nvfp4" ? FromE4M3 : FromE8M0] {
      return Fp4Rows(RowsOf(tensors, parts.codes, rows), RowsOf(tensors, parts.scales, rows),
                     value);
    };
  }
  return found;
}

}  // namespace rondo::convert
