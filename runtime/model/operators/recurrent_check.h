// What the checks of gated delta nets and of Mamba2 have in common.
#pragma once

#include "runtime/base/format.h"
#include "runtime/model/operators/layer_checker.h"

namespace rondo {

struct RecurrentSizes {
  const char* name;    // of the sublayer
  const char* called;  // the same in "input of ..."
  const char* heads;   // what they are called in the schema
  const char* groups;
  uint64_t n_heads;
  uint64_t head_dim;
  uint64_t n_groups;
  uint64_t group_dim;
  uint64_t taps;

  uint64_t inner() const { return n_heads * head_dim; }
  uint64_t conv() const { return inner() + 2 * n_groups * group_dim; }
};

// Within limits.h, and such as divide each other as they must.
Status CheckRecurrentSizes(int layer, const LayerChecker& checker, const RecurrentSizes& sizes);

// What a message calls a part of one: "input of the delta net".
class PartName {
 public:
  PartName(const char* part, const RecurrentSizes& sizes) {
    Format(text_, sizeof text_, "%s of %s", part, sizes.called);
  }
  operator const char*() const { return text_; }  // NOLINT(google-explicit-constructor)

 private:
  char text_[48];
};

template <typename Table>  // GatedDeltaNet, or Mamba2
Status CheckRecurrent(int layer, const LayerChecker& checker, const RecurrentSizes& sizes,
                      const Table& table) {
  const PartName input("input", sizes), output("output", sizes), norm("norm", sizes);
  const PartName kernel("kernel", sizes), bias("bias of the kernel", sizes);
  const PartName decay("decay", sizes), dt_bias("dt_bias", sizes);
  RONDO_RETURN_IF_ERROR(CheckRecurrentSizes(layer, checker, sizes));
  RONDO_RETURN_IF_ERROR(checker.CheckLinear({layer, input}, table.input(),
                                            sizes.inner() + sizes.conv(), checker.hidden()));
  RONDO_RETURN_IF_ERROR(
      checker.CheckFloats({layer, kernel}, table.kernel(), sizes.taps, sizes.conv()));
  RONDO_RETURN_IF_ERROR(checker.CheckBias({layer, bias}, table.bias(), sizes.conv()));
  RONDO_RETURN_IF_ERROR(checker.CheckFloats({layer, decay}, table.decay(), 1, sizes.n_heads));
  RONDO_RETURN_IF_ERROR(checker.CheckFloats({layer, dt_bias}, table.dt_bias(), 1, sizes.n_heads));
  RONDO_RETURN_IF_ERROR(checker.CheckNorm({layer, norm}, table.norm(), sizes.inner()));
  return checker.CheckLinear({layer, output}, table.output(), checker.hidden(), sizes.inner());
}

}  // namespace rondo
