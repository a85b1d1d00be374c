// Checkpoint: the tensors of a model under their Hugging Face names, whatever files they are in.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace rondo::convert {

// Everything throws Error, naming the file and the tensor. One thread at a time.
class Checkpoint {
 public:
  struct Entry {
    std::string file;             // path
    std::string type;             // as the file's format names it: F32, BF16, Q4_K
    std::vector<uint64_t> shape;  // row-major
    uint64_t bytes = 0;           // in the file

    uint64_t elements() const;
  };

  // What rounding to bfloat16 did to the scales that ReadQ4B() has given so far.
  struct ScaleRounding {
    uint64_t scales = 0;
    uint64_t rounded = 0;  // the others bfloat16 holds exactly
    double squares = 0;    // of the relative errors
  };

  virtual ~Checkpoint() = default;

  const std::map<std::string, Entry>& tensors() const { return tensors_; }
  // The tensor of this name, which must have this shape; a scalar is a vector of one.
  const Entry& Find(const std::string& name, const std::vector<uint64_t>& shape) const;

  // out = elements [first, first + out.size()) of tensor `name`, which is one of tensors(). Refuses
  // types that cannot be read as floats, and values that are not finite, but for a scalar that is
  // infinite (safetensors.h).
  virtual void Read(const std::string& name, uint64_t first, std::span<float> out) const = 0;

  // The columns that share a scale, 32, 64 or 128, where the file holds `name` in 4 bits or less
  // that our Q4B can take as they are; else 0.
  virtual uint32_t BlockOfQ4B(const std::string& name) const;
  // Rows [row, row + n_rows) of such a tensor in the layout of QuantizeQ4B(): the nibbles as they
  // are, the scales rounded to bfloat16.
  virtual void ReadQ4B(const std::string& name, uint64_t row, uint64_t n_rows, uint8_t* data,
                       uint16_t* scales) const;

  // The bits, up to 8, of signed integers with a scale for each row, where `name` is those; else 0.
  virtual uint32_t IntegerBits(const std::string& name) const;
  // The integers of a row of such a tensor. Returns the scale.
  virtual float ReadIntegers(const std::string& name, uint64_t row, std::span<int8_t> out) const;

  virtual const ScaleRounding& scale_rounding() const { return scale_rounding_; }

 protected:
  // Files or shards, for messages: "PATH", "PATH and the other shards".
  virtual std::string Where() const = 0;
  // Refuses a name that another file or tensor has already given.
  void Add(const std::string& name, Entry entry);
  // `scale`, which is finite, as the bits of a bfloat16; counted.
  uint16_t RoundScale(float scale) const;

 private:
  std::map<std::string, Entry> tensors_;
  mutable ScaleRounding scale_rounding_;
};

}  // namespace rondo::convert
