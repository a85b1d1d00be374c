// compressed-tensors, pack-quantized: X.weight_packed I32 [rows, cols * bits / 32 rounded up],
// codes from the low bit on, 2^(bits - 1) above what they mean; X.weight_shape; X.weight_scale
// [rows, groups]; where it is not symmetric X.weight_zero_point, packed likewise but along the
// rows, I32 [rows * bits / 32 rounded up, groups]; X.weight_g_idx [cols]. weight = (code - zero) *
// scale (compressors/pack_quantized).
#include <cstring>

#include "runtime/base/checked.h"
#include "tools/convert/common/fail.h"
#include "tools/convert/sources/quantised/packed_codes.h"

namespace rondo::convert {
namespace {

constexpr uint64_t kWordBits = 32;

uint64_t Words(uint64_t codes, uint32_t bits) { return CeilDiv(codes * bits, kWordBits); }

// What weight_shape says.
std::vector<uint64_t> ReadShape(const FolderTensors& tensors, const std::string& name) {
  const Safetensors::Tensor& tensor = Part(tensors, name, {"I64", "I32"});
  const std::vector<uint8_t> bytes = tensors.Bytes(name);
  const size_t size = tensor.dtype == "I64" ? 8 : 4;
  std::vector<uint64_t> shape(bytes.size() / size);
  for (size_t i = 0; i < shape.size(); ++i) std::memcpy(&shape[i], &bytes[i * size], size);
  constexpr uint64_t kMost = uint64_t{1} << 31;
  if (shape.size() != 2 || shape[0] == 0 || shape[1] == 0 || shape[0] > kMost || shape[1] > kMost) {
    Fail(tensors.Called(name), " holds ", InBrackets(shape), ", expected rows and columns");
  }
  return shape;
}

// How many bits a code has: of those that the groups of the config name, what the shape fits.
uint32_t ReadBits(const FolderTensors& tensors, const std::string& name, uint64_t cols,
                  uint64_t words, const Quantisation& quantisation) {
  std::string named;
  if (const std::optional<Config> groups = quantisation.config->Object("config_groups")) {
    for (const auto& [key, unused] : groups->object().items()) {
      const std::optional<Config> group = groups->Object(key.c_str());
      const std::optional<Config> weights = group ? group->Object("weights") : std::nullopt;
      if (!weights) continue;
      const auto bits = static_cast<uint32_t>(weights->Integer("num_bits", 1, 8));
      if (Words(cols, bits) == words) return bits;
      named += (named.empty() ? "" : ", ") + std::to_string(bits);
    }
  }
  Fail(tensors.Called(name), " has ", words, " words in a row of ", cols, " columns, which is of ",
       named.empty() ? "no number of bits that the config names" : "none of the bits " + named);
}

struct Parts {
  std::string codes, scales, zeros, groups;
};

ScaledRows Open(const FolderTensors& tensors, const Parts& parts, uint64_t rows, uint64_t groups,
                uint32_t bits) {
  ScaledRows matrix = ScaledRowsOf(tensors, parts.codes, parts.scales, rows, groups, bits);
  matrix.zero = static_cast<float>(1u << (bits - 1));
  if (!parts.zeros.empty()) {
    const std::vector<uint8_t> columns =
        Transposed(tensors.Bytes(parts.zeros), Words(rows, bits), groups);
    const uint64_t column_bytes = columns.size() / groups;
    matrix.zeros.resize(rows * groups);
    for (uint64_t g = 0; g < groups; ++g) {
      const auto column = std::span(columns).subspan(g * column_bytes, column_bytes);
      for (uint64_t r = 0; r < rows; ++r) {
        matrix.zeros[r * groups + g] = static_cast<float>(BitsAt(column, r, bits));
      }
    }
  }
  if (!parts.groups.empty()) matrix.group_of = ReadGroups(tensors, parts.groups, groups);
  return matrix;
}

}  // namespace

std::optional<QuantisedMatrix> FindCompressed(const FolderTensors& tensors, const std::string& name,
                                              const Quantisation& quantisation) {
  const std::optional<std::string> module = Before(name, ".weight_packed");
  if (!module || Part(tensors, name, {"I32", "U8"}).dtype == "U8") return std::nullopt;  // FP4
  if (quantisation.method != "compressed-tensors") {
    Fail(tensors.Called(name), " is one of compressed-tensors, but the config says ",
         quantisation.method.empty() ? "nothing of it" : quantisation.method);
  }
  const std::string shape_name = *module + ".weight_shape";
  Parts parts = {name, *module + ".weight_scale", *module + ".weight_zero_point",
                 *module + ".weight_g_idx"};
  const std::vector<uint64_t> shape = ReadShape(tensors, shape_name);
  const uint64_t rows = shape[0], cols = shape[1];
  const Safetensors::Tensor& codes = Part(tensors, name, {"I32"});
  const uint64_t words = codes.shape.size() == 2 ? codes.shape[1] : 0;
  const uint32_t bits = ReadBits(tensors, name, cols, words, quantisation);
  Part(tensors, name, {"I32"}, {rows, words}, shape_name);
  const Safetensors::Tensor& scales = Part(tensors, parts.scales, kFloats);
  const uint64_t groups = scales.shape.size() == 2 ? scales.shape[1] : 0;
  Part(tensors, parts.scales, kFloats, {rows, groups}, shape_name);
  if (groups == 0) Fail(tensors.Called(parts.scales), " has no groups, expected some");
  QuantisedMatrix found;
  found.name = *module + ".weight";
  found.type = "compressed-tensors, " + std::to_string(bits) + " bits";
  found.shape = shape;
  found.parts = {name, shape_name, parts.scales};
  if (tensors.Find(parts.zeros) == nullptr) {
    parts.zeros.clear();
  } else {
    Part(tensors, parts.zeros, {"I32"}, {Words(rows, bits), groups}, parts.scales);
    found.parts.push_back(parts.zeros);
  }
  if (tensors.Find(parts.groups) == nullptr) {
    parts.groups.clear();
    if (cols % groups != 0) {
      Fail(tensors.Called(name), ": ", cols, " columns are no whole groups, of which ",
           parts.scales, " has ", groups);
    }
  } else {
    Part(tensors, parts.groups, {"I32"}, {cols}, shape_name);
    found.parts.push_back(parts.groups);
  }
  const auto open = [&tensors, parts, rows, groups, bits] {
    return Open(tensors, parts, rows, groups, bits);
  };
  found.open = open;
  if (parts.zeros.empty() && parts.groups.empty()) {
    found.integers = {bits, cols / groups, [open] { return IntegersOf(open()); }};
  }
  return found;
}

}  // namespace rondo::convert
