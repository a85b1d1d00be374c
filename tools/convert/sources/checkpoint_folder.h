// CheckpointFolder: the safetensors files of a Hugging Face folder. Of two tensors NAME_blocks and
// NAME_scales, which are one in MXFP4, the first is that one and the second is not listed.
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
  // What is odd about the index, a sentence each.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  struct Place {
    const Safetensors* file;
    const Safetensors::Tensor* tensor;
    const Place* scales = nullptr;  // of one in MXFP4
  };
  std::string Where() const override;
  // Lists what the files hold.
  void ListTensors();
  void ReadMxfp4(const std::string& name, const Place& place, uint64_t first,
                 std::span<float> out) const;
  void AddFile(const std::filesystem::path& path);

  std::deque<Safetensors> files_;
  std::map<std::string, Place> places_;
  std::vector<std::string> notes_;
};

}  // namespace rondo::convert
