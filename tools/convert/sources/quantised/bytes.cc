// A byte for each weight, X.weight I8 or F8_E4M3 [rows, cols], and scales that multiply:
// X.weight_scale (compressed-tensors, ModelOpt, FBGEMM) or X.weight_scale_inv (DeepSeek's FP8) of
// one value, [rows], [rows, 1], [rows, groups], or a value for each block of 128 x 128. Of groups
// of 32 (MXFP8) they may be U8, exponents. Of I8 there may be X.weight_zero_point, as many as
// scales, which is subtracted before, and X.weight_g_idx [cols] (compressors/naive_quantized,
// mxfp8). bitsandbytes: X.SCB [rows], divided by 127, and X.weight_format, which is 0.
#include <algorithm>
#include <cstring>

#include "runtime/base/checked.h"
#include "tools/convert/common/fail.h"
#include "tools/convert/sources/float_formats.h"
#include "tools/convert/sources/quantised/packed_codes.h"

namespace rondo::convert {
namespace {

float FromInt8(uint8_t bits) { return static_cast<float>(static_cast<int8_t>(bits)); }

// Scales [row / row_block][column / col_block].
struct Blocks {
  uint64_t rows = 1, cols = 1;  // of a block
  uint64_t in_row = 1;          // blocks
};

// The blocks that the config names, one way or another; `only`: there are no others.
struct ConfigBlocks {
  std::vector<uint64_t> sizes;  // empty: it has none
  bool only;
};

ConfigBlocks ReadConfigBlocks(const Quantisation& quantisation) {
  constexpr uint64_t kMost = 1u << 20;
  if (!quantisation.config) return {{128, 128}, false};
  const std::vector<uint64_t> sizes = quantisation.config->Integers("weight_block_size", kMost);
  if (!sizes.empty()) return {sizes, true};
  for (const Config& weights : WeightSchemes(quantisation)) {
    const std::vector<uint64_t> its = weights.Integers("block_structure", kMost);
    if (!its.empty()) return {its, false};
  }
  return {{}, false};
}

std::optional<Blocks> BlocksOf(const std::vector<uint64_t>& scales, uint64_t rows, uint64_t cols,
                               const ConfigBlocks& config) {
  uint64_t count = 1;
  for (const uint64_t size : scales) count *= size;
  if (count == 1) return Blocks{rows, cols, 1};
  if (count == rows && scales[0] == rows) return Blocks{1, cols, 1};
  if (scales.size() != 2 || scales[1] == 0) return std::nullopt;
  const std::vector<uint64_t>& sizes = config.sizes;
  if (sizes.size() == 2 && sizes[0] > 0 && sizes[1] > 0 && scales[0] == CeilDiv(rows, sizes[0]) &&
      scales[1] == CeilDiv(cols, sizes[1])) {
    return Blocks{sizes[0], sizes[1], scales[1]};
  }
  if (!config.only && scales[0] == rows && cols % scales[1] == 0) {
    return Blocks{1, cols / scales[1], scales[1]};
  }
  return std::nullopt;
}

struct Parts {
  std::string codes, scales, zeros, groups;  // the last two: empty, there are none
};

// What makes weights of a row of bytes.
struct ByteRows {
  RowBytes codes;
  bool is_fp8 = false;
  Blocks blocks;
  std::vector<float> scales;
  std::vector<float> zeros;        // as many, or none
  std::vector<uint32_t> group_of;  // of each column; empty: in order

