// VectorReader: a model's vectors and small tables of float32, which are used where they lie.
#pragma once

#include <cstdint>

#include "runtime/base/heap_array.h"
#include "runtime/model/model_file.h"

namespace rondo {

class VectorReader {
 public:
  // `file` must outlive it.
  static Result<VectorReader> Create(const ModelFile& file);

  // The values of a tensor that is F32 and not packed, as those of norms and biases are. The bytes
  // are compared with their checksum and looked through the first time, however many share them.
  // Error: kCorrupt (altered, or a value that is not finite).
  Result<const float*> Read(uint32_t tensor);

 private:
  const ModelFile* file_ = nullptr;
  HeapArray<bool> known_good_;  // by tensor
};

}  // namespace rondo
