#include "tests/tools/convert/checkpoint_tensors.h"

#include <fstream>
#include <nlohmann/json.hpp>

#include "tools/convert/sources/checkpoint_folder.h"

namespace rondo::convert {

namespace fs = std::filesystem;
using nlohmann::json;

CheckpointTensors ReadTensors(const fs::path& folder) {
  const CheckpointFolder checkpoint(folder);
  CheckpointTensors tensors;
  for (const auto& [name, entry] : checkpoint.tensors()) {
    TensorValues& tensor = tensors[name];
    tensor.shape = entry.shape;
    tensor.values.resize(entry.elements());
    checkpoint.Read(name, 0, tensor.values);
  }
  return tensors;
}

void WriteTensors(const fs::path& folder, const CheckpointTensors& tensors) {
  json header;
  std::string data;
  for (const auto& [name, tensor] : tensors) {
    const size_t begin = data.size();
    data.append(reinterpret_cast<const char*>(tensor.values.data()),
                tensor.values.size() * sizeof(float));
    header[name] = {
        {"dtype", tensor.type}, {"shape", tensor.shape}, {"data_offsets", {begin, data.size()}}};
  }
  const std::string text = header.dump();
  const uint64_t length = text.size();
  std::ofstream out(folder / "model.safetensors", std::ios::binary);
  out.write(reinterpret_cast<const char*>(&length), sizeof length);
  out << text << data;
}

}  // namespace rondo::convert
