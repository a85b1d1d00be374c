// FolderTensors: what lies in the safetensors files of a Hugging Face folder, as it lies there.
#pragma once

#include <deque>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "tools/convert/sources/safetensors.h"

namespace rondo::convert {

// Everything throws Error, naming the file and the tensor. One thread at a time.
class FolderTensors {
 public:
  struct Place {
    const Safetensors* file;
    const Safetensors::Tensor* tensor;
  };

  // The files that FindWeights() finds. Of shards that hold one tensor the index names one.
  explicit FolderTensors(const std::filesystem::path& directory);
  FolderTensors(const FolderTensors&) = delete;  // places point into it

  const std::map<std::string, Place>& all() const { return places_; }
  // Null: there is none.
  const Place* Find(const std::string& name) const;
  // All values of a tensor of floats, of F8_E4M3's and F8_E8M0's too; finite.
  std::vector<float> Floats(const std::string& name) const;
  // The same, of scales: none is zero.
  std::vector<float> Scales(const std::string& name) const;
  // Of powers of two as their exponents (E8M0), which some files call U8.
  std::vector<float> Exponents(const std::string& name) const;
  // All bytes of a tensor.
  std::vector<uint8_t> Bytes(const std::string& name) const;
  // "PATH: tensor NAME".
  std::string Called(const std::string& name) const;
  // Files or shards, for messages: "PATH", "PATH and the other shards".
  std::string Where() const;
  // What is odd about the index, a sentence each.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  void AddFile(const std::filesystem::path& path);
  void FollowIndex(const std::filesystem::path& directory,
                   const std::map<std::string, std::string>& index);

  std::deque<Safetensors> files_;
  std::map<std::string, Place> places_;
  std::map<std::string, std::vector<Place>> again_;  // in further files
  std::vector<std::string> notes_;
};

}  // namespace rondo::convert
