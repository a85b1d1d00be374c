// AWQ (gemm): X.qweight I32 [cols, rows / 8], X.qzeros [groups, rows / 8], of 4 bits, eight rows in
// a word in the order 0 2 4 6 1 3 5 7; X.scales [groups, rows]; weight = (code - zero) * scale
// (vLLM's awq_dequantize).
#include <algorithm>
#include <array>

#include "tools/convert/common/fail.h"
#include "tools/convert/sources/quantised/packed_codes.h"

namespace rondo::convert {
namespace {

constexpr uint64_t kRowsInWord = 8;
constexpr float kMiddle = 8;

struct Names {
  std::string codes, zeros, scales;
};

struct Form {
  uint64_t rows, cols, groups, group_size;
};

// Rows of words as rows of codes.
std::vector<uint8_t> InOrder(std::span<const uint8_t> words) {
  constexpr std::array<uint32_t, kRowsInWord> kNibble = {0, 4, 1, 5, 2, 6, 3, 7};  // of each row
  std::vector<uint8_t> out(words.size());
  for (size_t w = 0; w + 4 <= words.size(); w += 4) {
    for (uint32_t i = 0; i < kRowsInWord; ++i) {
      const uint32_t code = words[w + kNibble[i] / 2] >> 4 * (kNibble[i] % 2) & 15;
      out[w + i / 2] = static_cast<uint8_t>(out[w + i / 2] | code << 4 * (i % 2));
    }
  }
  return out;
}

// [rows][groups].
std::vector<float> ReadZeros(const FolderTensors& tensors, const std::string& name,
                             const Form& form) {
  const std::vector<uint8_t> ordered = InOrder(tensors.Bytes(name));
  std::vector<float> zeros(form.rows * form.groups);
  for (uint64_t g = 0; g < form.groups; ++g) {
    const auto of_group = std::span(ordered).subspan(g * form.rows / 2, form.rows / 2);
    for (uint64_t r = 0; r < form.rows; ++r) {
      zeros[r * form.groups + g] = static_cast<float>(BitsAt(of_group, r, 4));
    }
  }
  return zeros;
}

ScaledRows Open(const FolderTensors& tensors, const Names& names, const Form& form) {
  const uint64_t rows = form.rows, cols = form.cols;
  ScaledRows matrix;
  matrix.bits = 4;
  matrix.zero = kMiddle;
  matrix.groups = form.groups;
  matrix.group_size = form.group_size;
  matrix.scales = Transposed(tensors.Scales(names.scales), form.groups, rows);
  matrix.zeros = ReadZeros(tensors, names.zeros, form);
  // [cols][rows] codes as [rows][cols].
  const std::vector<uint8_t> ordered = InOrder(tensors.Bytes(names.codes));
  std::vector<uint8_t> by_row(ordered.size());
  for (uint64_t c = 0; c < cols; ++c) {
    const auto column = std::span(ordered).subspan(c * rows / 2, rows / 2);
    for (uint64_t r = 0; r < rows; ++r) {
      uint8_t& pair = by_row[(r * cols + c) / 2];
      pair = static_cast<uint8_t>(pair | BitsAt(column, r, 4) << 4 * (c % 2));
    }
  }
  matrix.codes = RowsOf(std::move(by_row), rows);
  return matrix;
}

void CheckConfig(const Config& config) {
  const char* const bits = config.Has("w_bit") ? "w_bit" : "bits";
  if (config.Integer(bits, 2, 8) != 4) config.Refuse(bits, "is not 4, which AWQ has");
  for (const char* const key : {"version", "checkpoint_format", "format"}) {
    const std::string form = config.Text(key, "gemm");
    if (form != "gemm" && form != "GEMM") {
      config.Refuse(key, "is \"" + form + "\", expected gemm");
    }
  }
}

}  // namespace

std::optional<QuantisedMatrix> FindAwq(const FolderTensors& tensors, const std::string& name,
                                       const Quantisation& quantisation) {
  const std::optional<std::string> module = Before(name, ".qweight");
  if (!module || quantisation.method != "awq") return std::nullopt;
  const Config& config = *quantisation.config;
  CheckConfig(config);
  RefuseKept(config, *module);
  const Names names = {name, *module + ".qzeros", *module + ".scales"};
  const Safetensors::Tensor& codes = Part(tensors, names.codes, {"I32"});
  if (codes.shape.size() != 2 || codes.elements() == 0) {
    Fail(tensors.Called(name), " has shape ", InBrackets(codes.shape), ", expected two sizes");
  }
  Form form = {codes.shape[1] * kRowsInWord, codes.shape[0], 0, 0};
  const Safetensors::Tensor& scales = Part(tensors, names.scales, kFloats);
  form.groups = scales.shape.empty() ? 0 : scales.shape[0];
  Part(tensors, names.scales, kFloats, {form.groups, form.rows}, name);
  if (form.cols % 2 != 0) {
    Fail(tensors.Called(name), " has ", form.cols, " rows, expected an even number");
  }
  if (form.groups == 0) Fail(tensors.Called(names.scales), " has no groups, expected some");
  Part(tensors, names.zeros, {"I32"}, {form.groups, codes.shape[1]}, names.scales);
  form.group_size =
      CheckGroups(tensors, names.scales, config,
                  config.Has("q_group_size") ? "q_group_size" : "group_size", form.cols, false);

  QuantisedMatrix found;
  found.name = *module + ".weight";
  found.type = "AWQ, 4 bits";
  found.shape = {form.rows, form.cols};
  found.parts = {names.codes, names.zeros, names.scales};
  const auto open = [&tensors, names, form] { return Open(tensors, names, form); };
  found.open = open;
  const std::vector<float> zeros = ReadZeros(tensors, names.zeros, form);
  const bool is_middle = std::ranges::all_of(zeros, [](float zero) { return zero == kMiddle; });
  if (!is_middle && !config.Flag("zero_point", true)) {
    Fail(tensors.Called(names.zeros), " has zero points other than ", kMiddle,
         ", but the config says that zero_point is false");
  }
  if (is_middle && form.cols % form.groups == 0) {
    found.integers = {4, form.cols / form.groups, [open] { return IntegersOf(open()); }};
  }
  return found;
}

}  // namespace rondo::convert
