#include "tools/convert/checkpoint.h"

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

std::string Shape(const std::vector<uint64_t>& shape) {
  std::ostringstream text;
  text << '[';
  for (size_t i = 0; i < shape.size(); ++i) text << (i == 0 ? "" : ", ") << shape[i];
  text << ']';
  return text.str();
}

}  // namespace

Checkpoint::Checkpoint(const fs::path& directory) {
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
    const auto found = tensors_.find(tensor);
    if (found == tensors_.end() || found->second.file->path() != (directory / file).string()) {
      Fail(index_path.string(), ": ", file, " does not hold tensor ", tensor);
    }
  }
}

void Checkpoint::AddFile(const fs::path& path) {
  const Safetensors& file = files_.emplace_back(path);
  for (const auto& [name, tensor] : file.tensors()) {
    const auto [found, is_new] = tensors_.try_emplace(name, Entry{&file, &tensor});
    if (!is_new) {
      Fail(file.path(), ": tensor ", name, " is also in ", found->second.file->path());
    }
  }
}

const Checkpoint::Entry& Checkpoint::Find(const std::string& name,
                                          const std::vector<uint64_t>& shape) const {
  const auto found = tensors_.find(name);
  if (found == tensors_.end()) {
    Fail(files_.front().path(), files_.size() > 1 ? " and the other shards" : "", ": tensor ", name,
         " is missing");
  }
  const Entry& entry = found->second;
  if (entry.tensor->shape != shape) {
    Fail(entry.file->path(), ": tensor ", name, " is ", Shape(entry.tensor->shape),
         ", config.json asks for ", Shape(shape));
  }
  return entry;
}

}  // namespace rondo::convert
