// The tensors of a small checkpoint, for tests that write them otherwise.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace rondo::convert {

struct TensorValues {
  std::vector<uint64_t> shape;
  std::vector<float> values;
  std::string type = "F32";  // of its 32 bits
};
using CheckpointTensors = std::map<std::string, TensorValues>;  // by name

CheckpointTensors ReadTensors(const std::filesystem::path& folder);
// In 32 bits, in place of what `folder` holds.
void WriteTensors(const std::filesystem::path& folder, const CheckpointTensors& tensors);

}  // namespace rondo::convert
