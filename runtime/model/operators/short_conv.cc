#include "runtime/model/operators/short_conv.h"

#include "runtime/model/limits.h"
#include "runtime/model/operators/operators.h"

namespace rondo {

namespace {

Status CheckShortConv(const LayerChecker& checker, int layer, const format::Sublayer& sublayer) {
  const Place place = {layer, "convolution"};
  const format::ShortConv& conv = *sublayer.op_as_ShortConv();
  if (conv.taps() < 1 || conv.taps() > kMaxConvTaps) {
    return Corrupt("layer %d's convolution has %u taps, expected 1 to %llu", layer, conv.taps(),
                   ull{kMaxConvTaps});
  }
  RONDO_RETURN_IF_ERROR(checker.CheckLinear({layer, "convolution input"}, conv.input(),
                                            3 * checker.hidden(), checker.hidden()));
  RONDO_RETURN_IF_ERROR(checker.CheckFloats(place, conv.kernel(), conv.taps(), checker.hidden()));
  RONDO_RETURN_IF_ERROR(checker.CheckBias(place, conv.bias(), checker.hidden()));
  return checker.CheckLinear({layer, "convolution output"}, conv.output(), checker.hidden(),
                             checker.hidden());
}

void ShortConvMatrices(const format::Sublayer& sublayer, const MatrixVisitor& visit) {
  const format::ShortConv& op = *sublayer.op_as_ShortConv();
  visit(ShortConvMatrix::kInput, *op.input());
  visit(ShortConvMatrix::kOutput, *op.output());
}

}  // namespace

const OperatorRule kShortConvRule = {
    "convolution",  "convolution norm", "norm after the convolution",
    CheckShortConv, ShortConvMatrices,  kAllMatrices};

}  // namespace rondo
