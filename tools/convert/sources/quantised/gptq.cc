// GPTQ: X.qweight I32 [cols * bits / 32, rows], codes along the first axis, one behind the other;
// X.qzeros I32 [groups, rows * bits / 32]; X.scales [groups, rows]; X.g_idx I32 [cols], the group
// of each column; weight = (code - zero) * scale. Where checkpoint_format is not gptq_v2, qzeros
// are one less: the makers subtract one from all codes of a word at once, so that a zero of 0
// borrows from its neighbour, and add it so when they read; 3 bits, which lie across words, code by
// code (GPTQModel's utils/model.py and model_dequant.py, quantization/config.py for `dynamic`).
#include <algorithm>
#include <cstring>

#include "runtime/base/checked.h"
#include "tools/convert/common/fail.h"
#include "tools/convert/sources/quantised/packed_codes.h"

namespace rondo::convert {
namespace {

constexpr uint64_t kWordBits = 32;

struct Names {
  std::string codes, zeros, scales, groups;
};

// How a matrix lies in the file.
struct Form {
  uint32_t bits;
  uint64_t rows, cols, groups, group_size;
  bool is_v1;
};

uint32_t ReadBits(const Config& config) {
  const char* const key = config.Has("w_bit") ? "w_bit" : "bits";
  const auto bits = static_cast<uint32_t>(config.Integer(key, 2, 8));
  if (bits != 2 && bits != 3 && bits != 4 && bits != 8) {
    config.Refuse(key, "is " + std::to_string(bits) + ", expected 2, 3, 4 or 8");
  }
  return bits;
}

// What the config says of a module, more than once where several patterns match: which of them is
// the first is lost, and they differ in what the tensors show, too.
std::vector<Config> SaidOf(const Quantisation& quantisation, const std::string& module) {
  std::vector<Config> said;
  const Quantisation::Override* skipped = nullptr;
  for (const Quantisation::Override& one : quantisation.overrides) {
    if (!one.pattern.Matches(module)) continue;
    if (one.config) {
      said.push_back(*one.config);
    } else {
      skipped = &one;
    }
  }
  if (!said.empty()) return said;
  if (skipped != nullptr) {
    quantisation.config->Refuse(
        "dynamic", "says by " + skipped->key + " that " + module + " is not quantised, but it is");
  }
  return {*quantisation.config};
}

bool IsV1(const Config& config) {
  const char* const key = config.Has("checkpoint_format") ? "checkpoint_format" : "format";
  const std::string form = config.Text(key, "gptq");
  if (form != "gptq" && form != "gptq_v2") {
    config.Refuse(key, "is \"" + form + "\", expected gptq or gptq_v2");
  }
  if (config.Flag("is_marlin_format", false)) {
    config.Refuse("is_marlin_format", "is true: convert from the checkpoint that it was made of");
  }
  return form == "gptq";
}

// One more for each code of each word.
void AddOnes(uint32_t bits, std::vector<uint8_t>& words) {
  uint32_t ones = 0;
  for (uint32_t at = 0; at < kWordBits; at += bits) ones |= 1u << at;
  for (size_t i = 0; i + sizeof(uint32_t) <= words.size(); i += sizeof(uint32_t)) {
    uint32_t word;
    std::memcpy(&word, &words[i], sizeof word);
    word += ones;
    std::memcpy(&words[i], &word, sizeof word);
  }
}

// [rows][groups].
std::vector<float> ReadZeros(const FolderTensors& tensors, const std::string& name,
                             const Form& form) {
  std::vector<uint8_t> words = tensors.Bytes(name);
  const bool across = kWordBits % form.bits != 0;
  if (form.is_v1 && !across) AddOnes(form.bits, words);
  const uint32_t more = form.is_v1 && across ? 1 : 0;
  std::vector<float> zeros(form.rows * form.groups);
  for (uint64_t g = 0; g < form.groups; ++g) {
    const size_t bytes = words.size() / form.groups;
    const auto of_group = std::span(words).subspan(g * bytes, bytes);
    for (uint64_t r = 0; r < form.rows; ++r) {
      const uint32_t zero = BitsAt(of_group, r, form.bits) + more;
      zeros[r * form.groups + g] = static_cast<float>(zero & ((1u << form.bits) - 1));
    }
  }
  return zeros;
}

float Middle(uint32_t bits) { return static_cast<float>(1u << (bits - 1)); }

// With `sym`, zeros are in the middle: where they are by the other version of the format, that is
// what the file has, and the config's word of it is wrong. Where nothing is said of sym, zeros that
// are all in the middle by the other version are no chance.
void CheckVersion(const FolderTensors& tensors, const std::string& name, const Config& config,
                  Form& form, std::string& note) {
  const bool is_said = config.Has("sym"), sym = config.Flag("sym", true);
  if (!sym) return;
  const auto is_middle = [&](float zero) { return zero == Middle(form.bits); };
  const std::vector<float> zeros = ReadZeros(tensors, name, form);
  const auto other = std::ranges::find_if_not(zeros, is_middle);
  if (other == zeros.end()) return;
  Form turned = form;
  turned.is_v1 = !form.is_v1;
  if (std::ranges::all_of(ReadZeros(tensors, name, turned), is_middle)) {
    form = turned;
    note = std::string("its zero points are those of ") + (form.is_v1 ? "gptq" : "gptq_v2") +
           ", not of what the config's checkpoint_format says: it is read so";
  } else if (is_said) {
    const auto at = static_cast<uint64_t>(other - zeros.begin());
    Fail(tensors.Called(name), " has the zero point ", *other, " for row ", at / form.groups,
         ", group ", at % form.groups, ", expected ", Middle(form.bits),
         ": the config says that sym is true");
  }
}

// Whether the columns' groups are those of g_idx. Files in which all is in order may lack it, or
// have nothing in it.
bool HasGroups(const FolderTensors& tensors, const std::string& name, const Config& config,
               const Form& form) {
  if (form.groups == 1) return false;
  const bool is_reordered = config.Flag("desc_act", false);
  if (tensors.Find(name) == nullptr) {
    if (!is_reordered) return false;
    Fail(tensors.Where(), " lacks tensor ", name,
         ", without which the weights cannot be read: the config's desc_act is true");
  }
  const std::vector<uint32_t> stored = ReadGroups(tensors, name, form.groups);
  const bool is_empty =
      stored.empty() || std::ranges::all_of(stored, [](uint32_t group) { return group == 0; });
  if (!is_empty) return !AreInOrder(stored, form.group_size);
  if (!is_reordered) return false;
  Fail(tensors.Called(name), " names no groups, but the config's desc_act is true");
}

ScaledRows Open(const FolderTensors& tensors, const Names& names, const Form& form,
                bool has_groups) {
  ScaledRows matrix;
  matrix.bits = form.bits;
  matrix.zero = Middle(form.bits);
  matrix.groups = form.groups;
  matrix.group_size = form.group_size;
  matrix.scales = Transposed(tensors.Scales(names.scales), form.groups, form.rows);
  matrix.zeros = ReadZeros(tensors, names.zeros, form);
  matrix.codes =
      RowsOf(Transposed(tensors.Bytes(names.codes), form.cols * form.bits / kWordBits, form.rows),
             form.rows);
  if (has_groups) matrix.group_of = ReadGroups(tensors, names.groups, form.groups);
  return matrix;
}

// Of what the config says, that which fits the tensors; else the first.
Config Fitting(const std::vector<Config>& said, uint64_t rows, uint64_t words, uint64_t groups,
               const std::vector<uint64_t>& zeros) {
  for (const Config& config : said) {
    const uint32_t bits = ReadBits(config);
    const uint64_t cols = words * kWordBits / bits;
    const std::optional<uint64_t> size = GroupSize(config, "group_size", cols);
    if (zeros == std::vector{groups, rows * bits / kWordBits} &&
        (!size || CeilDiv(cols, *size) == groups)) {
      return config;
    }
  }
  return said.front();
}

}  // namespace

std::optional<QuantisedMatrix> FindGptq(const FolderTensors& tensors, const std::string& name,
                                        const Quantisation& quantisation) {
  const std::optional<std::string> module = Before(name, ".qweight");
  if (!module) return std::nullopt;
  if (quantisation.method != "gptq") {
    Fail(tensors.Called(name), " is one of GPTQ or AWQ, but the config says ",
         quantisation.method.empty() ? "nothing of it" : quantisation.method);
  }
  RefuseKept(*quantisation.config, *module);
  const Names names = {name, *module + ".qzeros", *module + ".scales", *module + ".g_idx"};
  const Safetensors::Tensor& codes = Part(tensors, names.codes, {"I32"});
  if (codes.shape.size() != 2 || codes.elements() == 0) {
    Fail(tensors.Called(name), " has shape ", InBrackets(codes.shape), ", expected two sizes");
  }
  const Safetensors::Tensor& scales = Part(tensors, names.scales, kFloats);
  Form form = {};
  form.rows = codes.shape[1];
  form.groups = scales.shape.empty() ? 0 : scales.shape[0];
  Part(tensors, names.scales, kFloats, {form.groups, form.rows}, name);
  const std::vector<uint64_t>& of_zeros = Part(tensors, names.zeros, {"I32"}).shape;
  const Config config =
      Fitting(SaidOf(quantisation, *module), form.rows, codes.shape[0], form.groups, of_zeros);
  form.bits = ReadBits(config);
  form.is_v1 = IsV1(config);
  form.cols = codes.shape[0] * kWordBits / form.bits;
  if (form.groups == 0 || codes.shape[0] * kWordBits % form.bits != 0 ||
      form.rows * form.bits % kWordBits != 0) {
    Fail(tensors.Called(name), " and ", names.scales, " make no whole groups of ", form.bits,
         " bits");
  }
  Part(tensors, names.zeros, {"I32"}, {form.groups, form.rows * form.bits / kWordBits},
       names.scales + " and the config's bits");
  const bool names_groups = tensors.Find(names.groups) != nullptr;
  if (names_groups) Part(tensors, names.groups, {"I32"}, {form.cols}, name);
  form.group_size =
      CheckGroups(tensors, names.scales, config, "group_size", form.cols, names_groups);

  QuantisedMatrix found;
  CheckVersion(tensors, names.zeros, config, form, found.note);
  const bool has_groups = HasGroups(tensors, names.groups, config, form);
  found.name = *module + ".weight";
  found.type = "GPTQ, " + std::to_string(form.bits) + " bits";
  found.shape = {form.rows, form.cols};
  found.parts = {names.codes, names.zeros, names.scales};
  if (names_groups) found.parts.push_back(names.groups);
  const auto open = [&tensors, names, form, has_groups] {
    return Open(tensors, names, form, has_groups);
  };
  found.open = open;
  const bool is_middle = std::ranges::all_of(ReadZeros(tensors, names.zeros, form),
                                             [&](float zero) { return zero == Middle(form.bits); });
  if (!has_groups && is_middle && form.cols % form.groups == 0) {
    found.integers = {form.bits, form.cols / form.groups, [open] { return IntegersOf(open()); }};
  }
  return found;
}

}  // namespace rondo::convert
