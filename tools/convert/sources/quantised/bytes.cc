// A byte for each weight, X.weight I8 or F8_E4M3 [rows, cols], and scales that multiply:
// X.weight_scale (compressed-tensors, ModelOpt, FBGEMM) or X.weight_scale_inv (DeepSeek's FP8) of
// one value, [rows], [rows, 1], [rows, groups], or a value for each block of 128 x 128; X.SCB
// [rows], divided by 127 (bitsandbytes).
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

// `sizes`: of the config's blocks; empty: it has none.
std::optional<Blocks> BlocksOf(const std::vector<uint64_t>& scales, uint64_t rows, uint64_t cols,
                               const std::vector<uint64_t>& sizes) {
  uint64_t count = 1;
  for (const uint64_t size : scales) count *= size;
  if (count == 1) return Blocks{rows, cols, 1};
  if (count == rows && scales[0] == rows) return Blocks{1, cols, 1};
  if (scales.size() != 2 || scales[1] == 0) return std::nullopt;
  if (sizes.size() == 2 && sizes[0] > 0 && sizes[1] > 0 && scales[0] == CeilDiv(rows, sizes[0]) &&
      scales[1] == CeilDiv(cols, sizes[1])) {
    return Blocks{sizes[0], sizes[1], scales[1]};
  }
  if (scales[0] == rows && cols % scales[1] == 0) return Blocks{1, cols / scales[1], scales[1]};
  return std::nullopt;
}

// The blocks that the config names, one way or another.
std::vector<uint64_t> ConfigBlocks(const Quantisation& quantisation) {
  constexpr uint64_t kMost = 1u << 20;
  if (!quantisation.config) return {128, 128};
  std::vector<uint64_t> sizes = quantisation.config->Integers("weight_block_size", kMost);
  if (const auto groups = quantisation.config->Object("config_groups"); groups && sizes.empty()) {
    for (const auto& [key, unused] : groups->object().items()) {
      const std::optional<Config> group = groups->Object(key.c_str());
      const std::optional<Config> weights = group ? group->Object("weights") : std::nullopt;
      if (weights && sizes.empty()) sizes = weights->Integers("block_structure", kMost);
    }
  }
  return sizes;
}

}  // namespace

std::optional<QuantisedMatrix> FindBytes(const FolderTensors& tensors, const std::string& name,
                                         const Quantisation& quantisation) {
  const std::optional<std::string> module = Before(name, ".weight");
  const Safetensors::Tensor& codes = *tensors.all().at(name).tensor;
  const bool is_fp8 = codes.dtype == "F8_E4M3";
  if (!module || (!is_fp8 && codes.dtype != "I8")) return std::nullopt;
  std::string scales;
  for (const char* const end : {".weight_scale", ".weight_scale_inv", ".SCB"}) {
    if (tensors.Find(*module + end) != nullptr) scales = *module + end;
  }
  if (scales.empty()) {
    Fail(tensors.Called(name), " is ", codes.dtype, " and has no scales: there is no ", *module,
         ".weight_scale");
  }
  if (tensors.Find(*module + ".weight_zero_point") != nullptr) {
    Fail(tensors.Called(*module + ".weight_zero_point"),
         " says that zero is not 0, which is not supported for bytes");
  }
  const Safetensors::Tensor& its = Part(tensors, scales, kFloats);
  if (codes.shape.size() != 2 || codes.elements() == 0) {
    Fail(tensors.Called(name), " has shape ", InBrackets(codes.shape),
         ", expected rows and columns");
  }
  const std::optional<Blocks> blocks =
      BlocksOf(its.shape, codes.shape[0], codes.shape[1], ConfigBlocks(quantisation));
  if (!blocks) {
    Fail(tensors.Called(scales), " has shape ", InBrackets(its.shape), ", which does not fit ",
         name, "'s ", InBrackets(codes.shape));
  }
  QuantisedMatrix found;
  found.name = name;
  found.type = is_fp8 ? "FP8" : "int8";
  found.shape = codes.shape;
  found.parts = {name, scales};
  const bool is_extreme = scales.ends_with(".SCB");  // of a row, which may be all zeros
  const float divisor = is_extreme ? 127 : 1;
  const auto read_scales = [&tensors, scales, is_extreme] {
    return is_extreme ? tensors.Floats(scales) : tensors.Scales(scales);
  };
  found.open = [=, &tensors, rows = codes.shape[0]] {
    return [=, bytes = RowsOf(tensors, name, rows), scale = read_scales(), b = *blocks](
               uint64_t row, std::span<float> out) {
      const auto value = is_fp8 ? FromE4M3 : FromInt8;
      const std::span<const uint8_t> codes_of_row = bytes(row);
      for (size_t i = 0; i < out.size(); ++i) {
        const float s = scale[row / b.rows * b.in_row + i / b.cols] / divisor;
        out[i] = value(codes_of_row[i]) * s;
      }
    };
  };
  if (!is_fp8 && blocks->cols == codes.shape[1]) {
    const auto open = [=, &tensors, rows = codes.shape[0]] {
      return [=, bytes = RowsOf(tensors, name, rows), scale = read_scales(), b = *blocks](
                 uint64_t row, std::span<int8_t> out, std::span<float> its_scale) {
        const std::span<const uint8_t> codes_of_row = bytes(row);
        std::memcpy(out.data(), codes_of_row.data(), out.size());
        its_scale[0] = scale[row / b.rows] / divisor;
      };
    };
    found.integers = {8, codes.shape[1], open};
  }
  return found;
}

}  // namespace rondo::convert
