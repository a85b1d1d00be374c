#include "tools/convert/output/tensor_writer.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "platforms/cpu.h"
#include "runtime/base/checked.h"
#include "runtime/model/tensor_format.h"
#include "tools/convert/common/fail.h"
#include "tools/convert/common/parallel.h"
#include "tools/convert/output/codes.h"
#include "tools/convert/output/encode_row.h"
#include "tools/convert/output/level_tables.h"
#include "tools/convert/output/part_reader.h"
#include "tools/convert/sources/float_formats.h"

namespace rondo::convert {
namespace {

using format::TensorFormat;
constexpr uint64_t kElementsPerStep = 1u << 20;
constexpr size_t kSlices = 16;  // of the rows of a step

// Turns rows into the bytes of one format.
class RowEncoder {
 public:
  RowEncoder(TensorFormat format, size_t cols, size_t block)
      : rule_(RuleOf(format)),
        cols_(cols),
        block_(block),
        row_bytes_(rule_.row_bytes(PaddedCols()).value()),
        row_scale_bytes_(static_cast<size_t>(rule_.RowScaleBytes(PaddedCols(), block))) {}

  // Of the part whose rows come from now on: the columns of its rows in the checkpoint. What is
  // done to them is added to `error`, unless it is null.
  void BeginPart(size_t source_cols, RoundingError* error) {
    source_row_.resize(source_cols);
    row_read_ = UINT64_MAX;
    error_ = error;
  }

  // `rows`: whole rows. The result is valid until the next call.
  std::span<const uint8_t> Encode(std::span<const float> rows) {
    if (rule_.is_float()) return BytesOf(rows);
    const size_t n_rows = rows.size() / cols_;
    uint8_t* const scales = Extend(n_rows);
    std::vector<RoundingError> errors(n_rows);
    missed_.resize(kSlices * cols_);
    squares_.resize(kSlices * cols_);
    ParallelFor(PerformanceCores(), kSlices, [&](size_t slice) {
      float* const missed_in = &missed_[slice * cols_];
      float* const squares_in = &squares_[slice * cols_];
      std::vector<float> weights(cols_);
      for (size_t i = slice; i < n_rows; i += kSlices) {
        const std::span<const float> row = rows.subspan(i * cols_, cols_);
        EncodeRow(rule_.format, block_, row, encoded_.data() + i * row_bytes_,
                  scales + i * row_scale_bytes_, weights);
        for (size_t c = 0; c < cols_; ++c) {
          const double missed = double{row[c]} - double{weights[c]};
          errors[i].squares += missed * missed;
          errors[i].weights += double{row[c]} * double{row[c]};
          missed_in[c] += static_cast<float>(missed * missed);
          squares_in[c] += row[c] * row[c];
        }
      }
    });
    for (const RoundingError& of_row : errors) {
      if (error_ == nullptr) break;
      error_->squares += of_row.squares;
      error_->weights += of_row.weights;
    }
    return encoded_;
  }

  // Of the rows that were rounded: the mean over columns, so that a loud one does not stand for
  // all.
  double Lost() const {
    double sum = 0;
    size_t n = 0;
    for (size_t c = 0; c < cols_ && !missed_.empty(); ++c) {
      double missed = 0, squares = 0;
      for (size_t i = c; i < missed_.size(); i += cols_) {
        missed += double{missed_[i]};
        squares += double{squares_[i]};
      }
      if (!(squares > 0)) continue;
      sum += missed / squares;
      ++n;
    }
    return n == 0 ? 0 : sum / static_cast<double>(n);
  }

