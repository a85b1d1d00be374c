// Checkpoint: all tensors of a Hugging Face folder, however many files they are in.
#pragma once

#include <deque>
#include <filesystem>
#include <map>
#include <string>

#include "tools/convert/safetensors.h"

namespace rondo::convert {

// Reads model.safetensors, or the shards that model.safetensors.index.json names. Everything
// throws Error, naming the file and the tensor.
class Checkpoint {
 public:
  struct Entry {
    const Safetensors* file;
    const Safetensors::Tensor* tensor;
  };

  explicit Checkpoint(const std::filesystem::path& directory);

  const std::map<std::string, Entry>& tensors() const { return tensors_; }
  // The tensor of this name, which must have this shape.
  const Entry& Find(const std::string& name, const std::vector<uint64_t>& shape) const;

 private:
  void AddFile(const std::filesystem::path& path);

  std::deque<Safetensors> files_;
  std::map<std::string, Entry> tensors_;
};

}  // namespace rondo::convert
