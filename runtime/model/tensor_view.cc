#include "runtime/model/tensor_view.h"

#include <algorithm>

#include "runtime/base/checked.h"

namespace rondo {
namespace {

// Sections begin at multiples of 64, so every element type is aligned.
template <typename T>
std::span<const T> As(std::span<const uint8_t> bytes) {
  return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
}

// All bits of the exponent: infinity or no number.
bool IsFinite(uint32_t float32) { return (float32 & 0x7f800000) != 0x7f800000; }
bool IsFinite(uint16_t bfloat16) { return (bfloat16 & 0x7f80) != 0x7f80; }

// Elements [begin, end) of `values`, the bits of floats.
template <typename T>
Status CheckFinite(const TensorView& tensor, const char* what, std::span<const T> values,
                   size_t begin, size_t end) {
  constexpr size_t kStep = 1024;  // without a branch, so that the compiler can vectorise
  for (size_t i = begin; i < end; i += kStep) {
    const std::span<const T> step = values.subspan(i, std::min(kStep, end - i));
    unsigned bad = 0;
    for (T value : step) bad |= !IsFinite(value);
    if (bad == 0) continue;
    const auto first =
        std::find_if(step.begin(), step.end(), [](T value) { return !IsFinite(value); });
    return Status::Error(StatusCode::kCorrupt, "%s %zu of tensor %s is not a finite number", what,
                         i + static_cast<size_t>(first - step.begin()), tensor.name);
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

Status CheckFinite(const TensorView& tensor) { return CheckFinite(tensor, 0, tensor.rows); }

Status CheckFinite(const TensorView& tensor, size_t begin, size_t end) {
  const auto check = [&]<typename T>(const char* what, std::span<const T> values) {
    const size_t per_row = values.size() / tensor.rows;
    return CheckFinite(tensor, what, values, begin * per_row, end * per_row);
  };
  switch (tensor.format) {
    case format::TensorFormat::F32:
      return check("value", As<uint32_t>(tensor.data));
    case format::TensorFormat::Q8:
      return check("scale", As<uint32_t>(tensor.scales));
    default:
      return check("scale", As<uint16_t>(tensor.scales));
  }
}

}  // namespace rondo