  // The same for rows [row, row + n_rows) of a part that IsTaken(): as they are, times `factor`.
  std::span<const uint8_t> TakeQ4B(const Checkpoint& checkpoint, const TensorRecipe::Part& part,
                                   float factor, uint64_t row, size_t n_rows) {
    std::vector<uint16_t> scales(n_rows * cols_ / block_);
    uint8_t* const taken = Extend(n_rows);
    checkpoint.ReadQ4B(part.source, part.first_row + row, n_rows, encoded_.data(), scales.data());
    for (size_t i = 0; i < scales.size(); ++i) {
      scales[i] = ToBfloat16(factor * FromBfloat16(scales[i]));
      CheckScale(checkpoint, part, part.first_row + row + i / (cols_ / block_),
                 FromBfloat16(scales[i]));
    }
    std::ranges::copy(BytesOf(scales), taken);
    return encoded_;
  }

  std::span<const uint8_t> TakeQ8(const Checkpoint& checkpoint, const TensorRecipe::Part& part,
                                  float factor, uint64_t row, size_t n_rows) {
    uint8_t* const scales = Extend(n_rows);
    for (size_t i = 0; i < n_rows; ++i) {
      const std::span<int8_t> data(reinterpret_cast<int8_t*>(&encoded_[i * cols_]), cols_);
      const float scale = factor * ReadIntegers(checkpoint, part, row + i, data);
      CheckScale(checkpoint, part, SourceRow(part, row + i), scale);
      // Q8 has no -128, and no scale below 0.
      for (int8_t& integer : data) {
        const int8_t before = integer;
        integer = std::max<int8_t>(integer, -127);
        if (error_ != nullptr) {
          error_->squares += std::pow(double{scale} * (integer - before), 2);
          error_->weights += std::pow(double{scale} * before, 2);
        }
        if (scale < 0) integer = static_cast<int8_t>(-integer);
      }
      PutScale(scales, i, std::fabs(scale));
    }
    return encoded_;
  }

  std::span<const uint8_t> TakeCodes(const Checkpoint& checkpoint, const TensorRecipe::Part& part,
                                     float factor, uint64_t row, size_t n_rows) {
    const uint32_t bits = rule_.bits;
    uint8_t* const scales = Extend(n_rows);
    std::vector<int8_t> integers(cols_);
    std::vector<uint8_t> codes(cols_);
    const std::vector<uint8_t> selectors(CeilDiv(cols_, size_t{kCodeBlock}));
    for (size_t i = 0; i < n_rows; ++i) {
      const float scale = factor * ReadIntegers(checkpoint, part, row + i, integers);
      CheckScale(checkpoint, part, SourceRow(part, row + i), scale);
      PutScale(scales, i, scale);
      std::ranges::transform(integers, codes.begin(), [&](int8_t integer) {
        return static_cast<uint8_t>(integer + (1 << (bits - 1)));
      });
      PackCodes(codes, selectors, bits, &encoded_[i * row_bytes_]);
    }
    return encoded_;
  }

  // Of all rows so far.
  std::span<const uint8_t> scales() const { return scales_; }

 private:
  // Makes room for so many rows, and for their scales behind those there are; returns the latter.
  uint8_t* Extend(size_t n_rows) {
    const size_t before = scales_.size();
    encoded_.resize(n_rows * row_bytes_);
    scales_.resize(before + n_rows * row_scale_bytes_);
    return scales_.data() + before;
  }

  // Of row i of those that Extend made room for, in a format with one scale a row.
  static void PutScale(uint8_t* scales, size_t i, float scale) {
    std::memcpy(scales + i * sizeof scale, &scale, sizeof scale);
  }

  // Integers of up to 8 bits times this are numbers. `row`: of the checkpoint.
  static void CheckScale(const Checkpoint& checkpoint, const TensorRecipe::Part& part, uint64_t row,
                         float scale) {
    constexpr float kMost = 128;
    if (std::isfinite(scale * kMost)) return;
    Fail(checkpoint.tensors().at(part.source).file, ": tensor ", part.source, " has the scale ",
         scale, " in row ", row, ", expected finite weights");
  }

