#include "runtime/model/operators/layer_checker.h"

#include <cmath>

#include "runtime/base/format.h"
#include "runtime/model/limits.h"

namespace rondo {

using format::TensorFormat;

Status LayerChecker::CheckFactor(Place place, const char* what, float factor) const {
  if (std::isfinite(factor) && factor > 0) return Status();
  char problem[96];
  Format(problem, sizeof problem, "has a %s of %g, expected a finite number above 0", what,
         static_cast<double>(factor));
  return Wrong(place, problem);
}

Status LayerChecker::CheckCap(Place place, float cap) const {
  if (std::isfinite(cap) && cap >= 0) return Status();
  return Wrong(place, "has a soft cap or clip that is not a finite number of at least 0");
}

Status LayerChecker::CheckRope(Place place, int32_t rope, uint64_t head_dim) const {
  const int64_t n_ropes = model_.ropes() == nullptr ? 0 : model_.ropes()->size();
  if (rope < -1 || rope >= n_ropes) {
    return Wrong(place, "points at a rope that is absent");
  }
  if (rope < 0) return Status();
  const auto* frequencies = model_.ropes()->Get(static_cast<uint32_t>(rope))->frequencies();
  if (frequencies->size() * uint64_t{2} <= head_dim) return Status();
  return Corrupt("layer %d has head_dim %llu but its rope has %u frequencies", place.layer,
                 ull{head_dim}, frequencies->size());
}

Status LayerChecker::CheckQueryScale(Place place, const format::QueryScale* scale) const {
  if (scale == nullptr) return Status();
  if (!std::isfinite(scale->factor()) || scale->factor() < 0) {
    return Wrong(place, "has a query_scale whose factor is not a finite number of at least 0");
  }
  if (scale->period() > 0) return Status();
  return Wrong(place, "has a query_scale whose period is 0");
}

Status LayerChecker::CheckShape(Place place, uint64_t index, uint64_t rows, uint64_t cols) const {
  if (index >= tensors_.size()) return Wrong(place, "points at a tensor that is absent");
  const format::Tensor* tensor = tensors_.Get(static_cast<uint32_t>(index));
  if (tensor->rows() == rows && tensor->cols() == cols) return Status();
  return Corrupt("tensor %s is %llu x %llu, the model's sizes ask for %llu x %llu",
                 tensor->name()->c_str(), ull{tensor->rows()}, ull{tensor->cols()}, ull{rows},
                 ull{cols});
}

Status LayerChecker::CheckPacked(Place place, uint64_t index, bool is_linear) const {
  const format::Tensor* tensor = tensors_.Get(static_cast<uint32_t>(index));
  if (tensor->packed() == (is_linear && packed_)) return Status();
  return Wrong(place, tensor->packed() ? "is packed, and must not be"
                                       : "is not packed, in a file that has a layout");
}

Status LayerChecker::CheckFloats(Place place, uint64_t index, uint64_t rows, uint64_t cols) const {
  RONDO_RETURN_IF_ERROR(CheckShape(place, index, rows, cols));
  const format::Tensor* tensor = tensors_.Get(static_cast<uint32_t>(index));
  if (tensor->format() != TensorFormat::F32) {
    return Corrupt("tensor %s is of a kind that must be float32", tensor->name()->c_str());
  }
  return CheckPacked(place, index, false);
}

Status LayerChecker::CheckBias(Place place, int32_t index, uint64_t size) const {
  if (index < -1) return Wrong(place, "has a negative index other than -1");
  if (index == -1) return Status();
  return CheckFloats(place, static_cast<uint64_t>(index), 1, size);
}

Status LayerChecker::CheckClips(Place place, int32_t index, uint64_t n) const {
  if (index != -1 && model_.tower() == nullptr) {
    return Wrong(place, "has clips, which only a tower's has");
  }
  return CheckBias(place, index, 4 * n);
}

Status LayerChecker::CheckLinear(Place place, const format::Linear* linear, uint64_t rows,
                                 uint64_t cols) const {
  if (linear == nullptr) return Wrong(place, "is absent");
  RONDO_RETURN_IF_ERROR(CheckShape(place, linear->weight(), rows, cols));
  RONDO_RETURN_IF_ERROR(CheckPacked(place, linear->weight(), true));
  return CheckBias(place, linear->bias(), rows);
}

Status LayerChecker::CheckNorm(Place place, const format::Norm* norm, uint64_t size) const {
  if (norm == nullptr) return Status();
  if (norm->kind() != format::NormKind::kRmsNorm && norm->kind() != format::NormKind::kLayerNorm) {
    return UnknownKind(place, "norm kind", static_cast<unsigned>(norm->kind()));
  }
  if (!std::isfinite(norm->epsilon()) || norm->epsilon() <= 0) {
    return Wrong(place, "has an epsilon that is not a finite number above 0");
  }
  if (norm->group() != 0 && size % norm->group() != 0) {
    return Wrong(place, "has a group that does not divide its channels");
  }
  if (norm->kind() == format::NormKind::kRmsNorm && norm->bias() != -1) {
    return Wrong(place, "is an RMSNorm with a bias");
  }
  RONDO_RETURN_IF_ERROR(CheckFloats(place, norm->weight(), 1, size));
  return CheckBias(place, norm->bias(), size);
}

Status LayerChecker::CheckHeadDim(int layer, const char* what, uint64_t head_dim) const {
  if (head_dim > 0 && head_dim <= kMaxHeadDim && head_dim % kHeadDimMultiple == 0) {
    return Status();
  }
  return Status::Error(StatusCode::kUnsupported,
                       "layer %d has %s %llu, expected a multiple of %llu up to %llu", layer, what,
                       ull{head_dim}, ull{kHeadDimMultiple}, ull{kMaxHeadDim});
}

Status LayerChecker::CheckMlpSizes(Place place, uint32_t intermediate,
                                   format::Activation activation, int32_t xielu) const {
  if (intermediate == 0 || intermediate > kMaxIntermediate) {
    return Corrupt("layer %d has intermediate_size %u, expected 1 to %llu", place.layer,
                   intermediate, ull{kMaxIntermediate});
  }
  if (activation == format::Activation::kNone || activation > format::Activation::MAX) {
    return UnknownKind(place, "activation", static_cast<unsigned>(activation));
  }
  if (activation != format::Activation::kXielu) {
    return xielu == -1 ? Status() : Wrong(place, "has numbers of an activation that it has not");
  }
  if (xielu < 0) return Wrong(place, "lacks the numbers of its activation");
  return CheckFloats(place, static_cast<uint64_t>(xielu), 1, 4);  // p, n, beta, epsilon
}

Status LayerChecker::CheckMlpLimits(Place place, float limit, float up_offset, bool plain) const {
  if (!std::isfinite(limit) || limit < 0 || !std::isfinite(up_offset)) {
    return Wrong(place,
                 "has a limit that is not a finite number of at least 0, or an offset that "
                 "is not finite");
  }
  if (!plain || (limit == 0 && up_offset == 0)) return Status();
  return Wrong(place, "has a limit or an offset for gate and up, but is plain");
}

}  // namespace rondo
