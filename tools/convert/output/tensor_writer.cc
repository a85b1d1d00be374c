#include "tools/convert/output/tensor_writer.h"

#include <algorithm>
#include <cmath>

#include "platforms/cpu.h"
#include "runtime/base/checked.h"
#include "runtime/model/packed_layout.h"
#include "tools/convert/common/fail.h"
#include "tools/convert/common/parallel.h"
#include "tools/convert/output/codes.h"
#include "tools/convert/output/level_tables.h"
#include "tools/convert/output/part_reader.h"
#include "tools/convert/output/quantize.h"
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
      : format_(format), cols_(cols), block_(block) {}

  // Of the part whose rows come from now on: the columns of its rows in the checkpoint. What is
  // done to them is added to `error`, unless it is null.
  void BeginPart(size_t source_cols, RoundingError* error) {
    source_row_.resize(source_cols);
    row_read_ = UINT64_MAX;
    error_ = error;
  }

  // `rows`: whole rows. The result is valid until the next call.
  std::span<const uint8_t> Encode(std::span<const float> rows) {
    if (format_ == TensorFormat::F32) {
      return BytesOf(rows);
    }
    const size_t n_rows = rows.size() / cols_;
    const size_t row_bytes = RowBytes();
    const bool is_q4b = format_ == TensorFormat::Q4B;
    const size_t blocks = is_q4b ? CeilDiv(cols_, block_) : 0;
    const size_t first_row_scale = row_scales_.size(), first_q4b_scale = q4b_scales_.size();
    encoded_.resize(n_rows * row_bytes);
    row_scales_.resize(first_row_scale + (is_q4b ? 0 : n_rows));
    q4b_scales_.resize(first_q4b_scale + n_rows * blocks);
    std::vector<RoundingError> errors(n_rows);
    missed_.resize(kSlices * cols_);
    squares_.resize(kSlices * cols_);
    const auto encode = [&](size_t i, float* missed_in, float* squares_in) {
      const std::span<const float> row = rows.subspan(i * cols_, cols_);
      uint8_t* data = encoded_.data() + i * row_bytes;
      // weight_of(column): what the row's weights have become.
      const auto compare = [&](const auto& weight_of) {
        for (size_t c = 0; c < cols_; ++c) {
          const double missed = double{row[c]} - double{weight_of(c)};
          errors[i].squares += missed * missed;
          errors[i].weights += double{row[c]} * double{row[c]};
          missed_in[c] += static_cast<float>(missed * missed);
          squares_in[c] += row[c] * row[c];
        }
      };
      if (format_ == TensorFormat::Q8) {
        const auto* integers = reinterpret_cast<int8_t*>(data);
        const float scale = QuantizeQ8(row, reinterpret_cast<int8_t*>(data));
        row_scales_[first_row_scale + i] = scale;
        compare([&](size_t c) { return static_cast<float>(integers[c]) * scale; });
      } else if (IsCodes(format_)) {
        const LevelTables& tables = DefaultTables(CodeBits(format_));
        std::vector<uint8_t> codes(cols_), selectors(CeilDiv(cols_, size_t{kCodeBlock}));
        const float scale = QuantizeCodes(row, tables, codes.data(), selectors.data());
        row_scales_[first_row_scale + i] = scale;
        PackCodes(codes, selectors, tables.bits, data);
        compare([&](size_t c) {
          return static_cast<float>(tables.levels[selectors[c / kCodeBlock]][codes[c]]) * scale;
        });
      } else {
        const uint16_t* scales = q4b_scales_.data() + first_q4b_scale + i * blocks;
        QuantizeQ4B(row, block_, data, q4b_scales_.data() + first_q4b_scale + i * blocks);
        compare([&](size_t c) {
          const int code = data[c / 2] >> c % 2 * 4 & 15;
          return static_cast<float>(code - 8) * FromBfloat16(scales[c / block_]);
        });
      }
    };
    ParallelFor(PerformanceCores(), kSlices, [&](size_t slice) {
      for (size_t i = slice; i < n_rows; i += kSlices) {
        encode(i, &missed_[slice * cols_], &squares_[slice * cols_]);
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
    const size_t first_scale = q4b_scales_.size();
    encoded_.resize(n_rows * cols_ / 2);
    q4b_scales_.resize(first_scale + n_rows * cols_ / block_);
    checkpoint.ReadQ4B(part.source, part.first_row + row, n_rows, encoded_.data(),
                       q4b_scales_.data() + first_scale);
    for (size_t i = first_scale; i < q4b_scales_.size(); ++i) {
      uint16_t& scale = q4b_scales_[i];
      scale = ToBfloat16(factor * FromBfloat16(scale));
      CheckScale(checkpoint, part, part.first_row + row + (i - first_scale) / (cols_ / block_),
                 FromBfloat16(scale));
    }
    return encoded_;
  }

  std::span<const uint8_t> TakeQ8(const Checkpoint& checkpoint, const TensorRecipe::Part& part,
                                  float factor, uint64_t row, size_t n_rows) {
    encoded_.resize(n_rows * cols_);
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
      row_scales_.push_back(std::fabs(scale));
    }
    return encoded_;
  }

  std::span<const uint8_t> TakeCodes(const Checkpoint& checkpoint, const TensorRecipe::Part& part,
                                     float factor, uint64_t row, size_t n_rows) {
    const uint32_t bits = CodeBits(format_);
    const size_t row_bytes = RowBytes();
    encoded_.resize(n_rows * row_bytes);
    std::vector<int8_t> integers(cols_);
    std::vector<uint8_t> codes(cols_);
    const std::vector<uint8_t> selectors(CeilDiv(cols_, size_t{kCodeBlock}));
    for (size_t i = 0; i < n_rows; ++i) {
      const float scale = factor * ReadIntegers(checkpoint, part, row + i, integers);
      CheckScale(checkpoint, part, SourceRow(part, row + i), scale);
      row_scales_.push_back(scale);
      std::ranges::transform(integers, codes.begin(), [&](int8_t integer) {
        return static_cast<uint8_t>(integer + (1 << (bits - 1)));
      });
      PackCodes(codes, selectors, bits, &encoded_[i * row_bytes]);
    }
    return encoded_;
  }

  // Of all rows so far.
  std::span<const uint8_t> scales() const {
    return format_ == TensorFormat::Q4B ? BytesOf(q4b_scales_) : BytesOf(row_scales_);
  }

 private:
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

  size_t RowBytes() const {
    if (format_ == TensorFormat::Q8) return cols_;
    if (IsCodes(format_)) {
      return CodeRowBytes(RoundUp(cols_, size_t{kCodePadding}), CodeBits(format_));
    }
    return RoundUp(cols_, block_) / 2;
  }

  const TensorFormat format_;
  const size_t cols_, block_;
  RoundingError* error_ = nullptr;
  std::vector<float> missed_, squares_;  // by slice and column: of the errors, of the weights
  std::vector<uint8_t> encoded_;
  std::vector<float> row_scales_;  // of Q8 and codes
  std::vector<uint16_t> q4b_scales_;
  std::vector<int8_t> source_row_;  // the one that was read last
  uint64_t row_read_ = UINT64_MAX;
  float source_scale_ = 0;
};

}  // namespace

