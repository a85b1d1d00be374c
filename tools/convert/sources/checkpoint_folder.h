// CheckpointFolder: the safetensors files of a Hugging Face folder.
#pragma once

#include <deque>
#include <filesystem>

#include "tools/convert/sources/checkpoint.h"
#include "tools/convert/sources/safetensors.h"

namespace rondo::convert {

class CheckpointFolder final : public Checkpoint {
 public:
  // model.safetensors, or the shards that model.safetensors.index.json names.
  explicit CheckpointFolder(const std::filesystem::path& directory);

  void Read(const std::string& name, uint64_t first, std::span<float> out) const override;

 private:
  struct Place {
    const Safetensors* file;
    const Safetensors::Tensor* tensor;
  };
  std::string Where() const override;
  void AddFile(const std::filesystem::path& path);

  std::deque<Safetensors> files_;
  std::map<std::string, Place> places_;
};

}  // namespace rondo::convert
