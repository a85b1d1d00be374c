// GgufFile: the metadata and the table of tensors of a GGUF file, or of one that is split into
// several, checked, and its values as floats.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "tools/convert/sources/gguf/dequantize.h"
#include "tools/convert/sources/input_file.h"

namespace rondo::convert {

// File, versions 2 and 3, little-endian: "GGUF", uint32 version, uint64 number of tensors, uint64
// number of keys; the keys (name, type, value); the tensors (name, dimensions, type, offset); and,
// from the next multiple of general.alignment (32 where absent), the data.
// A model's parts lie in one folder: "NAME-00001-of-00003.gguf", ... The first one has the keys.
// Everything throws Error, naming the file and the key or tensor.
class GgufFile {
 public:
  struct Tensor {
    const BlockType* type;        // never null: a type that is not known is refused
    std::vector<uint64_t> shape;  // row-major: the file's dimensions in reverse; none is 0
    size_t part = 0;              // the file that it is in
    uint64_t begin = 0;           // bytes from the start of that file
    uint64_t bytes = 0;

    uint64_t elements() const { return bytes / type->bytes * type->values; }
  };

  // True where the file begins as a GGUF file does.
  static bool IsGguf(const std::filesystem::path& path);

  // Of a split model the first part, which finds the others.
  explicit GgufFile(const std::filesystem::path& path);

  const std::string& path() const { return files_.front().path(); }
  const std::string& PathOf(const Tensor& tensor) const { return files_[tensor.part].path(); }
  // One object: key -> number, boolean, string or array of these. Strings that are not UTF-8 are
  // binary.
  const nlohmann::json& metadata() const { return metadata_; }
  const std::map<std::string, Tensor>& tensors() const { return tensors_; }

  // out = elements [first, first + out.size()) of `tensor`, which is one of tensors(). Refuses
  // values that are not finite (with their index), but for one that is alone and infinite: it may
  // bound others, and says that nothing does.
  void Read(const std::string& name, const Tensor& tensor, uint64_t first,
            std::span<float> out) const;
  // out = the blocks from the one that begins with element `first` on, as they are.
  void ReadBlocks(const Tensor& tensor, uint64_t first, std::span<uint8_t> out) const;

 private:
  // Takes in a file's tensors, and returns its keys.
  nlohmann::json AddPart(const std::filesystem::path& path);

  std::vector<InputFile> files_;
  nlohmann::json metadata_;
  std::map<std::string, Tensor> tensors_;
};

}  // namespace rondo::convert
