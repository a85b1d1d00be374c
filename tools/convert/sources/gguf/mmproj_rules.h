// MmprojRules: what llama.cpp's files of what sees for a model (mmproj) have of their own, for one
// type of projector. Data, as gguf_rules.h is.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tools/convert/sources/gguf/joined_checkpoint.h"
#include "tools/convert/sources/gguf/keys.h"
#include "tools/convert/sources/gguf/tensor_names.h"

namespace rondo::convert {

// What the folder of the same model says by its files, as far as it is of what sees.
struct MmprojConfigs {
  nlohmann::json whole = nlohmann::json::object();      // config.json
  nlohmann::json vision = nlohmann::json::object();     // and its vision_config
  nlohmann::json processor = nlohmann::json::object();  // preprocessor_config.json
  std::vector<JoinedTensor> joined;
};

struct MmprojRules {
  std::string model_type;  // config.json's, where `add` names no other
  NameRules names;
  // Adds to what all projectors have: sizes, patches, normalisation.
  void (*add)(const GgufKeys& keys, MmprojConfigs& configs);
};

// `keys` are those of clip.vision. Throws Error naming a type of projector that is not known.
using FindMmprojRules = MmprojRules (*)(const GgufKeys& keys);

}  // namespace rondo::convert