StoredTensor WriteTensor(const TensorRecipe& recipe, const Encoding& encoding,
                         const Checkpoint& checkpoint, FileWriter& writer,
                         const std::function<void(uint64_t)>& progress,
                         const RoundingErrors& errors) {
  const auto [format, block] = encoding;
  const bool is_vector = recipe.role == TensorRole::kVector;
  const uint64_t rows_per_step = std::max<uint64_t>(1, kElementsPerStep / recipe.cols);
  RowEncoder encoder(format, static_cast<size_t>(recipe.cols), block);
  std::vector<float> values;
  bool takes_codes = false;
  writer.Begin();
  for (size_t i = 0; i < recipe.parts.size(); ++i) {
    const TensorRecipe::Part& part = recipe.parts[i];
    PartReader reader(recipe, part, checkpoint);
    const bool taken = IsTaken(recipe, part, encoding, checkpoint);
    takes_codes = taken && IsCodes(format);
    encoder.BeginPart(taken ? static_cast<size_t>(recipe.SourceShape(part).back()) : 0,
                      errors.empty() ? nullptr : errors[i]);
    const auto take = takes_codes                   ? &RowEncoder::TakeCodes
                      : format == TensorFormat::Q4B ? &RowEncoder::TakeQ4B
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
  StoredTensor stored{format,
                      is_vector ? 1 : rows,
                      is_vector ? rows : recipe.cols,
                      format == TensorFormat::Q4B ? block : 0,
                      writer.End(),
                      {},
                      {}};
  stored.lost = encoder.Lost();
  if (format != TensorFormat::F32) stored.scales = writer.Add(encoder.scales());
  if (IsCodes(format)) {
    const uint32_t bits = CodeBits(format);
    stored.tables = takes_codes ? writer.AddShared(BytesOf(PlainLevels(bits)))
                                : writer.AddShared(DefaultTables(bits).bytes());
  }
  return stored;
}

}  // namespace rondo::convert
