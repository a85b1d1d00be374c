// A model file as the runtime reads it, for what the library's header does not tell.
#pragma once

#include <string>

#include "platforms/file_map.h"
#include "runtime/model/model_file.h"

namespace rondo::tools {

struct MappedModel {
  FileMap map;
  ModelFile file;
};

// Throws Error.
MappedModel MapModel(const std::string& path);

}  // namespace rondo::tools
