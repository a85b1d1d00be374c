#include "tools/convert/sources/checkpoint_folder.h"

#include <nlohmann/json.hpp>
#include <set>

#include "tools/convert/fail.h"

namespace rondo::convert {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr const char* kSingleFile = "model.safetensors";
constexpr const char* kIndexFile = "model.safetensors.index.json";
constexpr uint64_t kMaxIndexBytes = 64u << 20;

// Tensor name -> file name, as the index has it. A file name is that of a file in this folder.
std::map<std::string, std::string> ReadIndex(const fs::path& path) {
  const json index = json::parse(ReadWholeFile(path, kMaxIndexBytes), nullptr, false);
  if (!index.is_object() || !index.contains("weight_map") || !index["weight_map"].is_object()) {
    Fail(path.string(), " has no object weight_map");
  }
  std::map<std::string, std::string> map;
  for (const auto& [tensor, file] : index["weight_map"].items()) {
    const std::string name = file.is_string() ? file.get<std::string>() : "";
    if (name.empty() || fs::path(name).filename() != name || name == "." || name == "..") {
      Fail(path.string(), ": weight_map.", tensor, " is not the name of a file in this folder");
    }
    map[tensor] = name;
  }
  if (map.empty()) Fail(path.string(), ": weight_map is empty");
  return map;
}

}  // namespace

CheckpointFolder::CheckpointFolder(const fs::path& directory) {
  if (fs::exists(directory / kSingleFile)) {
    AddFile(directory / kSingleFile);
    return;
  }
  const fs::path index_path = directory / kIndexFile;
  if (!fs::exists(index_path)) {
    Fail(directory.string(), " holds neither ", kSingleFile, " nor ", kIndexFile);
  }
  const std::map<std::string, std::string> index = ReadIndex(index_path);
  std::set<std::string> files;
  for (const auto& [tensor, file] : index) files.insert(file);
  for (const std::string& file : files) AddFile(directory / file);
  for (const auto& [tensor, file] : index) {
    const auto found = places_.find(tensor);
    if (found == places_.end() || found->second.file->path() != (directory / file).string()) {
      Fail(index_path.string(), ": ", file, " does not hold tensor ", tensor);
    }
  }
}

void CheckpointFolder::AddFile(const fs::path& path) {
  const Safetensors& file = files_.emplace_back(path);
  for (const auto& [name, tensor] : file.tensors()) {
    Add(name, {file.path(), tensor.dtype, tensor.shape, tensor.bytes});
    places_[name] = {&file, &tensor};
  }
}

std::string CheckpointFolder::Where() const {
  return files_.front().path() + (files_.size() > 1 ? " and the other shards" : "");
}

void CheckpointFolder::Read(const std::string& name, uint64_t first, std::span<float> out) const {
  const Place& place = places_.at(name);
  place.file->Read(name, *place.tensor, first, out);
}

}  // namespace rondo::convert
