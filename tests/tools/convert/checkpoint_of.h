// CheckpointOf: a checkpoint of random weights for any config.json that the converter knows.
#pragma once

#include <filesystem>
#include <string>

namespace rondo::convert {

// Writes config.json and a float32 model.safetensors with every tensor that the architecture asks
// for. `directory` is made if it is absent. Throws Error where the config is refused.
void WriteCheckpointOf(const std::filesystem::path& directory, const std::string& config_json);

}  // namespace rondo::convert
