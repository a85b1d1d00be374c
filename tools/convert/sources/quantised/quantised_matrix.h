// QuantisedMatrix: a matrix of weights that several tensors of a folder make together, in the way
// of one of the methods by which people quantise checkpoints.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tools/convert/sources/config.h"
#include "tools/convert/sources/folder_tensors.h"
#include "tools/convert/sources/peft/python_pattern.h"

namespace rondo::convert {

// out = row number `row`; of several matrices in one tensor, of all their rows. Scales are
// in memory, and so are codes that do not stand row by row. Throws Error.
using ReadRow = std::function<void(uint64_t row, std::span<float> out)>;

// out = the signed integers of row `row`; scales = those of its groups of columns, finite.
using ReadIntegersOfRow =
    std::function<void(uint64_t row, std::span<int8_t> out, std::span<float> scales)>;

// weight = integer * scale
struct SignedIntegers {
  uint32_t bits;   // of each, up to 8
  uint64_t group;  // columns one behind the other that share a scale; all columns are whole groups
  std::function<ReadIntegersOfRow()> open;
};

struct QuantisedMatrix {
  std::string name;                // what it is called where it is not quantised
  std::string type;                // for people: "GPTQ, 4 bits"
  std::vector<uint64_t> shape;     // row-major
  std::vector<std::string> parts;  // tensors of the folder, which are nothing but parts of it
  std::function<ReadRow()> open;
  std::optional<SignedIntegers> integers = {};  // where it is just those
  std::string note = {};  // where the config says otherwise: what was taken, a sentence of "it"
};

// What config.json says of the method, as `quantization_config`, or `quantization` (MLX).
struct Quantisation {
  std::string method;  // quant_method; "mlx"; empty: none is named
  std::optional<Config> config;
  // Of GPTQModel's `dynamic`: modules of which the config says something else.
  struct Override {
    std::string key;
    std::shared_ptr<const Config> holder;  // of the pattern
    PythonPattern pattern;
    std::optional<Config> config;  // nothing: they are not quantised
  };
  std::vector<Override> overrides = {};
};
// Throws Error where it names a method that is not known.
Quantisation ReadQuantisation(const Config& config);
// Of a folder: what config.json says, or, where that says nothing, the file that quantisers of GPTQ
// and AWQ wrote beside it.
Quantisation ReadQuantisation(const std::filesystem::path& folder, const Config& config);
// The config of the model that the matrices make.
Config WithoutQuantisation(const Config& config);

// The matrix of which `name` is the part that tells the method; nothing where it is none.
std::optional<QuantisedMatrix> FindQuantised(const FolderTensors& tensors, const std::string& name,
                                             const Quantisation& quantisation);

// A scale that calibration found for activations or the KV cache, beside quantised matrices. Rondo
// finds those of activations row by row as it runs, which loses less: as KL divergence from float
// activations 0.0007 on two small trained models with weights in int8, where one scale for each
// matrix's inputs lost 0.006 (the best clipping) to 0.012 (the largest value), and with its
// outputs, too, 0.008 to 0.023. It has its own of the KV cache.
bool IsOfActivations(const std::string& name);

// ---- What the methods' files have in common ----

// One method: looks at a tensor by its name, type and company.
using FindMatrix = std::optional<QuantisedMatrix> (*)(const FolderTensors& tensors,
                                                      const std::string& name,
                                                      const Quantisation& quantisation);
std::optional<QuantisedMatrix> FindCompressed(const FolderTensors&, const std::string&,
                                              const Quantisation&);
std::optional<QuantisedMatrix> FindAwq(const FolderTensors&, const std::string&,
                                       const Quantisation&);
std::optional<QuantisedMatrix> FindGptq(const FolderTensors&, const std::string&,
                                        const Quantisation&);
std::optional<QuantisedMatrix> FindMlx(const FolderTensors&, const std::string&,
                                       const Quantisation&);
std::optional<QuantisedMatrix> FindBytes(const FolderTensors&, const std::string&,
                                         const Quantisation&);
std::optional<QuantisedMatrix> FindFp4(const FolderTensors&, const std::string&,
                                       const Quantisation&);
std::optional<QuantisedMatrix> FindBitNet(const FolderTensors&, const std::string&,
                                          const Quantisation&);
std::optional<QuantisedMatrix> FindBitsAndBytes(const FolderTensors&, const std::string&,
                                                const Quantisation&);

// `name` without `end`; nothing where it does not end so.
std::optional<std::string> Before(const std::string& name, const std::string& end);
// Refuses tensor `name` unless it is there and of one of the types.
const Safetensors::Tensor& Part(const FolderTensors& tensors, const std::string& name,
                                std::initializer_list<const char*> types);
// And unless it has this shape; `by` says of what that follows.
const Safetensors::Tensor& Part(const FolderTensors& tensors, const std::string& name,
                                std::initializer_list<const char*> types,
                                const std::vector<uint64_t>& shape, const std::string& by);
// What the groups of compressed-tensors' config say of weights.
std::vector<Config> WeightSchemes(const Quantisation& quantisation);
// Refuses a quantised module that is one of the config's modules_to_not_convert, or in one.
void RefuseKept(const Config& config, const std::string& module);
std::string InBrackets(const std::vector<uint64_t>& shape);  // "[2, 3]"
// Scales are floats, of some files powers of two.
inline constexpr std::initializer_list<const char*> kFloats = {"F32", "F16", "BF16"};
inline constexpr std::initializer_list<const char*> kScales = {"F32", "F16", "BF16", "F8_E8M0"};

}  // namespace rondo::convert
