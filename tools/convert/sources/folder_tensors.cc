#include "tools/convert/sources/folder_tensors.h"

#include <algorithm>
#include <utility>

#include "tools/convert/common/fail.h"
#include "tools/convert/sources/checkpoint_files.h"
#include "tools/convert/sources/float_formats.h"
#include "tools/convert/sources/what_it_is.h"

namespace rondo::convert {
namespace {

namespace fs = std::filesystem;

std::string InTwo(const std::string& tensor, const std::string& first, const std::string& second,
                  const std::string& taken) {
  return "tensor " + tensor + " is in " + first + " and in " + second + ": the one in " + taken +
         " is taken, as " + kWeightsIndexFile + " says";
}

std::string InNone(const std::string& index, const std::string& file, const std::string& tensor) {
  return index + ": " + file + " does not hold tensor " + tensor + ", as it says";
}

}  // namespace

FolderTensors::FolderTensors(const fs::path& directory) {
  WeightFiles weights = FindWeights(DiskFolder(directory));
  notes_ = std::move(weights.notes);
  if (weights.files.empty()) {
    const std::string missing =
        std::string("holds neither ") + kWeightsFile + " nor " + kWeightsIndexFile;
    Fail(directory.string(), " ", WhatFolderIs(directory, missing));
  }
  for (const std::string& file : weights.files) {
    if (!fs::exists(directory / file)) {
      Fail(directory.string(), " lacks ", file, ", which ", kWeightsIndexFile,
           " lists: finish the download");
    }
    AddFile(directory / file);
  }
  FollowIndex(directory, weights.index);
}

void FolderTensors::AddFile(const fs::path& path) {
  const Safetensors& file = files_.emplace_back(path);
  for (const auto& [name, tensor] : file.tensors()) {
    const auto [found, is_new] = places_.try_emplace(name, Place{&file, &tensor});
    if (!is_new) again_[name].push_back({&file, &tensor});
  }
}

// The files themselves say what they hold; a tensor that is needed and in none is refused later.
// Which of two files is meant that hold one tensor the index alone can say.
void FolderTensors::FollowIndex(const fs::path& directory,
                                const std::map<std::string, std::string>& index) {
  const std::string index_path = (directory / kWeightsIndexFile).string();
  const auto is_said = [&](const std::string& name, const Place& place) {
    const auto said = index.find(name);
    return said != index.end() && place.file->path() == (directory / said->second).string();
  };
  bool is_noted = false;
  for (const auto& [name, others] : again_) {
    Place& place = places_.at(name);
    const std::string first = place.file->path(), second = others.front().file->path();
    for (const Place& other : others) {
      if (is_said(name, other)) place = other;
    }
    if (!is_said(name, place)) Fail(second, ": tensor ", name, " is also in ", first);
    if (std::exchange(is_noted, true)) continue;
    notes_.push_back(InTwo(name, first, second, place.file->path()));
  }
  for (const auto& [tensor, file] : index) {
    const auto found = places_.find(tensor);
    if (found != places_.end() && is_said(tensor, found->second)) continue;
    notes_.push_back(InNone(index_path, file, tensor));
    return;
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
