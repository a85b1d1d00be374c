// Safetensors: the table of contents of one .safetensors file, checked, and its values as floats.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "tools/convert/sources/input_file.h"

namespace rondo::convert {

// File: uint64 length of the header, the header (JSON: name -> dtype, shape, data_offsets), data.
// The data must be covered by the tensors without gaps or overlaps, as the format demands.
// Everything throws Error, naming the file and the tensor.
class Safetensors {
 public:
  struct Tensor {
    std::string dtype;            // F32, F16, BF16, or another of the format's
    std::vector<uint64_t> shape;  // row-major
    uint64_t begin = 0;           // bytes from the start of the file
    uint64_t bytes = 0;

    uint64_t elements() const {
      uint64_t product = 1;
      for (const uint64_t size : shape) product *= size;
      return product;
    }
  };

  explicit Safetensors(const std::filesystem::path& path);

  const std::string& path() const { return file_.path(); }
  const std::map<std::string, Tensor>& tensors() const { return tensors_; }

  // out = elements [first, first + out.size()) of `tensor`, which is one of tensors(). Refuses
  // other dtypes than F32, F16 and BF16, and values that are not finite (with their index), but for
  // an infinite one of a tensor without dimensions: it may bound others, and says that nothing
  // does.
  void Read(const std::string& name, const Tensor& tensor, uint64_t first,
            std::span<float> out) const;
  // out = bytes from `first` on of `tensor`, as they are.
  void ReadBytes(const Tensor& tensor, uint64_t first, std::span<uint8_t> out) const {
    file_.Read(tensor.begin + first, out);
  }
  // Refuses values that are not finite; `first` is the index of values[0] in the tensor.
  void CheckFinite(const std::string& name, uint64_t first, std::span<const float> values) const;

 private:
  InputFile file_;
  std::map<std::string, Tensor> tensors_;
};

}  // namespace rondo::convert
