#include "runtime/model/tensor_view.h"

#include <cmath>

#include "runtime/base/checked.h"

namespace rondo {
namespace {

// Sections begin at multiples of 64, so every element type is aligned.
template <typename T>
std::span<const T> As(std::span<const uint8_t> bytes) {
  return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
}

bool IsFinite(float value) { return std::isfinite(value); }
bool IsFinite(uint16_t bfloat16) { return (bfloat16 & 0x7f80) != 0x7f80; }

template <typename T>
Status CheckFinite(const TensorView& tensor, const char* what, std::span<const T> values) {
  for (size_t i = 0; i < values.size(); ++i) {
    if (!IsFinite(values[i])) {
      return Status::Error(StatusCode::kCorrupt, "%s %zu of tensor %s is not a finite number", what,
                           i, tensor.name);
    }
  }
  return Status();
}

}  // namespace

std::span<const float> TensorView::f32() const { return As<float>(data); }
std::span<const int8_t> TensorView::q8() const { return As<int8_t>(data); }
std::span<const float> TensorView::q8_scales() const { return As<float>(scales); }
std::span<const uint16_t> TensorView::q4_scales() const { return As<uint16_t>(scales); }

TensorView ViewTensor(const ModelFile& file, uint32_t index) {
  const format::Tensor& tensor = *file.model().tensors()->Get(index);
  const size_t cols = static_cast<size_t>(tensor.cols());
  return {tensor.name()->c_str(),
          tensor.format(),
          static_cast<size_t>(tensor.rows()),
          cols,
          tensor.block(),
          tensor.block() == 0 ? cols : RoundUp(cols, tensor.block()),
          file.bytes(tensor.data()),
          file.bytes(tensor.scales())};
}

Status VerifyTensor(const ModelFile& file, uint32_t index) {
  const format::Tensor& tensor = *file.model().tensors()->Get(index);
  RONDO_RETURN_IF_ERROR(file.Verify(tensor.data(), tensor.name()->c_str()));
  return tensor.scales() == nullptr ? Status()
                                    : file.Verify(tensor.scales(), tensor.name()->c_str());
}

Status CheckFinite(const TensorView& tensor) {
  switch (tensor.format) {
    case format::TensorFormat::F32:
      return CheckFinite(tensor, "value", tensor.f32());
    case format::TensorFormat::Q8:
      return CheckFinite(tensor, "scale", tensor.q8_scales());
    default:
      return CheckFinite(tensor, "scale", tensor.q4_scales());
  }
}

}  // namespace rondo
