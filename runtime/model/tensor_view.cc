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

// The index of the first float (by its bits) that is not finite; values.size() if all are.
template <typename T>
size_t FirstBad(std::span<const T> values) {
  constexpr size_t kStep = 1024;  // without a branch, so that the compiler can vectorise
  for (size_t i = 0; i < values.size(); i += kStep) {
    const std::span<const T> step = values.subspan(i, std::min(kStep, values.size() - i));
    unsigned bad = 0;
    for (T value : step) bad |= !IsFinite(value);
    if (bad == 0) continue;
    const auto first =
        std::find_if(step.begin(), step.end(), [](T value) { return !IsFinite(value); });
    return i + static_cast<size_t>(first - step.begin());
  }
  return values.size();
}

Status CheckTiles(const TensorView& tensor) {
  const FormatRule& rule = tensor.rule();
  const size_t nr = rule.TileChannels(*tensor.packed);
  const size_t tile_bytes =
      rule.TileBytes(*tensor.packed, tensor.padded_cols, tensor.block).value();
  for (size_t at = 0; at < tensor.data.size(); at += tile_bytes) {
    if (rule.is_finite(tensor.data.subspan(at, tile_bytes), nr, tensor.block)) continue;
    return Status::Error(StatusCode::kCorrupt,
                         "tile %zu of tensor %s has a value that is not a finite number",
                         at / tile_bytes, tensor.name);
  }
  return Status();
}

}  // namespace

std::span<const float> TensorView::f32() const { return As<float>(data); }
std::span<const int8_t> TensorView::q8() const { return As<int8_t>(data); }
std::span<const float> TensorView::row_scales() const { return As<float>(scales); }
std::span<const uint16_t> TensorView::q4b_scales() const { return As<uint16_t>(scales); }

TensorView ViewTensor(const ModelFile& file, uint32_t index) {
  const format::Tensor& tensor = *file.tensors().Get(index);
  const size_t cols = static_cast<size_t>(tensor.cols());
  return {tensor.name()->c_str(),
          tensor.format(),
          static_cast<size_t>(tensor.rows()),
          cols,
          tensor.block(),
          RuleOf(tensor.format()).Padded(cols, tensor.block()).value(),
          file.bytes(tensor.data()),
          file.bytes(tensor.scales()),
          file.bytes(tensor.tables()),
          tensor.packed() ? file.layout() : nullptr};
}

Status VerifyTensor(const ModelFile& file, uint32_t index) {
  const format::Tensor& tensor = *file.tensors().Get(index);
  for (const format::Section* section : {tensor.data(), tensor.scales(), tensor.tables()}) {
    if (section == nullptr) continue;
    RONDO_RETURN_IF_ERROR(file.Verify(section, tensor.name()->c_str()));
  }
  return Status();
}

Status CheckLevels(const TensorView& tensor) {
  const auto bad = std::find(tensor.tables.begin(), tensor.tables.end(), uint8_t{0x80});
  if (bad == tensor.tables.end()) return Status();
  return Status::Error(StatusCode::kCorrupt,
                       "level %zu of the tables of tensor %s is -128, expected -127 to 127",
                       static_cast<size_t>(bad - tensor.tables.begin()), tensor.name);
}

Status CheckValues(const TensorView& tensor) {
  RONDO_RETURN_IF_ERROR(CheckLevels(tensor));
  return tensor.packed == nullptr ? CheckValues(tensor, 0, tensor.rows) : CheckTiles(tensor);
}

Status CheckValues(const TensorView& tensor, size_t begin, size_t end) {
  const auto check = [&]<typename T>(const char* what, std::span<const T> values) {
    const size_t per_row = values.size() / tensor.rows;
    const size_t first = begin * per_row, count = (end - begin) * per_row;
    const size_t bad = FirstBad(values.subspan(first, count));
    if (bad == count) return Status();
    return Status::Error(StatusCode::kCorrupt, "%s %zu of tensor %s is not a finite number", what,
                         first + bad, tensor.name);
  };
  const FormatRule& rule = tensor.rule();
  if (rule.is_float()) return check("value", As<uint32_t>(tensor.data));
  return rule.scale_bytes == sizeof(float) ? check("scale", As<uint32_t>(tensor.scales))
                                           : check("scale", As<uint16_t>(tensor.scales));
}

}  // namespace rondo
