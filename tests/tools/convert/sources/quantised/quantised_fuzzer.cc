// A folder whose safetensors file has any header, read by any method of quantisation: refused with
// an Error, or every matrix can be read, as floats and as what it is.
#include <array>

#include <nlohmann/json.hpp>

#include "tests/support/fuzzing.h"
#include "tests/temp_folder.h"
#include "tools/convert/common/fail.h"
#include "tools/convert/sources/checkpoint_folder.h"

namespace rondo::convert {
namespace {

// The first byte of an input says which.
constexpr std::array kConfigs = {
    R"({"quant_method":"compressed-tensors","config_groups":{"g":{"weights":{"num_bits":4}}}})",
    R"({"quant_method":"compressed-tensors","config_groups":{"g":{"weights":{"num_bits":3}}}})",
    R"({"quant_method":"gptq","bits":4})",
    R"({"quant_method":"gptq","bits":3,"checkpoint_format":"gptq_v2"})",
    R"({"quant_method":"awq","bits":4})",
    R"({"quant_method":"mlx","bits":4,"group_size":32})",
    R"({"quant_method":"modelopt"})",
    R"({"quant_method":"fp8","weight_block_size":[2,4]})",
    R"({"quant_method":"bitsandbytes"})",
    R"({"quant_method":"bitnet","quantization_mode":"online"})",
    R"({"quant_method":"mxfp4"})",
    R"({"quant_method":"gptq","bits":4,"group_size":16,"dynamic":{"-:y":{},"x":{"bits":8}}})",
    R"({"bits":8,"group_size":32,"mode":"mxfp8","y":{"bits":4},"quant_method":"mlx"})",
    R"({"quant_method":"compressed-tensors","config_groups":{"g":{"weights":{"num_bits":8,
        "symmetric":false}}}})",
};
constexpr size_t kDataBytes = 512;

// {"NAME":{"dtype":...,"shape":[...],"data_offsets":[...]}, ...}: a line each, end to end.
struct Line {
  const char *name, *dtype, *shape;
  size_t bytes;
};
std::string Header(char method, const std::vector<Line>& lines) {
  std::string header(1, method);
  size_t begin = 0;
  for (const Line& line : lines) {
    header += (begin == 0 ? "{" : ",") + std::string("\"") + line.name + R"(":{"dtype":")" +
              line.dtype + R"(","shape":)" + line.shape + R"(,"data_offsets":[)" +
              std::to_string(begin) + "," + std::to_string(begin + line.bytes) + "]}";
    begin += line.bytes;
  }
  return header + "}";
}

void ReadAll(const CheckpointFolder& folder) {
  for (const auto& [name, entry] : folder.tensors()) {
    std::vector<float> values(entry.elements());
    folder.Read(name, 0, values);
    if (values.empty()) continue;
    const size_t cols = entry.shape.empty() ? 1 : entry.shape.back(), rows = values.size() / cols;
    if (const uint32_t block = folder.BlockOfQ4B(name)) {
      std::vector<uint8_t> nibbles(values.size() / 2);
      std::vector<uint16_t> scales(values.size() / block);
      folder.ReadQ4B(name, 0, rows, nibbles.data(), scales.data());
    }
    if (folder.IntegerBits(name) == 0) continue;
    std::vector<int8_t> row(cols);
    for (size_t r = 0; r < rows; ++r) folder.ReadIntegers(name, r, row);
  }
}

}  // namespace
}  // namespace rondo::convert

