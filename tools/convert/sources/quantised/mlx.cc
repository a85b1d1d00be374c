// MLX: X.weight U32 [..., rows, cols * bits / 32], codes from the low bit on, X.scales [..., rows,
// groups] and X.biases; weight = code * scale + bias (mlx_lm/utils.py). In its modes mxfp4, nvfp4
// and mxfp8 the codes are FP4 or FP8, the scales U8 and there are no biases. By a module's name the
// config says what is otherwise there, or false.
#include "tools/convert/common/fail.h"
#include "tools/convert/sources/float_formats.h"
#include "tools/convert/sources/quantised/packed_codes.h"

namespace rondo::convert {
namespace {

struct Parts {
  std::string codes, scales, biases;
};

// What MLX quantises with where nothing else is said.
struct Mode {
  const char* name;
  uint64_t bits, group_size;
};
constexpr Mode kModes[] = {{"affine", 4, 64}, {"mxfp4", 4, 32}, {"nvfp4", 4, 16}, {"mxfp8", 8, 32}};

struct Settings {
  Mode mode;
  uint32_t bits;
  uint64_t group_size;
};

// What the config says of the module, or of all.
Settings ReadSettings(const Config& all, const std::string& module, bool affine) {
  const auto own = all.object().find(module);
  if (own != all.object().end() && own->is_boolean() && !own->get<bool>()) {
    all.Refuse(module.c_str(), "is false, but the file has it quantised");
  }
  const bool is_own = own != all.object().end() && own->is_object();
  const Config config = is_own ? *all.Object(module.c_str()) : all;
  const std::string name = config.Text("mode", affine ? "affine" : "mxfp4");
  for (const Mode& mode : kModes) {
    if (mode.name != name || affine != (name == "affine")) continue;
    const auto read = [&](const char* key, uint64_t most, uint64_t usual) {
      return is_own ? config.Integer(key, 1, most, usual) : config.Integer(key, 1, most);
    };
    const uint64_t bits = read("bits", 8, mode.bits);
    const uint64_t group_size = read("group_size", uint64_t{1} << 31, mode.group_size);
    if (!affine && bits != mode.bits) config.Refuse("bits", "does not fit mode " + name);
    if (!affine && group_size != mode.group_size) {
      config.Refuse("group_size", "does not fit mode " + name);
    }
    return {mode, static_cast<uint32_t>(bits), group_size};
  }
  config.Refuse("mode", "is \"" + name + "\", which does not fit tensor " + module + ".weight");
}

ReadRow OpenAffine(const FolderTensors& tensors, const Parts& parts, uint64_t rows, uint64_t groups,
                   uint32_t bits) {
  ScaledRows matrix = ScaledRowsOf(tensors, parts.codes, parts.scales, rows, groups, bits);
  matrix.biases = tensors.Floats(parts.biases);
  return matrix;
}

ReadRow OpenFloats(const FolderTensors& tensors, const Parts& parts, uint64_t rows,
                   const Mode& mode) {
  const RowBytes codes = RowsOf(tensors, parts.codes, rows);
  const RowBytes scales = RowsOf(tensors, parts.scales, rows);
  const auto scale_of = mode.group_size == 16 ? FromE4M3 : FromE8M0;
  if (mode.bits == 4) return Fp4Rows(codes, scales, scale_of);
  return [=, size = mode.group_size](uint64_t row, std::span<float> out) {
    const std::span<const uint8_t> bytes = codes(row), groups = scales(row);
    for (size_t i = 0; i < out.size(); ++i) {
      out[i] = FromE4M3(bytes[i]) * scale_of(groups[i / size]);
    }
  };
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
  const auto [mode, bits, group_size] = ReadSettings(*quantisation.config, *module, affine);
  if (codes.shape.size() < 2 || codes.elements() == 0 || codes.shape.back() * 32 % bits != 0) {
    Fail(tensors.Called(name), " has shape ", InBrackets(codes.shape), ", expected rows of ", bits,
         " bits");
  }
  QuantisedMatrix found;
  found.shape = codes.shape;
  found.shape.back() = codes.shape.back() * 32 / bits;
  const uint64_t cols = found.shape.back(), rows = codes.elements() / codes.shape.back();
  const uint64_t groups = cols / group_size;
  std::vector<uint64_t> expected = codes.shape;
  expected.back() = groups;
  if (cols % group_size != 0 || scales.shape != expected) {
    Fail(tensors.Called(parts.scales), " has shape ", InBrackets(scales.shape), ", expected ",
         InBrackets(expected), " by ", name, " and the config's group_size");
  }
  found.name = name;
  found.type = affine ? "MLX, " + std::to_string(bits) + " bits" : std::string("MLX, ") + mode.name;
  found.parts = {name, parts.scales};
  if (affine) {
    Part(tensors, parts.biases, kFloats, expected, parts.scales);
    found.parts.push_back(parts.biases);
    found.open = [&tensors, parts, rows, groups, bits = bits] {
      return OpenAffine(tensors, parts, rows, groups, bits);
    };
  } else {
    found.open = [&tensors, parts, rows, mode = mode] {
      return OpenFloats(tensors, parts, rows, mode);
    };
  }
  return found;
}

}  // namespace rondo::convert
