#include "tools/convert/sources/folder_tensors.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "tools/convert/common/fail.h"
#include "tools/convert/sources/float_formats.h"
#include "tools/convert/sources/json_text.h"
#include "tools/convert/sources/what_it_is.h"

namespace rondo::convert {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr const char* kSingleFile = "model.safetensors";
constexpr const char* kIndexFile = "model.safetensors.index.json";
constexpr uint64_t kMaxIndexBytes = 64u << 20;

// A file of `folder`, which an index calls `name`: some name it by a path of the machine that it
// was written on. Never one outside of the folder.
fs::path ShardOf(const fs::path& folder, const std::string& name) {
  fs::path path = fs::path(name).lexically_normal();
  const bool is_inside = path.is_relative() && !path.empty() && *path.begin() != "..";
  if (is_inside && fs::exists(folder / path)) return path;
  const size_t slash = name.find_last_of("/\\");  // of Windows, too
  return slash == std::string::npos ? path.filename() : fs::path(name.substr(slash + 1));
}

// Tensor name -> file in the folder, as the index has it.
std::map<std::string, fs::path> ReadIndex(const fs::path& path, std::vector<std::string>& notes) {
  const json index = ParseJsonObject(ReadWholeFile(path, kMaxIndexBytes), path.string());
  if (!index.contains("weight_map") || !index["weight_map"].is_object()) {
    Fail(path.string(), " has no object weight_map");
  }
  std::map<std::string, fs::path> map;
  std::string odd;  // the first
  for (const auto& [tensor, file] : index["weight_map"].items()) {
    const std::string name = file.is_string() ? file.get<std::string>() : "";
    const fs::path shard = ShardOf(path.parent_path(), name);
    if (shard.empty() || shard == "." || shard == "..") {
      Fail(path.string(), ": weight_map.", tensor, " is not the name of a file in this folder");
    }
    if (odd.empty() && shard != name) {
      odd = name;
      notes.push_back(path.string() + " calls a file " + odd + ": " + shard.string() +
                      " beside it is taken");
    }
    map[tensor] = shard;
  }
  if (map.empty()) Fail(path.string(), ": weight_map is empty");
  return map;
}

}  // namespace

FolderTensors::FolderTensors(const fs::path& directory) {
  if (fs::exists(directory / kSingleFile)) {
    AddFile(directory / kSingleFile);
    return;
  }
  const fs::path index_path = directory / kIndexFile;
  if (!fs::exists(index_path)) {
    const std::string missing = std::string("holds neither ") + kSingleFile + " nor " + kIndexFile;
    Fail(directory.string(), " ", WhatFolderIs(directory, missing));
  }
  const std::map<std::string, fs::path> index = ReadIndex(index_path, notes_);
  std::set<fs::path> files;
  for (const auto& [tensor, file] : index) files.insert(file);
  for (const fs::path& file : files) {
    if (!fs::exists(directory / file)) {
      Fail(directory.string(), " lacks ", file.string(), ", which ", kIndexFile,
           " lists: finish the download");
    }
    AddFile(directory / file);
  }
  // The files themselves say what they hold; a tensor that is needed and in none is refused later.
  for (const auto& [tensor, file] : index) {
    const auto found = places_.find(tensor);
    if (found != places_.end() && found->second.file->path() == (directory / file).string()) {
      continue;
    }
    notes_.push_back(index_path.string() + ": " + file.string() + " does not hold tensor " +
                     tensor + ", as it says");
    return;
  }
}

void FolderTensors::AddFile(const fs::path& path) {
  const Safetensors& file = files_.emplace_back(path);
  for (const auto& [name, tensor] : file.tensors()) {
    const auto [found, is_new] = places_.try_emplace(name, Place{&file, &tensor});
    if (!is_new) Fail(file.path(), ": tensor ", name, " is also in ", found->second.file->path());
  }
}

const FolderTensors::Place* FolderTensors::Find(const std::string& name) const {
  const auto found = places_.find(name);
  return found == places_.end() ? nullptr : &found->second;
}

std::vector<uint8_t> FolderTensors::Bytes(const std::string& name) const {
  const Place& place = places_.at(name);
  std::vector<uint8_t> bytes(static_cast<size_t>(place.tensor->bytes));
  place.file->ReadBytes(*place.tensor, 0, bytes);
  return bytes;
}

std::vector<float> FolderTensors::Floats(const std::string& name) const {
  const Place& place = places_.at(name);
  std::vector<float> values(static_cast<size_t>(place.tensor->elements()));
  if (place.tensor->dtype == "F8_E8M0") return Exponents(name);
  if (place.tensor->dtype != "F8_E4M3") {
    place.file->Read(name, *place.tensor, 0, values);
    return values;
  }
  const std::vector<uint8_t> bytes = Bytes(name);
  std::transform(bytes.begin(), bytes.end(), values.begin(), FromE4M3);
  place.file->CheckFinite(name, 0, values);
  return values;
}

std::vector<float> FolderTensors::Exponents(const std::string& name) const {
  const std::vector<uint8_t> bytes = Bytes(name);
  std::vector<float> values(bytes.size());
  std::transform(bytes.begin(), bytes.end(), values.begin(), FromE8M0);
  places_.at(name).file->CheckFinite(name, 0, values);
  return values;
}

std::vector<float> FolderTensors::Scales(const std::string& name) const {
  std::vector<float> scales = Floats(name);
  const auto zero = std::ranges::find(scales, 0.0f);
  if (zero != scales.end()) {
    Fail(Called(name), " has the scale 0 at index ", zero - scales.begin(), ", expected another");
  }
  return scales;
}

std::string FolderTensors::Called(const std::string& name) const {
  return places_.at(name).file->path() + ": tensor " + name;
}

std::string FolderTensors::Where() const {
  return files_.front().path() + (files_.size() > 1 ? " and the other shards" : "");
}

}  // namespace rondo::convert
