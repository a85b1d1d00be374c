#include "tools/convert/output/part_reader.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "platforms/cpu.h"
#include "runtime/base/finite.h"
#include "tools/convert/common/fail.h"
#include "tools/convert/common/parallel.h"
#include "tools/convert/output/turn.h"

namespace rondo::convert {

PartReader::PartReader(const TensorRecipe& recipe, const TensorRecipe::Part& part,
                       const Checkpoint& checkpoint)
    : recipe_(recipe),
      part_(part),
      checkpoint_(checkpoint),
      entry_(part.source.empty() ? nullptr
                                 : &checkpoint.Find(part.source, recipe.SourceShape(part))),
      cols_(recipe.padding || recipe.columns ? recipe.source_cols() : recipe.cols) {
  for (const TensorRecipe::Part& before : recipe.parts) {
    if (&before == &part) break;
    first_ += before.rows;
  }
  if (recipe.factor) ReadFactor();
  if (!recipe.row_scales.empty()) {
    row_scales_.resize(static_cast<size_t>(recipe.rows()));
    checkpoint.Read(recipe.row_scales, 0, row_scales_);
  }
  if (recipe.transposed && entry_ != nullptr) {
    // Whole: its rows are columns of what the checkpoint holds.
    whole_.resize(cols_ * entry_->shape.back());
    checkpoint.Read(part.source, (part.matrix * cols_ + part.first_col) * entry_->shape.back(),
                    whole_);
  }
  if (!recipe.columns_turned) return;
  std::vector<float> all(static_cast<size_t>(part.rows * recipe.cols));
  Read(0, all);
  TurnColumns(all, static_cast<size_t>(recipe.cols));
  turned_ = std::move(all);
}

uint64_t PartReader::RowBytes() const {
  return entry_ == nullptr ? 0 : entry_->bytes / (entry_->elements() / recipe_.source_cols());
}

void PartReader::Read(uint64_t row, std::span<float> out) {
  if (!turned_.empty()) {
    const auto begin = turned_.begin() + static_cast<ptrdiff_t>(row * recipe_.cols);
    std::copy_n(begin, out.size(), out.begin());
    return;
  }
  if (recipe_.padding) {
    ReadPadded(row, out);
  } else if (recipe_.columns) {
    ReadMade(row, out);
  } else {
    ReadRows(row, out);
  }
  if (recipe_.IsChanged()) Change(row, out);
}

void PartReader::ReadPadded(uint64_t row, std::span<float> out) {
  const auto [from, to] = *recipe_.padding;
  const size_t runs = out.size() / to;
  narrow_.resize(runs * from);
  ReadRows(row, narrow_);
  std::fill(out.begin(), out.end(), 0.0f);
  for (size_t i = 0; i < runs; ++i) std::copy_n(&narrow_[i * from], from, &out[i * to]);
}

void PartReader::ReadMade(uint64_t row, std::span<float> out) {
  const auto from = static_cast<size_t>(cols_), to = static_cast<size_t>(recipe_.cols);
  narrow_.resize(out.size() / to * from);
  ReadRows(row, narrow_);
  for (size_t i = 0; i < out.size() / to; ++i) {
    recipe_.columns->make(std::span(narrow_).subspan(i * from, from), out.subspan(i * to, to));
  }
}

void PartReader::Change(uint64_t row, std::span<float> out) const {
  const size_t cols = static_cast<size_t>(recipe_.cols);
  std::vector<float> factors(cols, 1);
  for (size_t i = 0; i < recipe_.col_powers.size(); ++i) {
    factors[i] = std::ldexp(1.0f, recipe_.col_powers[i]);
  }
  for (size_t i = 0; recipe_.gains && i < factors.size(); ++i) factors[i] *= (*recipe_.gains)[i];
  ParallelFor(PerformanceCores(), out.size() / cols, [&](size_t i) {
    const int power = recipe_.row_powers.empty() ? 0 : recipe_.row_powers[first_ + row + i];
    const float factor = std::ldexp(1.0f, power);
    const std::span<float> values = out.subspan(i * cols, cols);
    for (size_t col = 0; col < cols; ++col) values[col] *= factor * factors[col];
    if (recipe_.rows_turned) Turn(values);
  });
}

void PartReader::ReadRows(uint64_t row, std::span<float> out) {
  const uint64_t cols = cols_;
  const uint64_t step = part_.row_step, first = part_.first_row + row * step;
  if (recipe_.factor) {
    ReadMultiplied(first, out);
  } else if (entry_ == nullptr && recipe_.computed) {
    recipe_.computed(first, out);
  } else if (entry_ == nullptr) {
    std::fill(out.begin(), out.end(), 1.0f);
  } else if (recipe_.transposed) {
    const uint64_t stride = whole_.size() / cols;
    for (size_t i = 0; i < out.size(); ++i) {
      out[i] = whole_[i % cols * stride + first + i / cols * step];
    }
  } else if (step == 1) {
    checkpoint_.Read(part_.source, first * cols, out);
  } else {
    // Those between them, too: one reading is cheaper than many.
    const size_t rows = out.size() / cols;
    between_.resize(((rows - 1) * step + 1) * cols);
    checkpoint_.Read(part_.source, first * cols, between_);
    for (size_t i = 0; i < rows; ++i) {
      std::copy_n(&between_[i * step * cols], cols, &out[i * cols]);
    }
  }
  if (!recipe_.IsOnlyScaled() || recipe_.ScaleOf(part_) != 1) {
    for (float& value : out) {
      if (recipe_.exponential) value = std::exp(value);
      value = value * recipe_.ScaleOf(part_) + recipe_.offset;
    }
  }
  for (size_t i = 0; !row_scales_.empty() && i < out.size(); ++i) {
    out[i] *= row_scales_[first_ + row + i / cols];
  }
  if (recipe_.bounds) {
    constexpr float kMost = std::numeric_limits<float>::max();
    for (float& value : out) {
      if (std::isinf(value)) value = std::copysign(kMost, value);
    }
  }
  CheckFinite(row, out);
}

// As [inner, cols], whichever way the checkpoint has it.
void PartReader::ReadFactor() {
  const TensorRecipe::Factor& factor = *recipe_.factor;
  const size_t inner = factor.inner, cols = recipe_.cols;
  std::vector<float> read(inner * cols);
  checkpoint_.Read(factor.source, 0, read);
  if (factor.cols_first) {
    factor_.resize(read.size());
    for (size_t i = 0; i < read.size(); ++i) factor_[i % inner * cols + i / inner] = read[i];
  } else {
    factor_ = std::move(read);
  }
}

void PartReader::ReadMultiplied(uint64_t first, std::span<float> out) {
  const size_t inner = recipe_.factor->inner, cols = recipe_.cols;
  const size_t rows = out.size() / cols;
  between_.resize(rows * inner);
  checkpoint_.Read(part_.source, first * inner, between_);
  ParallelFor(PerformanceCores(), rows, [&](size_t row) {
    const std::span<float> product = out.subspan(row * cols, cols);
    std::fill(product.begin(), product.end(), 0.0f);
    for (size_t i = 0; i < inner; ++i) {
      const float x = between_[row * inner + i];
      for (size_t col = 0; col < cols; ++col) product[col] += x * factor_[i * cols + col];
    }
  });
}

// Files hold no such value, but for a scalar that bounds others; but a quantised one times its
// scale may be too large, as may be one times a number of the config, or with an adapter's product.
void PartReader::CheckFinite(uint64_t row, std::span<const float> out) const {
  if (entry_ == nullptr ||
      AllFinite({reinterpret_cast<const uint8_t*>(out.data()), out.size_bytes()})) {
    return;
  }
  const auto found = std::ranges::find_if(out, [](float value) { return !std::isfinite(value); });
  const auto at = static_cast<uint64_t>(found - out.begin());
  uint64_t of_row = part_.first_row + (row + at / cols_) * part_.row_step;
  uint64_t of_col = at % cols_;
  if (recipe_.factor) {
    Fail(entry_->file, ": tensor ", part_.source, " times ", recipe_.factor->source, " gives ",
         *found, " in row ", of_row, ", expected finite weights");
  }
  if (recipe_.transposed) {
    std::swap(of_row, of_col);
    of_row += part_.matrix * cols_ + part_.first_col;
  } else {  // the checkpoint's rows may be longer, or shorter
    const uint64_t width = entry_->shape.back(), element = of_row * cols_ + of_col;
    of_row = element / width;
    of_col = element % width;
  }
  Fail(entry_->file, ": tensor ", part_.source, " gives ", *found, " in row ", of_row, ", column ",
       of_col, ", expected finite weights");
}

std::vector<float> ReadPart(const TensorRecipe& recipe, const TensorRecipe::Part& part,
                            const Checkpoint& checkpoint) {
  std::vector<float> values(static_cast<size_t>(part.rows * recipe.cols));
  PartReader(recipe, part, checkpoint).Read(0, values);
  return values;
}

}  // namespace rondo::convert
