#include "tools/inspect/mapped_model.h"

#include "tools/common/error.h"

namespace rondo::tools {

MappedModel MapModel(const std::string& path) {
  MappedModel model;
  if (const FileError error = FileMap::OpenPath(path.c_str(), &model.map)) {
    throw Error("cannot open " + path + ": " + error.reason());
  }
  auto file = ModelFile::Open(model.map.bytes());
  if (!file.ok()) throw Error(path + ": " + file.status().message());
  model.file = *file;
  return model;
}

}  // namespace rondo::tools
