#include "runtime/weights/vectors.h"

namespace rondo {

Result<RowNorm> ReadNorm(VectorReader& vectors, const format::Norm* norm, size_t n) {
  RowNorm result;
  if (norm == nullptr) return result;
  result.kind = norm->kind();
  result.epsilon = static_cast<float>(norm->epsilon());
  result.group = norm->group() != 0 ? norm->group() : n;
  RONDO_ASSIGN(result.weight, vectors.Read(norm->weight()));
  RONDO_ASSIGN(result.bias, ReadOptional(vectors, norm->bias()));
  return result;
}

Result<const float*> ReadOptional(VectorReader& vectors, int32_t index) {
  if (index < 0) return static_cast<const float*>(nullptr);
  return vectors.Read(static_cast<uint32_t>(index));
}

}  // namespace rondo
