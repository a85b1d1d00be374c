#include "tools/convert/sources/quantised/quantised_matrix.h"

#include <algorithm>

#include "tools/convert/common/fail.h"

namespace rondo::convert {
namespace {

// Methods whose tensors are read, by the names that configs have for them.
constexpr const char* kMethods[] = {"awq",        "bitnet", "bitsandbytes", "compressed-tensors",
                                    "fbgemm_fp8", "fp8",    "gptq",         "modelopt",
                                    "mlx",        "mxfp4"};

bool IsKnown(const std::string& method) {
  return std::find(std::begin(kMethods), std::end(kMethods), method) != std::end(kMethods);
}

// GPTQModel calls quant_method `method`, too; MLX and older quantisers name none.
std::string MethodOf(const Config& config, const char* if_absent) {
  const auto has = [&](std::initializer_list<const char*> keys) {
    return std::ranges::any_of(keys, [&](const char* key) { return config.Has(key); });
  };
  const char* const guess = has({"w_bit", "zero_point"})               ? "awq"
                            : has({"desc_act", "damp_percent", "sym"}) ? "gptq"
                                                                       : if_absent;
  return config.Text("quant_method", config.Text("method", guess));
}

// "+:PATTERN" or "PATTERN": what is otherwise for modules; "-:PATTERN": they are not quantised.
void ReadOverrides(Quantisation& found) {
  const std::optional<Config> dynamic = found.config->Object("dynamic");
  if (found.method != "gptq" || !dynamic) return;
  const auto holder = std::make_shared<const Config>(*found.config);
  for (const auto& [key, values] : dynamic->object().items()) {
    const bool skips = key.starts_with("-:");
    std::optional<Config> config;
    if (!skips) {
      const std::optional<Config> own = dynamic->Object(key.c_str());
      config = own ? own->WithDefaults(found.config->object()) : found.config;
    }
    const std::string pattern = skips || key.starts_with("+:") ? key.substr(2) : key;
    found.overrides.push_back(
        {key, holder, PythonPattern(*holder, "dynamic", key, pattern), std::move(config)});
  }
}

// Some weights are meant for activations that are turned as the model runs, by GPTQModel's rotation
// or compressed-tensors' transforms. Those of queries and keys cancel each other.
void RefuseTurning(const Quantisation& found) {
  const char* const kUnknown = "turns activations as the model runs, which is not known here";
  if (found.config->Has("rotation")) found.config->Refuse("rotation", kUnknown);
  const std::optional<Config> transforms = found.config->Object("transform_config");
  const std::optional<Config> groups =
      transforms ? transforms->Object("config_groups") : std::nullopt;
  if (!groups) return;
  for (const auto& [key, group] : groups->object().items()) {
    if (!group.is_object() || !group.contains("apply")) continue;
    for (const auto& [unused, one] : group["apply"].items()) {
      const nlohmann::json location =
          one.is_object() ? one.value("location", nlohmann::json()) : "";
      if (location == "input" || location == "output") groups->Refuse(key.c_str(), kUnknown);
    }
  }
}

}  // namespace

Quantisation ReadQuantisation(const Config& config) {
  Quantisation found;
  const Config* holder = &config;
  const std::optional<Config> text = config.Object("text_config");
  if (!config.Has("quantization_config") && !config.Has("quantization") && text) holder = &*text;
  // MLX, which asks `quantization` first, has what it says twice.
  for (const char* const key : {"quantization", "quantization_config"}) {
    const std::optional<Config> its = holder->Object(key);
    if (!its || (found.config && !found.method.empty())) continue;
    found.config = its;
    found.method = MethodOf(*its, its->Has("group_size") ? "mlx" : "");
  }
  if (!found.config) return found;
  if (IsKnown(found.method)) {
    RefuseTurning(found);
    ReadOverrides(found);
    return found;
  }
  std::string known;
  for (const char* const method : kMethods) {
    known += (known.empty() ? "" : ", ") + std::string(method);
  }
  found.config->Refuse("quant_method",
                       "is " + (found.method.empty() ? "absent" : '"' + found.method + '"') +
                           "; read are " + known +
                           ": convert from the checkpoint that it was made of");
}

Quantisation ReadQuantisation(const std::filesystem::path& folder, const Config& config) {
  Quantisation found = ReadQuantisation(config);
  if (found.config) return found;
  for (const char* const name : {"quantize_config.json", "quant_config.json"}) {
    if (!std::filesystem::exists(folder / name)) continue;
    found.config = Config::Load(folder / name);
    found.method = MethodOf(*found.config, "gptq");
    if (!IsKnown(found.method)) return {};
    RefuseTurning(found);
    ReadOverrides(found);
    return found;
  }
  return found;
}

Config WithoutQuantisation(const Config& config) {
  Config plain = config;
  for (const char* const key : {"quantization_config", "quantization"}) {
    if (config.Has(key)) plain = plain.With(key, nullptr);
  }
  if (!config.Has("text_config")) return plain;
  nlohmann::json text = config.object()["text_config"];
  for (const char* const key : {"quantization_config", "quantization"}) {
    if (text.is_object()) text.erase(key);
  }
  return plain.With("text_config", text);
}

std::optional<QuantisedMatrix> FindQuantised(const FolderTensors& tensors, const std::string& name,
                                             const Quantisation& quantisation) {
  for (const FindMatrix find : {FindBitNet, FindCompressed, FindAwq, FindGptq, FindMlx, FindFp4,
                                FindBytes, FindBitsAndBytes}) {
    if (auto found = find(tensors, name, quantisation)) return found;
  }
  return std::nullopt;
}

bool IsOfActivations(const std::string& name) {
  constexpr const char* kEnds[] = {
      ".input_scale", ".input_global_scale", ".output_scale", ".q_scale", ".k_scale", ".v_scale"};
  return std::ranges::any_of(kEnds, [&](const char* end) { return name.ends_with(end); });
}

std::optional<std::string> Before(const std::string& name, const std::string& end) {
  if (!name.ends_with(end) || name.size() == end.size()) return std::nullopt;
  return name.substr(0, name.size() - end.size());
}

std::vector<Config> WeightSchemes(const Quantisation& quantisation) {
  std::vector<Config> schemes;
  if (!quantisation.config) return schemes;
  const std::optional<Config> groups = quantisation.config->Object("config_groups");
  if (!groups) return schemes;
  for (const auto& [key, unused] : groups->object().items()) {
    const std::optional<Config> group = groups->Object(key.c_str());
    if (auto weights = group ? group->Object("weights") : std::nullopt) {
      schemes.push_back(std::move(*weights));
    }
  }
  return schemes;
}

void RefuseKept(const Config& config, const std::string& module) {
  const std::string path = '.' + module + '.';
  for (const std::string& kept : config.Texts("modules_to_not_convert")) {
    if (kept.empty() || path.find('.' + kept + '.') == std::string::npos) continue;
    std::string sentence = "names ";
    sentence.append(kept).append(", but the file has ").append(module).append(" quantised");
    config.Refuse("modules_to_not_convert", sentence);
  }
}

std::string InBrackets(const std::vector<uint64_t>& shape) {
  std::string text;
  for (const uint64_t size : shape) text += (text.empty() ? "" : ", ") + std::to_string(size);
  return '[' + text + ']';
}

const Safetensors::Tensor& Part(const FolderTensors& tensors, const std::string& name,
                                std::initializer_list<const char*> types) {
  const FolderTensors::Place* const place = tensors.Find(name);
  if (place == nullptr) {
    Fail(tensors.Where(), " lacks tensor ", name, ", without which the weights cannot be read");
  }
  const std::string& type = place->tensor->dtype;
  if (std::find(types.begin(), types.end(), type) == types.end()) {
    std::string known;
    for (const char* const one : types) known += (known.empty() ? "" : " or ") + std::string(one);
    Fail(tensors.Called(name), " is ", type, ", expected ", known);
  }
  return *place->tensor;
}

const Safetensors::Tensor& Part(const FolderTensors& tensors, const std::string& name,
                                std::initializer_list<const char*> types,
                                const std::vector<uint64_t>& shape, const std::string& by) {
  const Safetensors::Tensor& tensor = Part(tensors, name, types);
  if (tensor.shape != shape) {
    Fail(tensors.Called(name), " has shape ", InBrackets(tensor.shape), ", expected ",
         InBrackets(shape), " by ", by);
  }
  return tensor;
}

}  // namespace rondo::convert
