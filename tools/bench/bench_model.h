// A model that is measured, with what the library's header does not tell of it.
#pragma once

#include <string>
#include <utility>

#include "tools/bench/model_parts.h"
#include "tools/common/library.h"

namespace rondo::tools {

struct BenchModel {
  Model handle;
  ModelParts parts;
};

// Throws Error. The file may be removed afterwards.
inline BenchModel OpenBenchModel(const std::string& path) {
  Model handle = OpenModel(path);  // first: its sentences say what to do
  return {std::move(handle), ReadParts(path)};
}

}  // namespace rondo::tools
