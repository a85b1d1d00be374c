#include "runtime/media/resize.h"

#include <algorithm>
#include <cstring>

#include "runtime/base/checked.h"
#include "runtime/kernels/weigh_bytes.h"

namespace rondo {
namespace {

constexpr size_t kBand = kStepBytes / kChannels;  // rows that are weighed side by side

}  // namespace

struct ResizedRows::Layout {
  CheckedSize across = 0;
  CheckedSize down = 0;
  CheckedSize band = 0;
  CheckedSize steps = 0;
  CheckedSize columns = 0;
  CheckedSize ring = 0;
  size_t ring_rows = 0;

  Layout(ImageSize from, ImageSize to, Resampling resampling) {
    if (from.width != to.width) {
      across = AxisWeights::Bytes(from.width, to.width, resampling.filter);
      band = (CheckedSize(from.width) * (kBand * kChannels)).AlignUp(8);
      steps = (CheckedSize(from.width) + 1) * kStepBytes;  // an odd window looks at one more
    }
    if (from.height != to.height) {
      down = AxisWeights::Bytes(from.height, to.height, resampling.filter);
      ring_rows = AxisWeights::MaxCount(from.height, to.height, resampling.filter);
      columns = RoundUp(ring_rows + 1, 2) * sizeof(uint8_t*);
    }
    if (from.width != to.width) ring_rows = std::max<size_t>(ring_rows, 1) + kBand - 1;
    ring = CheckedSize(to.width) * kChannels * ring_rows;
  }
  CheckedSize Total() const { return across + down + band + steps + columns + ring; }
};

size_t ResizedRows::Bytes(ImageSize from, ImageSize to, Resampling resampling) {
  return Layout(from, to, resampling).Total().ValueOrMost();
}

ResizedRows::ResizedRows(RowSource& source, ImageSize from, ImageSize to, Resampling resampling,
                         uint8_t* memory)
    : source_(source), from_(from), to_(to), row_bytes_(size_t{to.width} * kChannels) {
  const Layout layout(from, to, resampling);
  if (from.width != to.width) across_.Make(from.width, to.width, resampling, memory);
  memory += layout.across.value();
  if (from.height != to.height) down_.Make(from.height, to.height, resampling, memory);
  memory += layout.down.value();
  columns_ = reinterpret_cast<const uint8_t**>(memory);
  memory += layout.columns.value();
  band_ = memory;
  memory += layout.band.value();
  steps_ = memory;
  std::memset(steps_, 0, layout.steps.value());
  memory += layout.steps.value();
  ring_ = memory;
  ring_rows_ = layout.ring_rows;
}

void ResizedRows::Read(size_t count, uint8_t* rgb) {
  if (from_ == to_) return source_.Read(count, rgb);
  for (size_t i = 0; i < count; ++i) ReadRow(rgb + i * row_bytes_);
}

void ResizedRows::ReadRow(uint8_t* rgb) {
  if (from_.height == to_.height) {
    if (next_ == filled_) Fill();
    std::memcpy(rgb, RingRow(next_++), row_bytes_);
    return;
  }
  const AxisWeights::Window window = down_[next_++];
  while (filled_ < window.first + window.count) Fill();
  for (size_t i = 0; i < window.count; ++i) columns_[i] = RingRow(window.first + i);
  columns_[window.count] = columns_[0];  // counts nothing
  kWeighBytes.rows(columns_, window.pairs, down_.shift(), row_bytes_, rgb);
}

// Puts the next rows into the ring, whose oldest no row to come is made of.
void ResizedRows::Fill() {
  if (from_.width == to_.width) return source_.Read(1, RingRow(filled_++));
  const size_t rows = std::min(kBand, from_.height - filled_);
  source_.Read(rows, band_);
  const size_t from_bytes = size_t{from_.width} * kChannels;
  for (size_t x = 0; x < from_.width; ++x) {
    for (size_t row = 0; row < rows; ++row) {
      std::memcpy(steps_ + x * kStepBytes + row * kChannels,
                  band_ + row * from_bytes + x * kChannels, kChannels);
    }
  }
  WeighBand(rows);
  filled_ += rows;
}

void ResizedRows::WeighBand(size_t rows) {
  uint8_t* to[kBand];
  for (size_t row = 0; row < rows; ++row) to[row] = RingRow(filled_ + row);
  for (size_t x = 0; x < to_.width; ++x) {
    const AxisWeights::Window window = across_[x];
    uint8_t pixels[kStepBytes];
    kWeighBytes.steps(steps_ + window.first * kStepBytes, window.pairs, across_.shift(), pixels);
    for (size_t row = 0; row < rows; ++row) {
      std::memcpy(to[row] + x * kChannels, pixels + row * kChannels, kChannels);
    }
  }
}

}  // namespace rondo
