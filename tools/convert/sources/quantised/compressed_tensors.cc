// compressed-tensors, pack-quantized: X.weight_packed I32 [rows, words], codes from the low bit on,
// 2^(bits - 1) above what they mean, as many whole ones in each word of 32 bits as fit, or, from
// version 0.18 on, one behind the other; X.weight_shape; X.weight_scale [rows, groups], [rows] or
// of one value; where it is not symmetric X.weight_zero_point, packed likewise but along the rows,
// I32 [words, groups], or I8 as the scales; X.weight_g_idx [cols]. weight = (code - zero) * scale
// (compressors/pack_quantized, quantization/lifecycle/forward).
#include <algorithm>
#include <charconv>
#include <cstring>

#include "runtime/base/checked.h"
#include "tools/convert/common/fail.h"
#include "tools/convert/sources/quantised/packed_codes.h"

namespace rondo::convert {
namespace {

constexpr uint64_t kWordBits = 32;

// How codes lie in words.
struct Layout {
  uint32_t bits;
  bool has_gaps;

  uint64_t Words(uint64_t codes) const {
    return has_gaps ? CeilDiv(codes, kWordBits / bits) : CeilDiv(codes * bits, kWordBits);
  }
};

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

// Of the version that wrote the file: 0.17.1 and older leave gaps.
bool LeavesGaps(const Config& config) {
  constexpr int kFirstWithout = 18;
  const std::string version = config.Text("version", "");
  int major = 0, minor = 0;
  const char* const end = version.data() + version.size();
  const auto [dot, problem] = std::from_chars(version.data(), end, major);
  if (problem != std::errc() || dot == end) return true;
  std::from_chars(dot + 1, end, minor);
  return major == 0 && minor < kFirstWithout;
}

struct Scheme {
  Layout layout;
  Config weights;  // of the config's group
};

// Of the bits that the groups of the config name, those that fit the shape.
Scheme ReadScheme(const FolderTensors& tensors, const std::string& name, uint64_t cols,
                  uint64_t words, const Quantisation& quantisation) {
  std::string named;
  std::vector<Scheme> fitting;
  for (const Config& weights : WeightSchemes(quantisation)) {
    const auto bits = static_cast<uint32_t>(weights.Integer("num_bits", 1, 8));
    const Layout with_gaps = {bits, true}, dense = {bits, false};
    const bool fits_gaps = with_gaps.Words(cols) == words, fits_dense = dense.Words(cols) == words;
    if (fits_gaps || fits_dense) {
      const bool gaps = fits_gaps && (!fits_dense || LeavesGaps(*quantisation.config));
      fitting.push_back({gaps ? with_gaps : dense, weights});
    }
    named += (named.empty() ? "" : ", ") + std::to_string(bits);
  }
  if (fitting.empty()) {
    Fail(tensors.Called(name), " has ", words, " words in a row of ", cols,
         " columns, which is of ",
         named.empty() ? "no number of bits that the config names" : "none of the bits " + named);
  }
  for (const Scheme& other : fitting) {
    if (other.layout.bits == fitting[0].layout.bits) continue;
    Fail(tensors.Called(name), " has ", words, " words in a row of ", cols,
         " columns, which is of ", fitting[0].layout.bits, " and of ", other.layout.bits,
         " bits, both of which the config names");
  }
  return fitting[0];
}

struct Parts {
  std::string codes, scales, zeros, groups;
};

struct Form {
  Layout layout;
  uint64_t rows, cols, groups;
  bool has_groups;  // weight_g_idx, and columns are not in order
};

// [rows][groups]; one value of all, and one of a row, as many as there are.
std::vector<float> ReadScales(const FolderTensors& tensors, const std::string& name,
                              const Form& form) {
  const std::vector<float> scales = tensors.Scales(name);
  return scales.size() == 1 ? std::vector(form.rows * form.groups, scales[0]) : scales;
}

// [rows][groups].
std::vector<float> ReadZeros(const FolderTensors& tensors, const std::string& name,
                             const Form& form) {
  const uint32_t bits = form.layout.bits;
  const std::vector<uint8_t> bytes = tensors.Bytes(name);
  std::vector<float> zeros(form.rows * form.groups);
  if (tensors.all().at(name).tensor->dtype == "I8") {
    for (size_t i = 0; i < zeros.size(); ++i) {
      const uint8_t zero = bytes[bytes.size() == 1 ? 0 : i];
      zeros[i] = static_cast<float>(static_cast<int8_t>(zero) + (1 << (bits - 1)));
    }
    return zeros;
  }
  const std::vector<uint8_t> columns = Transposed(bytes, form.layout.Words(form.rows), form.groups);
  const uint64_t column_bytes = columns.size() / form.groups;
  for (uint64_t g = 0; g < form.groups; ++g) {
    const auto words = std::span(columns).subspan(g * column_bytes, column_bytes);
    const std::vector<uint8_t> dense = form.layout.has_gaps
                                           ? WithoutGaps(words, form.rows, bits)
                                           : std::vector<uint8_t>(words.begin(), words.end());
    for (uint64_t r = 0; r < form.rows; ++r) {
      zeros[r * form.groups + g] = static_cast<float>(BitsAt(dense, r, bits));
    }
  }
  return zeros;
}

ScaledRows Open(const FolderTensors& tensors, const Parts& parts, const Form& form) {
  ScaledRows matrix;
  matrix.bits = form.layout.bits;
  matrix.groups = form.groups;
  matrix.codes = RowsOf(tensors, parts.codes, form.rows);
  if (form.layout.has_gaps) {
    matrix.codes = WithoutGaps(std::move(matrix.codes), form.cols, form.layout.bits);
  }
  matrix.scales = ReadScales(tensors, parts.scales, form);
  matrix.zero = static_cast<float>(1u << (form.layout.bits - 1));
  if (!parts.zeros.empty()) matrix.zeros = ReadZeros(tensors, parts.zeros, form);
  if (form.has_groups) matrix.group_of = ReadGroups(tensors, parts.groups, form.groups);
  return matrix;
}

// Checks the scales' shape, and returns how many a row has.
uint64_t ReadGroupCount(const FolderTensors& tensors, const std::string& name, uint64_t rows,
                        uint64_t cols, const std::string& by, const Config& weights) {
  const Safetensors::Tensor& scales = Part(tensors, name, kScales);
  if (scales.elements() == 1 || scales.shape == std::vector{rows}) return 1;
  const uint64_t groups = scales.shape.size() == 2 ? scales.shape[1] : 0;
  Part(tensors, name, kScales, {rows, groups}, by);
  if (groups == 0) Fail(tensors.Called(name), " has no groups, expected some");
  const std::optional<uint64_t> size = GroupSize(weights, "group_size", cols);
  if (size && groups > 1 && groups != CeilDiv(cols, *size)) {
    Fail(tensors.Called(name), " has ", groups, " groups of ", cols,
         " columns, but the config's group_size is ", *size);
  }
  return groups;
}

// Whether columns are in other groups than one behind the other.
bool HasGroups(const FolderTensors& tensors, const std::string& name, const Form& form,
               const Config& weights, const std::string& by) {
  const std::string order = weights.IsText("actorder") ? weights.Text("actorder", "") : "";
  const bool is_reordered = form.groups > 1 && (order == "group" || order == "dynamic");
  if (tensors.Find(name) == nullptr) {
    if (!is_reordered) return false;
    Fail(tensors.Where(), " lacks tensor ", name,
         ", without which the weights cannot be read: the config's actorder is ", order);
  }
  Part(tensors, name, {"I32"}, {form.cols}, by);
  return form.groups > 1 && !ReadGroups(tensors, name, form.groups).empty();
}

// Whether there are zero points of its own.
bool HasZeros(const FolderTensors& tensors, const Parts& parts, const Form& form,
              const Config& weights) {
  const bool is_symmetric = weights.Flag("symmetric", true);
  if (tensors.Find(parts.zeros) == nullptr) {
    if (is_symmetric) return false;
    Fail(tensors.Where(), " lacks tensor ", parts.zeros,
         ", without which the weights cannot be read: the config's symmetric is false");
  }
  const std::vector<uint64_t>& of_scales = tensors.all().at(parts.scales).tensor->shape;
  if (Part(tensors, parts.zeros, {"I32", "I8"}).dtype == "I8") {
    Part(tensors, parts.zeros, {"I8"}, of_scales, parts.scales);
  } else {
    Part(tensors, parts.zeros, {"I32"}, {form.layout.Words(form.rows), form.groups}, parts.scales);
  }
  const std::vector<float> zeros = ReadZeros(tensors, parts.zeros, form);
  const auto middle = static_cast<float>(1u << (form.layout.bits - 1));
  if (std::ranges::all_of(zeros, [&](float zero) { return zero == middle; })) return false;
  if (is_symmetric && weights.Has("symmetric")) {
    Fail(tensors.Called(parts.zeros),
         " has zero points other than 0, but the config says that symmetric is true");
  }
  return true;
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
  const Safetensors::Tensor& codes = Part(tensors, name, {"I32"});
  const uint64_t words = codes.shape.size() == 2 ? codes.shape[1] : 0;
  const auto [layout, weights] = ReadScheme(tensors, name, shape[1], words, quantisation);
  Part(tensors, name, {"I32"}, {shape[0], words}, shape_name);
  Form form = {layout, shape[0], shape[1], 0, false};
  form.groups = ReadGroupCount(tensors, parts.scales, form.rows, form.cols, shape_name, weights);
  form.has_groups = HasGroups(tensors, parts.groups, form, weights, shape_name);
  if (!form.has_groups && form.cols % form.groups != 0) {
    Fail(tensors.Called(name), ": ", form.cols, " columns are no whole groups, of which ",
         parts.scales, " has ", form.groups);
  }
  QuantisedMatrix found;
  found.name = *module + ".weight";
  found.type = "compressed-tensors, " + std::to_string(layout.bits) + " bits";
  found.shape = shape;
  found.parts = {name, shape_name, parts.scales};
  for (const std::string& part : {parts.zeros, parts.groups}) {
    if (tensors.Find(part) != nullptr) found.parts.push_back(part);
  }
  if (!HasZeros(tensors, parts, form, weights)) parts.zeros.clear();
  const auto open = [&tensors, parts, form] { return Open(tensors, parts, form); };
  found.open = open;
  if (parts.zeros.empty() && !form.has_groups) {
    found.integers = {layout.bits, form.cols / form.groups, [open] { return IntegersOf(open()); }};
  }
  return found;
}

}  // namespace rondo::convert
