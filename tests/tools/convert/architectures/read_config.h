// Read: what the converter makes of a config.json.
#pragma once

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/temp_folder.h"
#include "tools/convert/architectures/architecture.h"

namespace rondo::convert {

// `differs`: what the config says beside, or in place of, the sizes below.
inline DecoderSpec Read(const std::string& architecture, const std::string& differs) {
  nlohmann::json config = {{"architectures", {architecture}},
                           {"vocab_size", 64},
                           {"hidden_size", 32},
                           {"intermediate_size", 48},
                           {"num_hidden_layers", 4},
                           {"num_attention_heads", 4},
                           {"num_key_value_heads", 2},
                           {"head_dim", 8},
                           {"max_position_embeddings", 128}};
  config.merge_patch(nlohmann::json::parse(differs));
  const TempFolder folder;
  std::ofstream(folder / "config.json") << config;
  return ReadArchitecture(Config::Load(folder / "config.json"));
}

}  // namespace rondo::convert
