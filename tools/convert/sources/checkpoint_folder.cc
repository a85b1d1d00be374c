#include "tools/convert/sources/checkpoint_folder.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "runtime/base/checked.h"
#include "tools/convert/common/fail.h"
#include "tools/convert/sources/json_text.h"
#include "tools/convert/sources/mxfp4.h"
#include "tools/convert/sources/what_it_is.h"

namespace rondo::convert {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr const char* kSingleFile = "model.safetensors";
constexpr const char* kIndexFile = "model.safetensors.index.json";
constexpr uint64_t kMaxIndexBytes = 64u << 20;
constexpr size_t kBlocksPerRead = 1u << 12;
const std::string kBlocks = "_blocks", kScales = "_scales";  // of one tensor in MXFP4

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

CheckpointFolder::CheckpointFolder(const fs::path& directory) {
  if (fs::exists(directory / kSingleFile)) {
    AddFile(directory / kSingleFile);
    ListTensors();
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
  ListTensors();
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

void CheckpointFolder::AddFile(const fs::path& path) {
  const Safetensors& file = files_.emplace_back(path);
  for (const auto& [name, tensor] : file.tensors()) {
    const auto [found, is_new] = places_.try_emplace(name, Place{&file, &tensor});
    if (!is_new) Fail(file.path(), ": tensor ", name, " is also in ", found->second.file->path());
  }
}

void CheckpointFolder::ListTensors() {
  const auto ends_with = [](const std::string& name, const std::string& end) {
    return name.ends_with(end) && name.size() > end.size();
  };
  std::set<std::string> scales;
  for (auto& [name, place] : places_) {
    if (!ends_with(name, kBlocks)) continue;
    const std::string its = name.substr(0, name.size() - kBlocks.size()) + kScales;
    const auto found = places_.find(its);
    if (found == places_.end()) continue;
    std::vector<uint64_t> shape = found->second.tensor->shape;
    shape.push_back(kMxfp4Bytes);
    if (place.tensor->dtype != "U8" || found->second.tensor->dtype != "U8" || shape.size() < 2 ||
        place.tensor->shape != shape) {
      Fail(place.file->path(), ": tensor ", name, " and ", its,
           " are not 16 bytes of MXFP4 for each byte of scale");
    }
    place.scales = &found->second;
    scales.insert(its);
  }
  for (const auto& [name, place] : places_) {
    if (scales.count(name) > 0) continue;
    Entry entry = {place.file->path(), place.tensor->dtype, place.tensor->shape,
                   place.tensor->bytes};
    if (place.scales != nullptr) {
      entry.type = "MXFP4";
      entry.shape = place.scales->tensor->shape;
      entry.shape.back() *= kMxfp4Block;
      entry.bytes += place.scales->tensor->bytes;
    }
    Add(name, std::move(entry));
  }
}

std::string CheckpointFolder::Where() const {
  return files_.front().path() + (files_.size() > 1 ? " and the other shards" : "");
}

void CheckpointFolder::Read(const std::string& name, uint64_t first, std::span<float> out) const {
  const Place& place = places_.at(name);
  if (place.scales != nullptr) return ReadMxfp4(name, place, first, out);
  place.file->Read(name, *place.tensor, first, out);
}

// A few whole blocks at a time.
void CheckpointFolder::ReadMxfp4(const std::string& name, const Place& place, uint64_t first,
                                 std::span<float> out) const {
  std::vector<uint8_t> blocks, scales;
  std::vector<float> values;
  for (size_t done = 0; done < out.size();) {
    const uint64_t block = (first + done) / kMxfp4Block, skipped = (first + done) % kMxfp4Block;
    const size_t n_blocks =
        std::min<size_t>(kBlocksPerRead, CeilDiv(skipped + out.size() - done, kMxfp4Block));
    blocks.resize(n_blocks * kMxfp4Bytes);
    scales.resize(n_blocks);
    values.resize(n_blocks * kMxfp4Block);
    place.file->ReadBytes(*place.tensor, block * kMxfp4Bytes, blocks);
    place.scales->file->ReadBytes(*place.scales->tensor, block, scales);
    DequantizeMxfp4(blocks, scales, values);
    const size_t n = std::min<size_t>(values.size() - skipped, out.size() - done);
    std::copy_n(&values[skipped], n, &out[done]);
    done += n;
  }
  place.file->CheckFinite(name, first, out);
}

}  // namespace rondo::convert