  void operator()(uint64_t row, std::span<float> out) const {
    const auto value = is_fp8 ? FromE4M3 : FromInt8;
    const std::span<const uint8_t> bytes = codes(row);
    for (size_t i = 0; i < out.size(); ++i) {
      const uint64_t group = group_of.empty() ? i / blocks.cols : group_of[i];
      const uint64_t at = row / blocks.rows * blocks.in_row + group;
      out[i] = (value(bytes[i]) - (zeros.empty() ? 0 : zeros[at])) * scales[at];
    }
  }
};

std::vector<float> ReadScales(const FolderTensors& tensors, const std::string& name) {
  if (tensors.all().at(name).tensor->dtype == "U8") return tensors.Exponents(name);
  if (!name.ends_with(".SCB")) return tensors.Scales(name);
  std::vector<float> largest = tensors.Floats(name);  // of a row, which may be all zeros
  for (float& value : largest) value /= 127;
  return largest;
}

std::vector<float> ReadZeros(const FolderTensors& tensors, const std::string& name) {
  const std::vector<uint8_t> bytes = tensors.Bytes(name);
  const auto value = tensors.all().at(name).tensor->dtype == "I8" ? FromInt8 : FromE4M3;
  std::vector<float> zeros(bytes.size());
  std::ranges::transform(bytes, zeros.begin(), value);
  return zeros;
}

ByteRows Open(const FolderTensors& tensors, const Parts& parts, const Blocks& blocks) {
  const Safetensors::Tensor& codes = *tensors.all().at(parts.codes).tensor;
  ByteRows matrix;
  matrix.codes = RowsOf(tensors, parts.codes, codes.shape[0]);
  matrix.is_fp8 = codes.dtype != "I8";
  matrix.blocks = blocks;
  matrix.scales = ReadScales(tensors, parts.scales);
  if (!parts.zeros.empty()) matrix.zeros = ReadZeros(tensors, parts.zeros);
  if (!parts.groups.empty()) {
    matrix.group_of = ReadGroups(tensors, parts.groups, blocks.in_row);
  }
  return matrix;
}

ReadIntegersOfRow OpenIntegers(const ByteRows& matrix) {
  return [matrix](uint64_t row, std::span<int8_t> out, std::span<float> scale) {
    const std::span<const uint8_t> bytes = matrix.codes(row);
    std::memcpy(out.data(), bytes.data(), out.size());
    scale[0] = matrix.scales[row / matrix.blocks.rows];
  };
}

// What the config says of weights being symmetric; nothing where it does not, or of some only.
std::optional<bool> IsSymmetric(const Quantisation& quantisation) {
  std::optional<bool> said;
  for (const Config& weights : WeightSchemes(quantisation)) {
    const bool its = weights.Flag("symmetric", true);
    if (said && *said != its) return std::nullopt;
    said = its;
  }
  return said;
}

// Whether there are zero points other than 0.
bool HasZeros(const FolderTensors& tensors, const Parts& parts, const Quantisation& quantisation) {
  const std::optional<bool> symmetric = IsSymmetric(quantisation);
  if (tensors.Find(parts.zeros) == nullptr) {
    if (symmetric.value_or(true)) return false;
    Fail(tensors.Where(), " lacks tensor ", parts.zeros,
         ", without which the weights cannot be read: the config's symmetric is false");
  }
  Part(tensors, parts.zeros, {"I8", "F8_E4M3"}, tensors.all().at(parts.scales).tensor->shape,
       parts.scales);
  const std::vector<float> zeros = ReadZeros(tensors, parts.zeros);
  if (std::ranges::all_of(zeros, [](float zero) { return zero == 0; })) return false;
  if (symmetric.value_or(false)) {
    Fail(tensors.Called(parts.zeros),
         " has zero points other than 0, but the config says that symmetric is true");
  }
  if (tensors.all().at(parts.codes).tensor->dtype != "I8") {
    Fail(tensors.Called(parts.zeros), " says that zero is not 0, which is not supported for FP8");
  }
  return true;
}

// The order in which bitsandbytes once laid bytes for GPUs.
void CheckWeightFormat(const FolderTensors& tensors, const std::string& name) {
  if (Part(tensors, name, {"U8"}).elements() != 1 || tensors.Bytes(name)[0] != 0) {
    Fail(tensors.Called(name), " is not one 0, which stands for rows");
  }
}

std::string ScalesOf(const FolderTensors& tensors, const std::string& name,
                     const std::string& module) {
  std::string scales;
  for (const char* const end : {".weight_scale", ".weight_scale_inv", ".SCB"}) {
    if (tensors.Find(module + end) != nullptr) scales = module + end;
  }
  if (scales.empty()) {
    Fail(tensors.Called(name), " is ", tensors.all().at(name).tensor->dtype,
         " and has no scales: there is no ", module, ".weight_scale");
  }
  return scales;
}

}  // namespace

std::optional<QuantisedMatrix> FindBytes(const FolderTensors& tensors, const std::string& name,
                                         const Quantisation& quantisation) {
  const std::optional<std::string> module = Before(name, ".weight");
  const Safetensors::Tensor& codes = *tensors.all().at(name).tensor;
  const bool is_fp8 = codes.dtype == "F8_E4M3";
  if (!module || (!is_fp8 && codes.dtype != "I8")) return std::nullopt;
  Parts parts = {name, ScalesOf(tensors, name, *module), *module + ".weight_zero_point",
                 *module + ".weight_g_idx"};
  const Safetensors::Tensor& its =
      Part(tensors, parts.scales, {"F32", "F16", "BF16", "F8_E8M0", "U8"});
  if (codes.shape.size() != 2 || codes.elements() == 0) {
    Fail(tensors.Called(name), " has shape ", InBrackets(codes.shape),
         ", expected rows and columns");
  }
  const uint64_t rows = codes.shape[0], cols = codes.shape[1];
  const std::optional<Blocks> blocks =
      BlocksOf(its.shape, rows, cols, ReadConfigBlocks(quantisation));
  if (!blocks) {
    Fail(tensors.Called(parts.scales), " has shape ", InBrackets(its.shape),
         ", which does not fit ", name, "'s ", InBrackets(codes.shape));
  }
  constexpr uint64_t kOfMxfp8 = 32;
  if (its.dtype == "U8" && (!is_fp8 || blocks->rows != 1 || blocks->cols != kOfMxfp8)) {
    Fail(tensors.Called(parts.scales), " is U8, as MXFP8 has it, but not of groups of ", kOfMxfp8);
  }
  QuantisedMatrix found;
  found.name = name;
  found.type = is_fp8 ? "FP8" : "int8";
  found.shape = codes.shape;
  found.parts = {name, parts.scales};
  if (const std::string format = *module + ".weight_format"; tensors.Find(format) != nullptr) {
    CheckWeightFormat(tensors, format);
    found.parts.push_back(format);
  }
  for (const std::string& part : {parts.zeros, parts.groups}) {
    if (tensors.Find(part) != nullptr) found.parts.push_back(part);
  }
  if (!HasZeros(tensors, parts, quantisation)) parts.zeros.clear();
  if (tensors.Find(parts.groups) != nullptr) Part(tensors, parts.groups, {"I32"}, {cols}, name);
  if (tensors.Find(parts.groups) == nullptr || blocks->in_row == 1 ||
      ReadGroups(tensors, parts.groups, blocks->in_row).empty()) {
    parts.groups.clear();
  }
  const auto open = [&tensors, parts, b = *blocks] { return Open(tensors, parts, b); };
  found.open = open;
  if (!is_fp8 && parts.zeros.empty() && blocks->cols == cols) {
    found.integers = {8, cols, [open] { return OpenIntegers(open()); }};
  }
  return found;
}

}  // namespace rondo::convert
