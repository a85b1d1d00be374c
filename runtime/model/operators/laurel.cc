#include "runtime/model/operators/laurel.h"

#include "runtime/model/limits.h"
#include "runtime/model/operators/operators.h"

namespace rondo {

namespace {

Status CheckLaurel(const LayerChecker& checker, int layer, const format::Sublayer& sublayer) {
  const Place place = {layer, "laurel"};
  const format::Laurel& laurel = *sublayer.op_as_Laurel();
  const uint64_t hidden = checker.hidden();
  if (laurel.left() == nullptr) return Wrong(place, "has no left matrix");
  const Tensors& tensors = checker.tensors();
  if (laurel.left()->weight() >= tensors.size()) {
    return Wrong(place, "points at a tensor that is absent");
  }
  // Its rank is what the left one makes.
  const uint64_t rank = tensors.Get(laurel.left()->weight())->rows();
  RONDO_RETURN_IF_ERROR(CheckRange("the rank of a laurel", rank, 1, kMaxHidden));
  RONDO_RETURN_IF_ERROR(checker.CheckLinear({layer, "laurel's left"}, laurel.left(), rank, hidden));
  RONDO_RETURN_IF_ERROR(
      checker.CheckLinear({layer, "laurel's right"}, laurel.right(), hidden, rank));
  return checker.CheckNorm({layer, "laurel's own norm"}, laurel.norm(), hidden);
}

void LaurelMatrices(const format::Sublayer& sublayer, const MatrixVisitor& visit) {
  const format::Laurel& op = *sublayer.op_as_Laurel();
  visit(LaurelMatrix::kLeft, *op.left());
  visit(LaurelMatrix::kRight, *op.right());
}

}  // namespace

const OperatorRule kLaurelRule = {"laurel", "laurel norm", "norm after laurel", CheckLaurel,
                                  LaurelMatrices};

}  // namespace rondo
