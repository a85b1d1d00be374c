#include "tools/convert/sources/safetensors.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "runtime/base/checked.h"
#include "tools/convert/common/fail.h"
#include "tools/convert/sources/float_formats.h"
#include "tools/convert/sources/json_text.h"
#include "tools/convert/sources/what_it_is.h"

namespace rondo::convert {
namespace {

using nlohmann::json;

constexpr uint64_t kMaxHeaderBytes = 100'000'000;  // the format's own limit
constexpr size_t kMaxDimensions = 8;
constexpr size_t kElementsPerRead = 1u << 16;

uint64_t BytesPerElement(const std::string& dtype) {
  static const std::map<std::string, uint64_t> sizes = {
      {"BOOL", 1}, {"U8", 1},  {"I8", 1},   {"F8_E5M2", 1}, {"F8_E4M3", 1}, {"U16", 2},
      {"I16", 2},  {"F16", 2}, {"BF16", 2}, {"U32", 4},     {"I32", 4},     {"F32", 4},
      {"U64", 8},  {"I64", 8}, {"F64", 8},  {"F8_E8M0", 1}};
  const auto found = sizes.find(dtype);
  return found == sizes.end() ? 0 : found->second;
}

// The header as JSON, refusing a name that comes twice (the parser would keep the last).
json ParseHeader(const std::string& path, const std::string& text) {
  std::set<std::string> names;
  std::string twice;
  const auto watch = [&](int depth, json::parse_event_t event, json& parsed) {
    if (event == json::parse_event_t::key && depth == 1 &&
        !names.insert(parsed.get<std::string>()).second) {
      twice = parsed.get<std::string>();
    }
    return true;
  };
  json header = json::parse(text, watch, /*allow_exceptions=*/false);
  if (!header.is_object()) header = ParseJsonObject(text, path + ": the header");
  if (!twice.empty()) Fail(path, ": tensor ", twice, " is listed twice");
  return header;
}

// A list of unsigned integers, at most `max_size` of them.
std::vector<uint64_t> Integers(const json& entry, const char* key, size_t max_size,
                               const std::string& where) {
  const auto found = entry.find(key);
  const bool fits = found != entry.end() && found->is_array() && found->size() <= max_size &&
                    std::all_of(found->begin(), found->end(),
                                [](const json& item) { return item.is_number_unsigned(); });
  if (!fits) {
    Fail(where, ": ", key, " is not a list of at most ", max_size, " unsigned integers");
  }
  return found->get<std::vector<uint64_t>>();
}

Safetensors::Tensor ParseTensor(const json& entry, uint64_t data_begin, uint64_t data_bytes,
                                const std::string& where, const std::string& path) {
  if (!entry.is_object() || !entry.contains("dtype") || !entry["dtype"].is_string()) {
    Fail(where, " has no dtype");
  }
  Safetensors::Tensor tensor;
  tensor.dtype = entry["dtype"].get<std::string>();
  tensor.shape = Integers(entry, "shape", kMaxDimensions, where);
  CheckedSize bytes = BytesPerElement(tensor.dtype);
  if (bytes.value() == 0) Fail(where, " has the unknown dtype ", tensor.dtype);
  for (uint64_t size : tensor.shape) bytes = bytes * size;
  const std::vector<uint64_t> offsets = Integers(entry, "data_offsets", 2, where);
  if (offsets.size() != 2 || offsets[0] > offsets[1] || offsets[1] > data_bytes) {
    const bool is_cut = offsets.size() == 2 && offsets[0] <= offsets[1];
    Fail(where, ": data_offsets do not lie in the file's ", data_bytes, " bytes of data",
         is_cut ? CutShortAdvice(path) : "");
  }
  tensor.begin = data_begin + offsets[0];
  tensor.bytes = offsets[1] - offsets[0];
  if (!bytes.valid() || bytes.value() != tensor.bytes) {
    Fail(where, ": its shape and dtype do not make the ", tensor.bytes,
         " bytes of its data_offsets");
  }
  return tensor;
}

void CheckCoverage(const std::map<std::string, Safetensors::Tensor>& tensors, uint64_t data_begin,
                   uint64_t file_bytes, const std::string& path) {
  std::vector<std::pair<uint64_t, const std::string*>> order;
  for (const auto& [name, tensor] : tensors) order.emplace_back(tensor.begin, &name);
  // Empty tensors first where several begin at one byte.
  std::sort(order.begin(), order.end(), [&](const auto& a, const auto& b) {
    return std::pair(a.first, tensors.at(*a.second).bytes) <
           std::pair(b.first, tensors.at(*b.second).bytes);
  });
  uint64_t end = data_begin;
  for (const auto& [begin, name] : order) {
    if (begin != end) {
      Fail(path, ": tensor ", *name, " begins at byte ", begin, ", expected ", end,
           ", where the one before it ends");
    }
    end = begin + tensors.at(*name).bytes;
  }
  if (end != file_bytes) Fail(path, " has ", file_bytes, " bytes, its tensors end at ", end);
}

template <float (*Convert)(uint16_t)>
void Widen(std::span<const uint16_t> halves, float* out) {
  for (uint16_t half : halves) *out++ = Convert(half);
}

}  // namespace

Safetensors::Safetensors(const std::filesystem::path& path) : file_(path) {
  uint64_t header_bytes = 0;
  if (file_.bytes() < sizeof(header_bytes)) {
    Fail(file_.path(), " has ", file_.bytes(), " bytes, too few for a safetensors file",
         CutShortAdvice(path));
  }
  file_.Read(0, {reinterpret_cast<uint8_t*>(&header_bytes), sizeof(header_bytes)});
  if (header_bytes > kMaxHeaderBytes) {
    Fail(file_.path(), " ",
         WhatFileIs(path, "says that its header has " + std::to_string(header_bytes) +
                              " bytes, which is not the size of a safetensors file's"));
  }
  if (header_bytes > file_.bytes() - sizeof(header_bytes)) {
    Fail(file_.path(), " has ", file_.bytes(), " bytes, its header alone ", header_bytes,
         CutShortAdvice(path));
  }
  std::string text(static_cast<size_t>(header_bytes), '\0');
  file_.Read(sizeof(header_bytes), {reinterpret_cast<uint8_t*>(text.data()), text.size()});
  const uint64_t data_begin = sizeof(header_bytes) + header_bytes;
  const json header = ParseHeader(file_.path(), text);
  for (const auto& [name, entry] : header.items()) {
    if (name == "__metadata__") continue;
    tensors_[name] = ParseTensor(entry, data_begin, file_.bytes() - data_begin,
                                 file_.path() + ": tensor " + name, file_.path());
  }
  CheckCoverage(tensors_, data_begin, file_.bytes(), file_.path());
}

void Safetensors::Read(const std::string& name, const Tensor& tensor, uint64_t first,
                       std::span<float> out) const {
  const uint64_t size = BytesPerElement(tensor.dtype);
  const uint64_t offset = tensor.begin + first * size;
  if (tensor.dtype == "F32") {
    file_.Read(offset, {reinterpret_cast<uint8_t*>(out.data()), out.size_bytes()});
  } else if (tensor.dtype == "F16" || tensor.dtype == "BF16") {
    const auto widen = tensor.dtype == "F16" ? Widen<FromFloat16> : Widen<FromBfloat16>;
    std::vector<uint16_t> halves(std::min(out.size(), kElementsPerRead));
    for (size_t done = 0; done < out.size(); done += halves.size()) {
      halves.resize(std::min(halves.size(), out.size() - done));
      file_.Read(offset + done * size,
                 {reinterpret_cast<uint8_t*>(halves.data()), halves.size() * size});
      widen(halves, out.data() + done);
    }
  } else {
    Fail(path(), ": tensor ", name, " has dtype ", tensor.dtype, ", expected F32, F16 or BF16");
  }
  if (tensor.shape.empty() && std::isinf(out.front())) return;
  CheckFinite(name, first, out);
}

void Safetensors::CheckFinite(const std::string& name, uint64_t first,
                              std::span<const float> values) const {
  const auto bad =
      std::find_if(values.begin(), values.end(), [](float x) { return !std::isfinite(x); });
  if (bad != values.end()) {
    Fail(path(), ": tensor ", name, " holds ", *bad, " at index ",
         first + static_cast<uint64_t>(bad - values.begin()), ", expected finite weights");
  }
}

}  // namespace rondo::convert
