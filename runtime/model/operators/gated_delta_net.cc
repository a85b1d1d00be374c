#include "runtime/model/operators/operators.h"
#include "runtime/model/operators/recurrent.h"
#include "runtime/model/operators/recurrent_check.h"

namespace rondo {

namespace {

Status CheckGatedDeltaNet(const LayerChecker& checker, int layer,
                          const format::Sublayer& sublayer) {
  const format::GatedDeltaNet& net = *sublayer.op_as_GatedDeltaNet();
  const RecurrentSizes sizes = {"delta net",       "the delta net",     "value heads",
                                "key heads",       net.n_value_heads(), net.value_head_dim(),
                                net.n_key_heads(), net.key_head_dim(),  net.taps()};
  RONDO_RETURN_IF_ERROR(CheckRecurrent(layer, checker, sizes, net));
  RONDO_RETURN_IF_ERROR(checker.CheckFactor({layer, "delta net"}, "beta_scale", net.beta_scale()));
  return checker.CheckLinear({layer, "gates of the delta net"}, net.gates(), 2 * sizes.n_heads,
                             checker.hidden());
}

void GatedDeltaNetMatrices(const format::Sublayer& sublayer, const MatrixVisitor& visit) {
  const format::GatedDeltaNet& op = *sublayer.op_as_GatedDeltaNet();
  visit(RecurrentMatrix::kInput, *op.input());
  visit(RecurrentMatrix::kGates, *op.gates());
  visit(RecurrentMatrix::kOutput, *op.output());
}

}  // namespace

const OperatorRule kGatedDeltaNetRule = {"delta net",
                                         "delta net norm",
                                         "norm after the delta net",
                                         CheckGatedDeltaNet,
                                         GatedDeltaNetMatrices,
                                         kAllMatrices,
                                         uint64_t{1} << RecurrentMatrix::kGates};

}  // namespace rondo
