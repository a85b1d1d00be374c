#include "tools/convert/output/tensor_writer.h"

#include <algorithm>
#include <cmath>

#include "platforms/cpu.h"
#include "runtime/base/checked.h"
#include "runtime/model/packed_layout.h"
#include "tools/convert/common/parallel.h"
#include "tools/convert/output/codes.h"
#include "tools/convert/output/level_tables.h"
#include "tools/convert/output/quantize.h"
#include "tools/convert/sources/float_formats.h"

namespace rondo::convert {
namespace {

using format::TensorFormat;
constexpr uint64_t kElementsPerStep = 1u << 20;

// Turns rows into the bytes of one format.
class RowEncoder {
 public:
  // Adds to `error`, unless it is null.
  RowEncoder(TensorFormat format, size_t cols, size_t block, RoundingError* error)
      : format_(format), cols_(cols), block_(block), error_(error) {}

  // Of the part that is to be taken from now on: the columns of its rows in the checkpoint.
  void BeginPart(size_t source_cols) {
    source_row_.resize(source_cols);
    row_read_ = UINT64_MAX;
  }

  // `rows`: whole rows. The result is valid until the next call.
  std::span<const uint8_t> Encode(std::span<const float> rows) {
    RoundingError* const error = error_;
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
    ParallelFor(PerformanceCores(), n_rows, [&](size_t i) {
      const std::span<const float> row = rows.subspan(i * cols_, cols_);
      uint8_t* data = encoded_.data() + i * row_bytes;
      // weight_of(column): what the row's weights have become.
      const auto compare = [&](const auto& weight_of) {
        if (error == nullptr) return;
        for (size_t c = 0; c < cols_; ++c) {
          const double missed = double{row[c]} - double{weight_of(c)};
          errors[i].squares += missed * missed;
          errors[i].weights += double{row[c]} * double{row[c]};
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
    });
    for (const RoundingError& of_row : errors) {
      if (error == nullptr) break;
      error->squares += of_row.squares;
      error->weights += of_row.weights;
    }
    return encoded_;
  }

  // The same for rows [row, row + n_rows) of a part that IsTaken(): as they are, times `factor`.
  std::span<const uint8_t> TakeQ4B(const Checkpoint& checkpoint, const TensorRecipe::Part& part,
                                   float factor, uint64_t row, size_t n_rows) {
    const size_t first_scale = q4b_scales_.size();
    encoded_.resize(n_rows * cols_ / 2);
    q4b_scales_.resize(first_scale + n_rows * cols_ / block_);
    checkpoint.ReadQ4B(part.source, part.first_row + row, n_rows, encoded_.data(),
                       q4b_scales_.data() + first_scale);
    for (uint16_t& scale : std::span(q4b_scales_).subspan(first_scale)) {
      scale = ToBfloat16(factor * FromBfloat16(scale));
    }
    return encoded_;
  }

  std::span<const uint8_t> TakeQ8(const Checkpoint& checkpoint, const TensorRecipe::Part& part,
                                  float factor, uint64_t row, size_t n_rows) {
    encoded_.resize(n_rows * cols_);
    for (size_t i = 0; i < n_rows; ++i) {
      const std::span<int8_t> data(reinterpret_cast<int8_t*>(&encoded_[i * cols_]), cols_);
      const float scale = factor * ReadIntegers(checkpoint, part, row + i, data);
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
      const float scale = ReadIntegers(checkpoint, part, row + i, integers);
      row_scales_.push_back(factor * scale);
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
  // A row, which may be a piece of one in the checkpoint. Returns its scale.
  float ReadIntegers(const Checkpoint& checkpoint, const TensorRecipe::Part& part, uint64_t row,
                     std::span<int8_t> out) {
    const size_t pieces = source_row_.size() / cols_;
    const uint64_t piece = part.first_row + row;
    if (row_read_ != piece / pieces) {
      row_read_ = piece / pieces;
      source_scale_ = checkpoint.ReadIntegers(part.source, row_read_, source_row_);
    }
    std::copy_n(&source_row_[piece % pieces * cols_], cols_, out.data());
    return source_scale_;
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
  RoundingError* const error_;
  std::vector<uint8_t> encoded_;
  std::vector<float> row_scales_;  // of Q8 and codes
  std::vector<uint16_t> q4b_scales_;
  std::vector<int8_t> source_row_;  // the one that was read last
  uint64_t row_read_ = UINT64_MAX;
  float source_scale_ = 0;
};

// The rows of one part, some at a time, as the recipe wants them.
class PartReader {
 public:
  PartReader(const TensorRecipe& recipe, const TensorRecipe::Part& part,
             const Checkpoint& checkpoint)
      : recipe_(recipe),
        part_(part),
        checkpoint_(checkpoint),
        entry_(part.source.empty() ? nullptr
                                   : &checkpoint.Find(part.source, recipe.SourceShape(part))) {
    if (recipe.factor) ReadFactor();
    if (!recipe.transposed) return;
    // Whole: its rows are columns of what the checkpoint holds.
    whole_.resize(recipe.cols * entry_->shape.back());
    checkpoint.Read(part.source,
                    (part.matrix * recipe.cols + part.first_col) * entry_->shape.back(), whole_);
  }

  // In the checkpoint.
  uint64_t RowBytes() const {
    return entry_ == nullptr ? 0 : entry_->bytes / (entry_->elements() / recipe_.source_cols());
  }

  void Read(uint64_t row, std::span<float> out) {
    const uint64_t cols = recipe_.cols;
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
    if (recipe_.IsOnlyScaled() && recipe_.ScaleOf(part_) == 1) return;
    for (float& value : out) {
      if (recipe_.exponential) value = std::exp(value);
      value = value * recipe_.ScaleOf(part_) + recipe_.offset;
    }
  }

 private:
  // As [inner, cols], whichever way the checkpoint has it.
  void ReadFactor() {
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

  void ReadMultiplied(uint64_t first, std::span<float> out) {
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

  const TensorRecipe& recipe_;
  const TensorRecipe::Part& part_;
  const Checkpoint& checkpoint_;
  const Checkpoint::Entry* const entry_;
  std::vector<float> whole_, between_;
  std::vector<float> factor_;  // [inner, cols]
};

}  // namespace

std::vector<float> ReadPart(const TensorRecipe& recipe, const TensorRecipe::Part& part,
                            const Checkpoint& checkpoint) {
  return ReadRows(recipe, part, 0, part.rows, checkpoint);
}

std::vector<float> ReadRows(const TensorRecipe& recipe, const TensorRecipe::Part& part,
                            uint64_t row, uint64_t n_rows, const Checkpoint& checkpoint) {
  std::vector<float> values(static_cast<size_t>(n_rows * recipe.cols));
  PartReader(recipe, part, checkpoint).Read(row, values);
  return values;
}

StoredTensor WriteTensor(const TensorRecipe& recipe, const Encoding& encoding,
                         const Checkpoint& checkpoint, FileWriter& writer,
                         const std::function<void(uint64_t)>& progress, RoundingError* error) {
  const auto [format, block] = encoding;
  const bool is_vector = recipe.role == TensorRole::kVector;
  const uint64_t rows_per_step = std::max<uint64_t>(1, kElementsPerStep / recipe.cols);
  RowEncoder encoder(format, static_cast<size_t>(recipe.cols), block, error);
  std::vector<float> values;
  bool takes_codes = false;
  writer.Begin();
  for (const TensorRecipe::Part& part : recipe.parts) {
    PartReader reader(recipe, part, checkpoint);
    const bool taken = IsTaken(recipe, part, encoding, checkpoint);
    takes_codes = taken && IsCodes(format);
    if (taken) encoder.BeginPart(static_cast<size_t>(recipe.SourceShape(part).back()));
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
  if (format != TensorFormat::F32) stored.scales = writer.Add(encoder.scales());
  if (IsCodes(format)) {
    const uint32_t bits = CodeBits(format);
    stored.tables = takes_codes ? writer.AddShared(BytesOf(PlainLevels(bits)))
                                : writer.AddShared(DefaultTables(bits).bytes());
  }
  return stored;
}

}  // namespace rondo::convert
