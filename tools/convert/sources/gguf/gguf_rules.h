// GgufRules: what the GGUF files of one architecture have of their own. Data: whoever opens a file
// knows the architectures and gives it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "tools/convert/sources/gguf/keys.h"
#include "tools/convert/sources/gguf/tensor_names.h"

namespace rondo::convert {

struct GgufRules {
  std::string architecture;  // config.json's `architectures`
  std::string model_type;    // and `model_type`
  NameRules names;
  double rope_theta = 1e4;  // where the file has none
  bool usual_heads = true;  // false: `add` adds heads, MLP and RoPE, if there are any
  // Adds to the config, which has what all architectures have, what only some do; null: nothing.
  void (*add)(const GgufKeys& keys, nlohmann::json& config) = nullptr;
};

// Throws Error naming an architecture that is not known.
using FindGgufRules = GgufRules (*)(const GgufKeys& keys);

}  // namespace rondo::convert
