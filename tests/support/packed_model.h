// Random models as files, portable and packed, in memory.
#pragma once

#include <filesystem>
#include <string>

#include "tests/runtime/model/model_bytes.h"
#include "tests/temp_folder.h"
#include "tests/tools/convert/random_checkpoint.h"
#include "tools/convert/convert.h"
#include "tools/convert/output/pack.h"

namespace rondo {

inline NamedLayout LayoutNamed(const std::string& kernels) {
  for (const NamedLayout& named : NamedLayouts()) {
    if (kernels == named.kernels) return named;
  }
  throw std::runtime_error("no layout " + kernels);
}

// A checkpoint converted: portable(), and packed for the kernel sets asked for.
class ConvertedModel {
 public:
  ConvertedModel(const convert::CheckpointShape& shape, format::TensorFormat weights,
                 format::TensorFormat embedding) {
    convert::WriteRandomCheckpoint(folder_ / "model", shape);
    convert::ConvertOptions options;
    options.directory = folder_ / "model";
    options.output = path();
    options.weights = weights;
    options.embedding = embedding;
    convert::Convert(options, [](uint64_t, uint64_t) {});
  }

  std::filesystem::path path() const { return folder_ / "model.rondo"; }
  ModelBytes portable() const { return ModelBytes(path()); }
  std::filesystem::path Pack(const std::string& kernels) const {
    const convert::PackOptions options = {path(), folder_ / (kernels + ".rondo"),
                                          LayoutNamed(kernels)};
    convert::Pack(options, [](uint64_t, uint64_t) {});
    return options.output;
  }
  ModelBytes packed(const std::string& kernels) const { return ModelBytes(Pack(kernels)); }

 private:
  TempFolder folder_;
};

}  // namespace rondo
