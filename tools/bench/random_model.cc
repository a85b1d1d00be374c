#include "tools/bench/random_model.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "runtime/model/tensor_format.h"
#include "tools/common/error.h"
#include "tools/convert/architectures/architecture.h"
#include "tools/convert/output/file_writer.h"
#include "tools/convert/output/level_tables.h"
#include "tools/convert/output/metadata.h"
#include "tools/convert/sources/float_formats.h"
#include "tools/system/environment.h"
#include "tools/system/process.h"

namespace rondo::tools {
namespace {

using convert::DecoderSpec;
using convert::FileWriter;
using convert::StoredTensor;
using convert::TensorRecipe;
using convert::TensorRole;
using format::TensorFormat;

constexpr size_t kPieceBytes = 1u << 20;

// Writes matrices of random values with mean 0 and variance 1 / cols: what goes in with variance 1
// comes out so.
class RandomTensors {
 public:
  explicit RandomTensors(FileWriter& writer) : writer_(writer) {}

  // Vectors and tables are float32 whatever `format` is.
  StoredTensor Write(const TensorRecipe& recipe, TensorFormat format, uint32_t block) {
    const uint64_t rows = recipe.rows(), cols = recipe.cols;
    if (recipe.role == TensorRole::kTable) format = TensorFormat::F32;
    if (recipe.role == TensorRole::kVector) {
      return {TensorFormat::F32, 1, rows, 0, writer_.Add(BytesOf(VectorOf(recipe))), {}, {}};
    }
    const float deviation = 1.0f / std::sqrt(static_cast<float>(cols));
    switch (format) {
      case TensorFormat::F32:
        return {format, rows, cols, 0, WriteFloats(rows * cols, deviation), {}, {}};
      case TensorFormat::Q8: {
        // Odd numbers: without -128, which the format does not have.
        const format::Section data = WriteBytes(rows * cols, 0x0101010101010101);
        const std::vector<float> scales(rows, deviation / kQ8Deviation);
        return {format, rows, cols, 0, data, writer_.Add(BytesOf(scales)), {}};
      }
      case TensorFormat::Q4:
      case TensorFormat::Q3:
      case TensorFormat::Q2: {
        // All bits make codes and selectors, and the tables are symmetric.
        const uint32_t bits = RuleOf(format).bits;
        const uint64_t padded_cols = RuleOf(format).Padded(cols, 0).value();
        const format::Section data = WriteBytes(rows * CodeRowBytes(padded_cols, bits), 0);
        const std::vector<float> scales(rows, deviation / LevelDeviation(bits));
        return {format,
                rows,
                cols,
                0,
                data,
                writer_.Add(BytesOf(scales)),
                writer_.AddShared(convert::DefaultTables(bits).bytes())};
      }
      default: {
        const uint64_t blocks = (cols + block - 1) / block;
        const format::Section data = WriteNibbles(rows, cols, blocks * block);
        // Nibbles are -8 to 7: signs by turns keep the mean of a row at 0.
        const uint16_t scale = convert::ToBfloat16(deviation / kQ4BDeviation);
        std::vector<uint16_t> scales(rows * blocks, scale);
        for (size_t i = 1; i < scales.size(); i += 2) scales[i] ^= 0x8000;
        return {format, rows, cols, block, data, writer_.Add(BytesOf(scales)), {}};
      }
    }
  }

 private:
  static constexpr float kQ8Deviation = 73.9f;   // of the odd numbers from -127 to 127
  static constexpr float kQ4BDeviation = 4.61f;  // of -8 to 7

  // What the recipe makes of values as checkpoints have them about: 1, but 0 of biases and of those
  // that are kept less 1.
  static std::vector<float> VectorOf(const TensorRecipe& recipe) {
    const bool is_zero = recipe.name.ends_with("bias") || recipe.offset != 0;
    const float source = recipe.exponential ? std::exp(1.0f) : is_zero ? 0.0f : 1.0f;
    std::vector<float> vector;
    for (const TensorRecipe::Part& part : recipe.parts) {
      vector.insert(vector.end(), part.rows, source * recipe.scale * part.scale + recipe.offset);
    }
    return vector;
  }