  // A row, which may be a piece of one in the checkpoint. Returns its scale.
  float ReadIntegers(const Checkpoint& checkpoint, const TensorRecipe::Part& part, uint64_t row,
                     std::span<int8_t> out) {
    const size_t pieces = source_row_.size() / cols_;
    const uint64_t piece = part.first_row + row, its = SourceRow(part, row);
    if (row_read_ != its) {
      row_read_ = its;
      source_scale_ = checkpoint.ReadIntegers(part.source, row_read_, source_row_);
    }
    std::copy_n(&source_row_[piece % pieces * cols_], cols_, out.data());
    return source_scale_;
  }

  uint64_t SourceRow(const TensorRecipe::Part& part, uint64_t row) const {
    return (part.first_row + row) / (source_row_.size() / cols_);
  }

  size_t PaddedCols() const { return rule_.Padded(cols_, block_).value(); }

  const FormatRule& rule_;
  const size_t cols_, block_;
  const size_t row_bytes_, row_scale_bytes_;
  RoundingError* error_ = nullptr;
  std::vector<float> missed_, squares_;  // by slice and column: of the errors, of the weights
  std::vector<uint8_t> encoded_;
  std::vector<uint8_t> scales_;
  std::vector<int8_t> source_row_;  // the one that was read last
  uint64_t row_read_ = UINT64_MAX;
  float source_scale_ = 0;
};

}  // namespace

StoredTensor WriteTensor(const TensorRecipe& recipe, const Encoding& encoding,
                         const Checkpoint& checkpoint, FileWriter& writer,
                         const std::function<void(uint64_t)>& progress,
                         const RoundingErrors& errors) {
  const FormatRule& rule = RuleOf(encoding.format);
  const size_t block = rule.has_blocks ? encoding.block : 0;
  const bool is_vector = recipe.role == TensorRole::kVector;
  const uint64_t rows_per_step = std::max<uint64_t>(1, kElementsPerStep / recipe.cols);
  RowEncoder encoder(rule.format, static_cast<size_t>(recipe.cols), block);
  std::vector<float> values;
  bool takes_codes = false;
  writer.Begin();
  for (size_t i = 0; i < recipe.parts.size(); ++i) {
    const TensorRecipe::Part& part = recipe.parts[i];
    PartReader reader(recipe, part, checkpoint);
    const bool taken = IsTaken(recipe, part, encoding, checkpoint);
    takes_codes = taken && rule.is_codes();
    encoder.BeginPart(taken ? static_cast<size_t>(recipe.SourceShape(part).back()) : 0,
                      errors.empty() ? nullptr : errors[i]);
    const auto take = rule.is_codes()   ? &RowEncoder::TakeCodes
                      : rule.has_blocks ? &RowEncoder::TakeQ4B
                                        : &RowEncoder::TakeQ8;
    for (uint64_t row = 0; row < part.rows; row += rows_per_step) {
      const uint64_t n_rows = std::min(rows_per_step, part.rows - row);
      if (taken) {
        writer.Append((encoder.*take)(checkpoint, part, recipe.ScaleOf(part), row,
                                      static_cast<size_t>(n_rows)));
      } else {
        values.resize(static_cast<size_t>(n_rows * recipe.cols));
        reader.Read(row, values);
        writer.Append(encoder.Encode(values));
      }
      progress(reader.RowBytes() * n_rows);
    }
  }
  const uint64_t rows = recipe.rows();
  StoredTensor stored{rule.format,
                      is_vector ? 1 : rows,
                      is_vector ? rows : recipe.cols,
                      static_cast<uint32_t>(block),
                      writer.End(),
                      {},
                      {}};
  stored.lost = encoder.Lost();
  if (!rule.is_float()) stored.scales = writer.Add(encoder.scales());
  if (rule.is_codes()) {
    stored.tables = takes_codes ? writer.AddShared(BytesOf(PlainLevels(rule.bits)))
                                : writer.AddShared(DefaultTables(rule.bits).bytes());
  }
  return stored;
}

}  // namespace rondo::convert
