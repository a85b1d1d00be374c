// CheckpointOf: a checkpoint of random weights for any config.json that the converter knows.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace rondo::convert {

// Writes config.json and a float32 model.safetensors with every tensor that the architecture asks
// for. `directory` is made if it is absent. Throws Error where the config is refused.
void WriteCheckpointOf(const std::filesystem::path& directory, const std::string& config_json);

// The same of the model whose type the config has, whatever its class is: with tensors of these
// shapes, which that class has beside it.
using Shapes = std::map<std::string, std::vector<uint64_t>>;
void WriteCheckpointWith(const std::filesystem::path& directory, const std::string& config_json,
                         const Shapes& more);

// The same with the tensors of the draft head, which is a copy of the model's own head by a layer
// that does little, as do those of the model: it is right as a rule, and not always. So is an
// assistant of the same vocabulary and hidden_size, where embedding and head are one.
void WriteCheckpointWithDraftHead(const std::filesystem::path& directory,
                                  const std::string& config_json);

// The same with random weights in all of them: what the head says hangs on all that it reads, and
// is hardly ever right.
void WriteCheckpointWithAnyDraftHead(const std::filesystem::path& directory,
                                     const std::string& config_json);

}  // namespace rondo::convert
