// The tensors of a checkpoint in memory, so that a test can alter them and write them back.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tools/convert/sources/checkpoint_folder.h"

namespace rondo::convert {

struct Values {
  std::vector<uint64_t> shape;
  std::vector<float> values;
};
using Tensors = std::map<std::string, Values>;

inline Tensors ReadTensors(const std::filesystem::path& folder) {
  const CheckpointFolder checkpoint(folder);
  Tensors tensors;
  for (const auto& [name, entry] : checkpoint.tensors()) {
    Values& tensor = tensors[name];
    tensor.shape = entry.shape;
    tensor.values.resize(entry.elements());
    checkpoint.Read(name, 0, tensor.values);
  }
  return tensors;
}

// As float32.
inline void WriteTensors(const std::filesystem::path& folder, const Tensors& tensors) {
  nlohmann::json header;
  std::string data;
  for (const auto& [name, tensor] : tensors) {
    const size_t begin = data.size();
    data.append(reinterpret_cast<const char*>(tensor.values.data()),
                tensor.values.size() * sizeof(float));
    header[name] = {
        {"dtype", "F32"}, {"shape", tensor.shape}, {"data_offsets", {begin, data.size()}}};
  }
  const std::string text = header.dump();
  const uint64_t length = text.size();
  std::ofstream out(folder / "model.safetensors", std::ios::binary);
  out.write(reinterpret_cast<const char*>(&length), sizeof length);
  out << text << data;
}

}  // namespace rondo::convert
