// GPTQ and AWQ: X.qweight, X.qzeros and X.scales, whose columns are the matrix' rows.
//   GPTQ  qweight I32 [cols * bits / 32, rows], codes along the first axis; qzeros [groups, rows *
//         bits / 32], one less than they are unless checkpoint_format is gptq_v2; g_idx [cols]
//         (GPTQModel's utils/model.py).
//   AWQ   qweight I32 [cols, rows / 8], qzeros [groups, rows / 8], of 4 bits, eight rows in a word
//         in the order 0 2 4 6 1 3 5 7 (vLLM's awq_dequantize).
//   scales [groups, rows]; weight = (code - zero) * scale.
#include <algorithm>
#include <array>

#include "tools/convert/common/fail.h"
#include "tools/convert/sources/quantised/packed_codes.h"

namespace rondo::convert {
namespace {

constexpr uint64_t kWordBits = 32;

struct Names {
  std::string codes, zeros, scales, groups;
};

// Rows of words as rows of codes, where codes stand in each word as AWQ has them.
std::vector<uint8_t> InOrder(std::span<const uint8_t> words) {
  constexpr std::array<uint32_t, 8> kNibble = {0, 4, 1, 5, 2, 6, 3, 7};  // of each row
  std::vector<uint8_t> out(words.size());
  for (size_t w = 0; w + 4 <= words.size(); w += 4) {
    for (uint32_t i = 0; i < 8; ++i) {
      const uint32_t code = words[w + kNibble[i] / 2] >> 4 * (kNibble[i] % 2) & 15;
      out[w + i / 2] = static_cast<uint8_t>(out[w + i / 2] | code << 4 * (i % 2));
    }
  }
  return out;
}

// Codes [rows][cols], one behind the other in each row, as floats [cols][rows], and `more` to each.
std::vector<float> Columns(std::span<const uint8_t> packed, uint64_t rows, uint64_t cols,
                           uint32_t bits, float more) {
  std::vector<float> out(rows * cols);
  for (uint64_t r = 0; r < rows; ++r) {
    const auto row = packed.subspan(r * packed.size() / rows, packed.size() / rows);
    for (uint64_t c = 0; c < cols; ++c) {
      out[c * rows + r] = static_cast<float>(BitsAt(row, c, bits)) + more;
    }
  }
  return out;
}

// How codes lie, and what their zeros are more than the file says.
struct Form {
  uint32_t bits;
  bool is_awq;
  float zeros_more;
};

// [rows][groups].
std::vector<float> ReadZeros(const FolderTensors& tensors, const Names& names, uint64_t rows,
                             uint64_t groups, const Form& form) {
  const std::vector<uint8_t> zeros = tensors.Bytes(names.zeros);
  return Columns(form.is_awq ? InOrder(zeros) : zeros, groups, rows, form.bits, form.zeros_more);
}

ScaledRows Open(const FolderTensors& tensors, const Names& names,
                const std::vector<uint64_t>& shape, uint64_t groups, const Form& form) {
  const uint64_t rows = shape[0], cols = shape[1];
  ScaledRows matrix;
  matrix.zero = static_cast<float>(1u << (form.bits - 1));
  matrix.groups = groups;
  matrix.scales = Transposed(tensors.Scales(names.scales), groups, rows);
  const std::vector<uint8_t> words = tensors.Bytes(names.codes);
  matrix.bits = form.bits;
  matrix.zeros = ReadZeros(tensors, names, rows, groups, form);
  if (form.is_awq) {
    // [cols][rows] codes as [rows][cols].
    const std::vector<uint8_t> ordered = InOrder(words);
    std::vector<uint8_t> by_row(words.size());
    for (uint64_t c = 0; c < cols; ++c) {
      const auto column = std::span(ordered).subspan(c * rows / 2, rows / 2);
      for (uint64_t r = 0; r < rows; ++r) {
        uint8_t& pair = by_row[(r * cols + c) / 2];
        pair = static_cast<uint8_t>(pair | BitsAt(column, r, 4) << 4 * (c % 2));
      }
    }
    matrix.codes = RowsOf(std::move(by_row), rows);
  } else {
    matrix.codes = RowsOf(Transposed(words, cols * form.bits / kWordBits, rows), rows);
    if (!names.groups.empty()) matrix.group_of = ReadGroups(tensors, names.groups, groups);
  }
  return matrix;
}

}  // namespace

std::optional<QuantisedMatrix> FindGptqOrAwq(const FolderTensors& tensors, const std::string& name,
                                             const Quantisation& quantisation) {
  const std::optional<std::string> module = Before(name, ".qweight");
  if (!module) return std::nullopt;
  const bool is_awq = quantisation.method == "awq";
  if (!is_awq && quantisation.method != "gptq") {
    Fail(tensors.Called(name), " is one of GPTQ or AWQ, but the config says ",
         quantisation.method.empty() ? "nothing of it" : quantisation.method);
  }
  const Config& config = *quantisation.config;
  const auto bits =
      static_cast<uint32_t>(config.Integer(config.Has("w_bit") ? "w_bit" : "bits", 2, 8));
  const std::string form =
      config.Text("version", config.Text("checkpoint_format", is_awq ? "gemm" : "gptq"));
  const bool known =
      is_awq ? form == "gemm" || form == "GEMM" : form == "gptq" || form == "gptq_v2";
  if (!known) {
    config.Refuse(config.Has("version") ? "version" : "checkpoint_format",
                  "is \"" + form + "\", expected " + (is_awq ? "gemm" : "gptq or gptq_v2"));
  }
  if (is_awq && bits != 4) config.Refuse("bits", "is not 4, which AWQ has");

  const Names names = {name, *module + ".qzeros", *module + ".scales", *module + ".g_idx"};
  const Safetensors::Tensor& codes = Part(tensors, names.codes, {"I32"});
  if (codes.shape.size() != 2 || codes.elements() == 0) {
    Fail(tensors.Called(name), " has shape ", InBrackets(codes.shape), ", expected two sizes");
  }
  const uint64_t per_word = kWordBits / bits;
  const uint64_t rows = is_awq ? codes.shape[1] * per_word : codes.shape[1];
  const uint64_t cols = is_awq ? codes.shape[0] : codes.shape[0] * kWordBits / bits;
  const Safetensors::Tensor& scales = Part(tensors, names.scales, kFloats);
  const uint64_t groups = scales.shape.empty() ? 0 : scales.shape[0];
  Part(tensors, names.scales, kFloats, {groups, rows}, name);
  if (is_awq && cols % 2 != 0) {
    Fail(tensors.Called(name), " has ", cols, " rows, expected an even number");
  }
  if (groups == 0 || codes.shape[0] * kWordBits % bits != 0 || rows * bits % kWordBits != 0) {
    Fail(tensors.Called(name), " and ", names.scales, " make no whole groups of ", bits, " bits");
  }
  Part(tensors, names.zeros, {"I32"}, {groups, rows * bits / kWordBits}, names.scales);
  Names parts = names;
  if (is_awq || tensors.Find(names.groups) == nullptr) {
    parts.groups.clear();
    if (cols % groups != 0) {
      Fail(tensors.Called(name), ": ", cols, " columns are no whole groups, of which ",
           names.scales, " has ", groups);
    }
  } else {
    Part(tensors, names.groups, {"I32"}, {cols}, name);
  }
  QuantisedMatrix found;
  found.name = *module + ".weight";
  found.type = (is_awq ? "AWQ" : "GPTQ") + std::string(", ") + std::to_string(bits) + " bits";
  found.shape = {rows, cols};
  found.parts = {names.codes, names.zeros, names.scales};
  if (!parts.groups.empty()) found.parts.push_back(parts.groups);
  // Most files name the groups of columns that stand in order.
  if (!parts.groups.empty() && AreInOrder(ReadGroups(tensors, parts.groups, groups), groups)) {
    parts.groups.clear();
  }
  const Form its_form = {bits, is_awq, !is_awq && form == "gptq" ? 1.0f : 0.0f};
  const auto open = [&tensors, parts, shape = found.shape, groups, its_form] {
    return Open(tensors, parts, shape, groups, its_form);
  };
  found.open = open;
  const std::vector<float> zeros = ReadZeros(tensors, parts, rows, groups, its_form);
  const auto middle = static_cast<float>(1u << (bits - 1));
  if (parts.groups.empty() && std::ranges::all_of(zeros, [&](float z) { return z == middle; })) {
    found.integers = {bits, cols / groups, [open] { return IntegersOf(open()); }};
  }
  return found;
}

}  // namespace rondo::convert