  // Of all levels of all the default tables.
  static float LevelDeviation(uint32_t bits) {
    const convert::LevelTables& tables = convert::DefaultTables(bits);
    float squares = 0;
    for (const auto& table : tables.levels) {
      for (const int8_t level : table) squares += static_cast<float>(level * level);
    }
    return std::sqrt(squares / static_cast<float>(convert::LevelTables::kCount * 2 * tables.half));
  }

  uint64_t Next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_;
  }

  // Random bits, `set` being set in every 8 bytes. Valid until the next call.
  std::span<uint8_t> Fill(size_t bytes, uint64_t set) {
    words_.resize((bytes + 7) / 8);
    for (uint64_t& word : words_) word = Next() | set;
    return {reinterpret_cast<uint8_t*>(words_.data()), bytes};
  }

  // As Fill.
  format::Section WriteBytes(uint64_t count, uint64_t set) {
    writer_.Begin();
    for (uint64_t done = 0; done < count; done += kPieceBytes) {
      writer_.Append(Fill(std::min<uint64_t>(kPieceBytes, count - done), set));
    }
    return writer_.End();
  }

  format::Section WriteFloats(uint64_t count, float deviation) {
    std::vector<float> floats;
    writer_.Begin();
    for (uint64_t done = 0; done < count; done += floats.size()) {
      floats.resize(std::min<uint64_t>(kPieceBytes, count - done));
      const std::span<const uint8_t> bytes = Fill(floats.size(), 0x0101010101010101);
      for (size_t i = 0; i < floats.size(); ++i) {
        floats[i] = static_cast<int8_t>(bytes[i]) * (deviation / kQ8Deviation);
      }
      writer_.Append(BytesOf(floats));
    }
    return writer_.End();
  }

  format::Section WriteNibbles(uint64_t rows, uint64_t cols, uint64_t padded_cols) {
    constexpr uint8_t kZeros = 0x88, kUpperZero = 0x80, kLower = 0x0f;
    const size_t row_bytes = padded_cols / 2, used = (cols + 1) / 2;
    const uint64_t rows_per_piece = std::max<uint64_t>(1, kPieceBytes / row_bytes);
    writer_.Begin();
    for (uint64_t row = 0; row < rows; row += rows_per_piece) {
      const size_t count = std::min(rows_per_piece, rows - row);
      const std::span<uint8_t> piece = Fill(count * row_bytes, 0);
      for (size_t i = 0; cols < padded_cols && i < count; ++i) {
        uint8_t* const end = piece.data() + i * row_bytes + used;
        std::memset(end, kZeros, row_bytes - used);
        if (cols % 2 == 1) end[-1] = static_cast<uint8_t>((end[-1] & kLower) | kUpperZero);
      }
      writer_.Append(piece);
    }
    return writer_.End();
  }

  FileWriter& writer_;
  uint64_t state_ = 0x9e3779b97f4a7c15;
  std::vector<uint64_t> words_;
};

}  // namespace

BenchModel MakeRandomModel(const Shape& shape, const RandomModelOptions& options) {
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::temp_directory_path(error);
  if (error)
    Fail("there is no folder for the random model: ", error.message(), " (set ", kTemporaryVariable,
         ")");
  const DecoderSpec spec = convert::ReadArchitecture(shape.config);
  FileWriter writer(folder / ("rondo-bench-" + std::to_string(ProcessId())));
  RandomTensors tensors(writer);
  const TensorFormat weights = convert::FormatNamed(options.weights);
  const TensorFormat vocabulary = convert::FormatNamed(options.embedding);
  std::vector<StoredTensor> stored;
  for (const TensorRecipe& recipe : spec.tensors) {
    const bool is_vocabulary = recipe.role == TensorRole::kEmbedding;
    stored.push_back(tensors.Write(recipe, is_vocabulary ? vocabulary : weights, options.block));
  }
  const convert::Facts facts = {{"values", "random"},
                                {"weights", convert::FormatFact(weights, options.block)},
                                {"embedding", convert::FormatFact(vocabulary, options.block)}};
  flatbuffers::FlatBufferBuilder builder;
  convert::BuildMetadata(shape.name, spec, facts, stored, writer.sections(), {}, builder);
  writer.Finish({builder.GetBufferPointer(), builder.GetSize()});
  // Without ever getting its name: the mapping outlives the file.
  return OpenBenchModel(writer.unfinished_path().string());
}

}  // namespace rondo::tools
