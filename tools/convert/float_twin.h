// FloatTwin: the model that a Rondo file's weights were rounded from, in float32.
#pragma once

#include <filesystem>
#include <memory>

#include "runtime/model/model_file.h"
#include "tools/convert/convert.h"

namespace rondo::convert {

class FileWriter;

// A file without a name, beside the model's, which takes four bytes a weight and is gone with this.
class FloatTwin {
 public:
  // Converts `source`, which `path` was made from, once more. Throws Error, also where the matrices
  // are not the same, or were scaled or turned in another way; and Interrupted.
  FloatTwin(const std::filesystem::path& path, const ModelFile& model,
            const std::filesystem::path& source, const ConvertProgress& progress);
  FloatTwin(const FloatTwin&) = delete;
  FloatTwin& operator=(const FloatTwin&) = delete;
  ~FloatTwin();

  // Tensors have the indices that they have in the model.
  const std::filesystem::path& path() const;

 private:
  std::unique_ptr<FileWriter> file_;
};

}  // namespace rondo::convert
