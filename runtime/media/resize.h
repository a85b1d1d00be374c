// ResizedRows: Pillow's resize (up to its version 12), to the bit, row by row.
//
// The rows' pixels are weighed first, always, and rounded to bytes; then columns of such rows. Of
// these only as many are kept as one row of the result is made of.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/media/axis_weights.h"
#include "runtime/media/row_source.h"

namespace rondo {

class ResizedRows final : public RowSource {
 public:
  // Of the memory that it works in, or the largest number there is. Sides are 1 to kMaxImageSide.
  static size_t Bytes(ImageSize from, ImageSize to, Resampling resampling);

  // `memory`, aligned to 8 bytes, and `source`, none of whose rows have been read, outlive this.
  ResizedRows(RowSource& source, ImageSize from, ImageSize to, Resampling resampling,
              uint8_t* memory);

  void Read(size_t count, uint8_t* rgb) override;

 private:
  // Where the parts lie in the memory.
  struct Layout;

  void ReadRow(uint8_t* rgb);
  void Fill();
  void WeighBand(size_t rows);
  uint8_t* RingRow(size_t row) const { return ring_ + row % ring_rows_ * row_bytes_; }

  RowSource& source_;
  ImageSize from_;
  ImageSize to_;
  AxisWeights across_;  // where widths differ
  AxisWeights down_;    // where heights differ
  size_t row_bytes_;    // of the result
  size_t ring_rows_ = 0;
  uint8_t* band_ = nullptr;            // [kBand, from width]: rows of the source
  uint8_t* steps_ = nullptr;           // [from width + 1, kBand]: the same, side by side
  uint8_t* ring_ = nullptr;            // [ring rows, to width]: rows whose pixels have been weighed
  const uint8_t** columns_ = nullptr;  // the rows that make one
  size_t filled_ = 0;                  // rows that have been in the ring
  size_t next_ = 0;                    // row of the result
};

}  // namespace rondo
