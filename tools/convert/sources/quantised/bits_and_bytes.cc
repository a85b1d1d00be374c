// bitsandbytes' 4 bits: X.weight U8 [bytes, 1], two weights in each, the first in the high nibble,
// which are numbers of X.weight.quant_map's 16 values; X.weight.absmax, what multiplies each block,
// or numbers of X.weight.nested_quant_map's 256 values, which X.weight.nested_absmax multiplies for
// each nested block, and the state's nested_offset more; X.weight.quant_state.bitsandbytes__nf4 (or
// __fp4) is a JSON of shape, block sizes and offset (bitsandbytes' functional.QuantState).
#include <nlohmann/json.hpp>

#include "runtime/base/checked.h"
#include "tools/convert/common/fail.h"
#include "tools/convert/sources/json_text.h"
#include "tools/convert/sources/quantised/packed_codes.h"

namespace rondo::convert {
namespace {

constexpr uint64_t kMost = uint64_t{1} << 31;

// What multiplies each block.
std::vector<float> ReadAbsmax(const FolderTensors& tensors, const std::string& name,
                              const Config& state, uint64_t n_blocks) {
  const std::string absmax = name + ".absmax";
  const std::string by = name + " and its quant_state";
  if (Part(tensors, absmax, {"F32", "U8"}, {n_blocks}, by).dtype == "F32") {
    return tensors.Floats(absmax);
  }
  const std::string map = name + ".nested_quant_map", nested = name + ".nested_absmax";
  const uint64_t block = state.Integer("nested_blocksize", 1, kMost);
  const auto offset = static_cast<float>(state.Number("nested_offset"));
  Part(tensors, map, kFloats, {256}, by);
  Part(tensors, nested, kFloats, {CeilDiv(n_blocks, block)}, by);
  const std::vector<float> values = tensors.Floats(map), scales = tensors.Floats(nested);
  const std::vector<uint8_t> numbers = tensors.Bytes(absmax);
  std::vector<float> out(n_blocks);
  for (uint64_t i = 0; i < n_blocks; ++i) out[i] = values[numbers[i]] * scales[i / block] + offset;
  return out;
}

}  // namespace

std::optional<QuantisedMatrix> FindBitsAndBytes(const FolderTensors& tensors,
                                                const std::string& name, const Quantisation&) {
  if (tensors.all().at(name).tensor->dtype != "U8" || !Before(name, ".weight")) return std::nullopt;
  std::string state_name;
  for (const char* const kind : {"nf4", "fp4"}) {
    const std::string known = name + ".quant_state.bitsandbytes__" + kind;
    if (tensors.Find(known) != nullptr) state_name = known;
  }
  if (state_name.empty()) return std::nullopt;
  Part(tensors, state_name, {"U8"});
  const std::vector<uint8_t> text = tensors.Bytes(state_name);
  const std::string where = tensors.Called(state_name);
  const Config state =
      Config::Of(where + ": key ", ParseJsonObject(std::string(text.begin(), text.end()), where));
  const std::vector<uint64_t> shape = state.Integers("shape", kMost);
  const uint64_t block = state.Integer("blocksize", 2, kMost);
  if (shape.size() != 2 || shape[0] == 0 || shape[1] == 0) {
    state.Refuse("shape", "is not rows and columns");
  }
  const uint64_t elements = shape[0] * shape[1];
  const std::string map = name + ".quant_map", by = state_name;
  if (tensors.all().at(name).tensor->elements() != CeilDiv(elements, uint64_t{2})) {
    Fail(tensors.Called(name), " has ", tensors.all().at(name).tensor->elements(),
         " bytes, expected two weights in each of ", InBrackets(shape), " by ", by);
  }
  Part(tensors, map, kFloats, {16}, by);
  const uint64_t n_blocks = CeilDiv(elements, block);
  QuantisedMatrix found;
  found.name = name;
  found.type = "bitsandbytes, 4 bits";
  found.shape = shape;
  found.parts = {name, state_name, map};
  for (const char* const end : {".absmax", ".nested_absmax", ".nested_quant_map"}) {
    if (tensors.Find(name + end) != nullptr) found.parts.push_back(name + end);
  }
  ReadAbsmax(tensors, name, state, n_blocks);  // what it refuses is refused at once
  found.open = [=, &tensors] {
    return
        [=, codes = tensors.Bytes(name), values = tensors.Floats(map),
         absmax = ReadAbsmax(tensors, name, state, n_blocks)](uint64_t row, std::span<float> out) {
          for (size_t i = 0; i < out.size(); ++i) {
            const uint64_t at = row * out.size() + i;
            out[i] = values[codes[at / 2] >> (at % 2 == 0 ? 4 : 0) & 15] * absmax[at / block];
          }
        };
  };
  return found;
}

}  // namespace rondo::convert
