#include "tools/convert/architectures/architecture.h"

#include <array>

namespace rondo::convert {
namespace {

struct Architecture {
  const char* name;
  const char* model_type;
  DecoderSpec (*read)(const Config&);
};

constexpr std::array kArchitectures = {
    Architecture{"LlamaForCausalLM", "llama", ReadLlama},
};

[[noreturn]] void RefuseUnknown(const Config& config, const char* key, const std::string& name) {
  std::string known;
  for (const Architecture& architecture : kArchitectures) {
    known += std::string(known.empty() ? "" : ", ") + architecture.name;
  }
  config.Refuse(key, "names the architecture " + name + "; known: " + known);
}

}  // namespace

DecoderSpec ReadArchitecture(const Config& config) {
  const std::vector<std::string> names = config.Texts("architectures");
  const std::string model_type = config.Text("model_type", "");
  if (names.size() > 1) config.Refuse("architectures", "names more than one architecture");
  if (names.empty() && model_type.empty()) config.Refuse("architectures", "is missing");
  for (const Architecture& architecture : kArchitectures) {
    const bool same_type = model_type == architecture.model_type;
    if (names.empty() ? !same_type : names.front() != architecture.name) continue;
    if (!same_type && !model_type.empty()) {
      config.Refuse("model_type", "is " + model_type + ", which is not " + architecture.name);
    }
    DecoderSpec spec = architecture.read(config);
    spec.architecture = architecture.name;
    return spec;
  }
  if (names.empty()) RefuseUnknown(config, "model_type", model_type);
  RefuseUnknown(config, "architectures", names.front());
}

}  // namespace rondo::convert
