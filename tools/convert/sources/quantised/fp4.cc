// FP4 (E2M1), two in a byte, the even one of two in the low nibble:
//   NVFP4  codes U8 [rows, cols / 2], weight_scale F8_E4M3 [rows, cols / 16], and a scale of all:
//          as compressed-tensors has it (X.weight_packed, X.weight_global_scale, which divides), or
//          as ModelOpt (X.weight, X.weight_scale_2, which multiplies)
//   MXFP4  groups of 32, whose scale is a byte, a power of two: as compressed-tensors has it
//          (X.weight_packed, X.weight_scale U8 or F8_E8M0), or gpt-oss (NAME_blocks [..., groups,
//          16] and NAME_scales [..., groups])
#include <algorithm>
#include <cmath>

#include "tools/convert/common/fail.h"
#include "tools/convert/sources/float_formats.h"
#include "tools/convert/sources/quantised/packed_codes.h"

namespace rondo::convert {
namespace {

constexpr std::initializer_list<const char*> kExponents = {"U8", "F8_E8M0"};

// Codes [rows, half of the columns] with a scale for each `group` columns.
QuantisedMatrix Of(const FolderTensors& tensors, const std::string& codes,
                   const std::string& scales, uint64_t group,
                   std::initializer_list<const char*> scale_types) {
  const Safetensors::Tensor& tensor = *tensors.all().at(codes).tensor;
  if (tensor.shape.size() != 2 || tensor.elements() == 0 || tensor.shape[1] * 2 % group != 0) {
    Fail(tensors.Called(codes), " has shape ", InBrackets(tensor.shape),
         ", expected rows of whole groups of ", group);
  }
  QuantisedMatrix found;
  found.shape = {tensor.shape[0], tensor.shape[1] * 2};
  Part(tensors, scales, scale_types, {found.shape[0], found.shape[1] / group}, codes);
  found.parts = {codes, scales};
  return found;
}

// A scale of all, one value.
float ReadScale(const FolderTensors& tensors, const std::string& name) {
  const Safetensors::Tensor& tensor = Part(tensors, name, kFloats);
  if (tensor.elements() != 1) {
    Fail(tensors.Called(name), " has shape ", InBrackets(tensor.shape), ", expected one value");
  }
  return tensors.Floats(name)[0];
}

std::optional<QuantisedMatrix> Nvfp4(const FolderTensors& tensors, const std::string& codes,
                                     const std::string& module, const std::string& global,
                                     bool divides) {
  const std::string scales = module + ".weight_scale";
  QuantisedMatrix found = Of(tensors, codes, scales, 16, {"F8_E4M3"});
  const float value = ReadScale(tensors, global);
  if (!(value > 0)) Fail(tensors.Called(global), " holds ", value, ", expected more than zero");
  found.name = module + ".weight";
  found.type = "NVFP4";
  found.parts.push_back(global);
  found.open = [=, &tensors, rows = found.shape[0]] {
    return Fp4Rows(RowsOf(tensors, codes, rows), RowsOf(tensors, scales, rows), [=](uint8_t bits) {
      return divides ? FromE4M3(bits) / value : FromE4M3(bits) * value;
    });
  };
  return found;
}

QuantisedMatrix Mxfp4(const FolderTensors& tensors, QuantisedMatrix found, const std::string& codes,
                      const std::string& scales) {
  found.type = "MXFP4";
  const uint64_t rows = tensors.all().at(scales).tensor->elements() / (found.shape.back() / 32);
  found.open = [=, &tensors] {
    return Fp4Rows(RowsOf(tensors, codes, rows), RowsOf(tensors, scales, rows), FromE8M0);
  };
  return found;
}

// Of gpt-oss.
std::optional<QuantisedMatrix> Blocks(const FolderTensors& tensors, const std::string& name,
                                      const std::string& stem) {
  const std::string scales = stem + "_scales";
  if (tensors.Find(scales) == nullptr) return std::nullopt;
  const Safetensors::Tensor& blocks = *tensors.all().at(name).tensor;
  const Safetensors::Tensor& its = *tensors.all().at(scales).tensor;
  std::vector<uint64_t> shape = its.shape;
  shape.push_back(16);
  const bool are_exponents = std::ranges::find(kExponents, its.dtype) != kExponents.end();
  if (blocks.dtype != "U8" || !are_exponents || shape.size() < 2 || blocks.shape != shape ||
      its.elements() == 0) {
    Fail(tensors.Called(name), " and ", scales,
         " are not 16 bytes of MXFP4 for each byte of scale");
  }
  QuantisedMatrix found;
  found.name = name;
  found.shape = its.shape;
  found.shape.back() *= 32;
  found.parts = {name, scales};
  return Mxfp4(tensors, std::move(found), name, scales);
}

}  // namespace

std::optional<QuantisedMatrix> FindFp4(const FolderTensors& tensors, const std::string& name,
                                       const Quantisation&) {
  if (const auto stem = Before(name, "_blocks")) return Blocks(tensors, name, *stem);
  if (tensors.all().at(name).tensor->dtype != "U8") return std::nullopt;
  if (const auto module = Before(name, ".weight_packed")) {
    const std::string scales = *module + ".weight_scale";
    if (Part(tensors, scales, {"F8_E4M3", "U8", "F8_E8M0"}).dtype == "F8_E4M3") {
      return Nvfp4(tensors, name, *module, *module + ".weight_global_scale", true);
    }
    QuantisedMatrix found = Of(tensors, name, scales, 32, kExponents);
    found.name = *module + ".weight";
    return Mxfp4(tensors, std::move(found), name, scales);
  }
  const auto module = Before(name, ".weight");
  if (!module || tensors.Find(*module + ".weight_scale_2") == nullptr) return std::nullopt;
  return Nvfp4(tensors, name, *module, *module + ".weight_scale_2", false);
}

}  // namespace rondo::convert
