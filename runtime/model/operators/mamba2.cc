#include <cmath>

#include "runtime/model/operators/operators.h"
#include "runtime/model/operators/recurrent.h"
#include "runtime/model/operators/recurrent_check.h"

namespace rondo {

namespace {

Status CheckMamba2(const LayerChecker& checker, int layer, const format::Sublayer& sublayer) {
  const format::Mamba2& mamba = *sublayer.op_as_Mamba2();
  const RecurrentSizes sizes = {
      "mamba",         "mamba",          "heads",          "groups",
      mamba.n_heads(), mamba.head_dim(), mamba.n_groups(), mamba.state_size(),
      mamba.taps()};
  RONDO_RETURN_IF_ERROR(CheckRecurrent(layer, checker, sizes, mamba));
  const float low = mamba.dt_min(), high = mamba.dt_max();
  if (!std::isfinite(low) || !std::isfinite(high) || low < 0 || (high != 0 && high < low)) {
    return Corrupt(
        "layer %d's mamba holds its steps to %g and %g, expected at least 0, in this order", layer,
        static_cast<double>(low), static_cast<double>(high));
  }
  RONDO_RETURN_IF_ERROR(
      checker.CheckFloats({layer, "skip of mamba"}, mamba.skip(), 1, sizes.n_heads));
  return checker.CheckLinear({layer, "steps of mamba"}, mamba.dt(), sizes.n_heads,
                             checker.hidden());
}

void Mamba2Matrices(const format::Sublayer& sublayer, const MatrixVisitor& visit) {
  const format::Mamba2& op = *sublayer.op_as_Mamba2();
  visit(RecurrentMatrix::kInput, *op.input());
  visit(RecurrentMatrix::kGates, *op.dt());
  visit(RecurrentMatrix::kOutput, *op.output());
}

}  // namespace

const OperatorRule kMamba2Rule = {"mamba",
                                  "mamba norm",
                                  "norm after mamba",
                                  CheckMamba2,
                                  Mamba2Matrices,
                                  kAllMatrices,
                                  uint64_t{1} << RecurrentMatrix::kGates};

}  // namespace rondo
