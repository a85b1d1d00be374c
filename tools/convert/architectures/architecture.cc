#include "tools/convert/architectures/architecture.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "tools/convert/architectures/text_part.h"

namespace rondo::convert {

#define RONDO_FAMILY(name) std::vector<Architecture> name##Architectures();
#include "tools/convert/architectures/families.inc"
#undef RONDO_FAMILY

namespace {

const std::vector<Architecture>& Architectures() {
  static const std::vector<Architecture> all = [] {
    std::vector<Architecture> rows;
#define RONDO_FAMILY(name) \
  for (Architecture & row : name##Architectures()) rows.push_back(std::move(row));
#include "tools/convert/architectures/families.inc"
#undef RONDO_FAMILY
    return rows;
  }();
  return all;
}

[[noreturn]] void RefuseUnknown(const Config& config, const char* key, const std::string& name,
                                const char* Architecture::*called) {
  std::set<std::string> names;
  for (const Architecture& architecture : Architectures()) {
    if (architecture.*called != nullptr) names.insert(architecture.*called);
  }
  std::string known;
  for (const std::string& one : names) known += (known.empty() ? "" : ", ") + one;
  config.Refuse(key, "names the architecture " + name + "; known: " + known);
}

}  // namespace

const Architecture& FindArchitecture(const Config& config) {
  const std::vector<std::string> names = config.Texts("architectures");
  const std::string model_type = config.Text("model_type", "");
  if (names.size() > 1) config.Refuse("architectures", "names more than one architecture");
  if (names.empty() && model_type.empty()) config.Refuse("architectures", "is missing");
  for (const Architecture& architecture : Architectures()) {
    const bool same_type = model_type == architecture.model_type;
    if (names.empty() ? !same_type : names.front() != architecture.name) continue;
    if (!same_type && !model_type.empty()) {
      config.Refuse("model_type", "is " + model_type + ", which is not " + architecture.name);
    }
    return architecture;
  }
  if (names.empty()) RefuseUnknown(config, "model_type", model_type, &Architecture::name);
  RefuseUnknown(config, "architectures", names.front(), &Architecture::name);
}

const Architecture& FindArchitecture(const GgufKeys& keys) {
  for (const Architecture& architecture : Architectures()) {
    if (architecture.gguf == nullptr || keys.architecture() != architecture.gguf) continue;
    if (architecture.is_in_gguf == nullptr || architecture.is_in_gguf(keys)) return architecture;
  }
  RefuseUnknown(keys.all(), "general.architecture", keys.architecture(), &Architecture::gguf);
}

bool IsEncoder(const Config& config) {
  const std::string type = config.Text("model_type", "");
  return std::ranges::any_of(Architectures(), [&](const Architecture& architecture) {
    return architecture.is_encoder && type == architecture.model_type;
  });
}

DecoderSpec ReadArchitecture(const Config& config) {
  const Architecture& architecture = FindArchitecture(config);
  DecoderSpec spec = architecture.text_type != nullptr ? ReadTextPart(config, architecture)
                                                       : architecture.read(config);
  spec.architecture = architecture.name;
  return spec;
}

}  // namespace rondo::convert
