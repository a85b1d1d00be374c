#include "runtime/model/vector_reader.h"

#include "runtime/model/tensor_view.h"

namespace rondo {

Result<VectorReader> VectorReader::Create(const ModelFile& file) {
  VectorReader reader;
  reader.file_ = &file;
  RONDO_ASSIGN(reader.known_good_, HeapArray<bool>::Create(file.tensors().size()));
  return reader;
}

Result<const float*> VectorReader::Read(uint32_t tensor) {
  const TensorView view = ViewTensor(*file_, tensor);
  if (!known_good_[tensor]) {
    RONDO_RETURN_IF_ERROR(VerifyTensor(*file_, tensor));
    RONDO_RETURN_IF_ERROR(CheckValues(view));
    known_good_[tensor] = true;
  }
  return view.f32().data();
}

}  // namespace rondo