std::vector<std::string> FirstInputs() {
  using rondo::convert::Header;
  return {
      Header(0, {{"x.weight_packed", "I32", "[2,4]", 32},
                 {"x.weight_scale", "F16", "[2,1]", 4},
                 {"x.weight_shape", "I32", "[2]", 8}}),
      Header(0, {{"x.weight_packed", "U8", "[2,8]", 16},
                 {"x.weight_scale", "F8_E4M3", "[2,1]", 2},
                 {"x.weight_global_scale", "F32", "[1]", 4}}),
      Header(2, {{"x.qweight", "I32", "[4,8]", 128},
                 {"x.qzeros", "I32", "[1,1]", 4},
                 {"x.scales", "F16", "[1,8]", 16},
                 {"x.g_idx", "I32", "[32]", 128}}),
      Header(4, {{"x.qweight", "I32", "[8,1]", 32},
                 {"x.qzeros", "I32", "[1,1]", 4},
                 {"x.scales", "F16", "[1,8]", 16}}),
      Header(5, {{"x.weight", "U32", "[2,4]", 32},
                 {"x.scales", "F16", "[2,1]", 4},
                 {"x.biases", "F16", "[2,1]", 4}}),
      Header(6, {{"x.weight", "U8", "[2,8]", 16},
                 {"x.weight_scale", "F8_E4M3", "[2,1]", 2},
                 {"x.weight_scale_2", "F32", "[]", 4}}),
      Header(7, {{"x.weight", "F8_E4M3", "[4,8]", 32}, {"x.weight_scale_inv", "F32", "[2,2]", 16}}),
      Header(8, {{"x.weight", "I8", "[2,8]", 16}, {"x.SCB", "F32", "[2]", 8}}),
      Header(8, {{"x.weight", "U8", "[32,1]", 32},
                 {"x.weight.absmax", "F32", "[1]", 4},
                 {"x.weight.quant_map", "F32", "[16]", 64},
                 {"x.weight.quant_state.bitsandbytes__nf4", "U8", "[60]", 60}}),
      Header(9, {{"x.weight", "U8", "[2,8]", 16}, {"x.weight_scale", "F32", "[1]", 4}}),
      Header(9, {{"a.layers.0.x.weight", "F32", "[2,4]", 32}}),
      Header(1, {{"x.weight_packed", "I32", "[2,4]", 32},
                 {"x.weight_scale", "F32", "[1]", 4},
                 {"x.weight_zero_point", "I8", "[1]", 1},
                 {"x.weight_shape", "I32", "[2]", 8}}),
      Header(11, {{"x.qweight", "I32", "[8,4]", 128},
                  {"x.qzeros", "I32", "[2,1]", 8},
                  {"x.scales", "F16", "[2,4]", 16}}),
      Header(12, {{"x.weight", "U32", "[2,8]", 64}, {"x.scales", "U8", "[2,1]", 2}}),
      Header(13, {{"x.weight", "I8", "[2,8]", 16},
                  {"x.weight_scale", "F8_E8M0", "[2,2]", 4},
                  {"x.weight_zero_point", "I8", "[2,2]", 4},
                  {"x.weight_g_idx", "I32", "[8]", 32}}),
      Header(10, {{"x_blocks", "U8", "[1,2,1,16]", 32}, {"x_scales", "U8", "[1,2,1]", 2}}),
  };
}

// The header's length before it is right; behind it come bytes of which floats are finite.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace rondo::convert;
  static const rondo::TempFolder temp;
  if (size == 0) return 0;
  const uint64_t length = size - 1;
  std::string rest;
  for (size_t i = 0; i < kDataBytes; ++i) rest += static_cast<char>(i * 29 % 64 + 1);
  std::ofstream(temp / "model.safetensors", std::ios::binary)
      << AsInput(reinterpret_cast<const uint8_t*>(&length), sizeof(length))
      << AsInput(data + 1, size - 1) << rest;
  try {
    const std::string config =
        std::string(R"({"quantization_config":)") + kConfigs[data[0] % kConfigs.size()] + "}";
    ReadAll(CheckpointFolder(temp / "", ReadQuantisation(Config::Of(
                                            "config.json: key ", nlohmann::json::parse(config)))));
  } catch (const Error& error) {
    EXPECT_NE(error.what()[0], '\0');
  }
  return 0;
}
