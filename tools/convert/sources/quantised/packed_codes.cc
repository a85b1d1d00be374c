#include "tools/convert/sources/quantised/packed_codes.h"

#include <algorithm>
#include <cstring>

#include "runtime/base/checked.h"
#include "tools/convert/common/fail.h"
#include "tools/convert/sources/float_formats.h"

namespace rondo::convert {

std::vector<uint8_t> Transposed(std::span<const uint8_t> words, uint64_t rows, uint64_t cols) {
  constexpr uint64_t kBlock = 16;  // of words: a cache line
  constexpr size_t kWord = sizeof(uint32_t);
  std::vector<uint8_t> out(words.size());
  for (uint64_t r0 = 0; r0 < rows; r0 += kBlock) {
    for (uint64_t c = 0; c < cols; ++c) {
      for (uint64_t r = r0; r < std::min(rows, r0 + kBlock); ++r) {
        std::memcpy(&out[(c * rows + r) * kWord], &words[(r * cols + c) * kWord], kWord);
      }
    }
  }
  return out;
}

std::vector<float> Transposed(const std::vector<float>& values, uint64_t a, uint64_t b) {
  std::vector<float> out(values.size());
  for (uint64_t i = 0; i < a; ++i) {
    for (uint64_t j = 0; j < b; ++j) out[j * a + i] = values[i * b + j];
  }
  return out;
}

RowBytes RowsOf(const FolderTensors& tensors, const std::string& name, uint64_t rows) {
  const FolderTensors::Place place = tensors.all().at(name);
  std::vector<uint8_t> bytes(static_cast<size_t>(place.tensor->bytes / rows));
  return [place, bytes = std::move(bytes)](uint64_t row) mutable {
    place.file->ReadBytes(*place.tensor, row * bytes.size(), bytes);
    return std::span<const uint8_t>(bytes);
  };
}

RowBytes RowsOf(std::vector<uint8_t> bytes, uint64_t rows) {
  return [bytes = std::move(bytes), rows](uint64_t row) {
    return std::span<const uint8_t>(bytes).subspan(row * (bytes.size() / rows),
                                                   bytes.size() / rows);
  };
}

ReadIntegersOfRow IntegersOf(ScaledRows matrix) {
  return
      [matrix = std::move(matrix)](uint64_t row, std::span<int8_t> out, std::span<float> scales) {
        const std::span<const uint8_t> packed = matrix.codes(row);
        const int zero = static_cast<int>(matrix.zero);
        for (size_t i = 0; i < out.size(); ++i) {
          out[i] = static_cast<int8_t>(static_cast<int>(BitsAt(packed, i, matrix.bits)) - zero);
        }
        std::copy_n(&matrix.scales[row * matrix.groups], scales.size(), scales.data());
      };
}

ReadRow Fp4Rows(const RowBytes& codes, const RowBytes& scales,
                const std::function<float(uint8_t)>& scale_of) {
  return [=](uint64_t row, std::span<float> out) {
    const std::span<const uint8_t> packed = codes(row), groups = scales(row);
    const size_t size = out.size() / groups.size();
    for (size_t g = 0; g < groups.size(); ++g) {
      const float scale = scale_of(groups[g]);
      for (size_t i = g * size; i < (g + 1) * size; ++i) {
        out[i] = kE2M1[BitsAt(packed, i, 4)] * scale;
      }
    }
  };
}

std::vector<uint32_t> ReadGroups(const FolderTensors& tensors, const std::string& indices,
                                 uint64_t groups) {
  const std::vector<uint8_t> bytes = tensors.Bytes(indices);
  std::vector<uint32_t> group_of(bytes.size() / sizeof(uint32_t));
  if (!bytes.empty()) std::memcpy(group_of.data(), bytes.data(), bytes.size());
  constexpr uint32_t kNone = -1u;
  if (std::ranges::find(group_of, kNone) != group_of.end()) return {};
  for (size_t i = 0; i < group_of.size(); ++i) {
    if (group_of[i] >= groups) {
      Fail(tensors.Called(indices), " holds ", static_cast<int32_t>(group_of[i]), " at index ", i,
           ", expected a group from 0 to ", groups - 1);
    }
  }
  return group_of;
}

bool AreInOrder(const std::vector<uint32_t>& group_of, uint64_t group_size) {
  for (size_t i = 0; i < group_of.size(); ++i) {
    if (group_of[i] != i / group_size) return false;
  }
  return true;
}

std::optional<uint64_t> GroupSize(const Config& config, const char* key, uint64_t cols) {
  constexpr uint64_t kMost = uint64_t{1} << 31;
  if (!config.Has(key)) return std::nullopt;
  return config.Number(key) == -1 ? cols : config.Integer(key, 1, kMost);
}

uint64_t CheckGroups(const FolderTensors& tensors, const std::string& scales, const Config& config,
                     const char* key, uint64_t cols, bool any) {
  const uint64_t groups = tensors.all().at(scales).tensor->shape[0];
  const std::optional<uint64_t> size = GroupSize(config, key, cols);
  if (size && CeilDiv(cols, *size) != groups) {
    Fail(tensors.Called(scales), " has ", groups, " groups of ", cols,
         " columns, but the config's ", key, " is ", config.object()[key].dump());
  }
  if (!size && !any && cols % groups != 0) {
    Fail(tensors.Called(scales), " has ", groups, " groups, of which ", cols,
         " columns are no whole ones");
  }
  return size ? *size : CeilDiv(cols, groups);
}

std::vector<uint8_t> WithoutGaps(std::span<const uint8_t> words, uint64_t count, uint32_t bits) {
  constexpr size_t kWord = sizeof(uint32_t);
  const uint64_t per_word = 32 / bits;
  std::vector<uint8_t> out(CeilDiv(count * bits, uint64_t{8}));
  for (uint64_t i = 0; i < count; ++i) {
    uint32_t word;
    std::memcpy(&word, &words[i / per_word * kWord], kWord);
    const uint32_t code = word >> i % per_word * bits & ((1u << bits) - 1);
    const uint64_t at = i * bits / 8, shift = i * bits % 8;
    out[at] = static_cast<uint8_t>(out[at] | code << shift);
    if (shift + bits > 8) out[at + 1] = static_cast<uint8_t>(code >> (8 - shift));
  }
  return out;
}

RowBytes WithoutGaps(RowBytes words, uint64_t count, uint32_t bits) {
  return [words = std::move(words), count, bits,
          row_of = std::vector<uint8_t>()](uint64_t row) mutable {
    row_of = WithoutGaps(words(row), count, bits);
    return std::span<const uint8_t>(row_of);
  };
}

ScaledRows ScaledRowsOf(const FolderTensors& tensors, const std::string& codes,
                        const std::string& scales, uint64_t rows, uint64_t groups, uint32_t bits) {
  ScaledRows matrix;
  matrix.codes = RowsOf(tensors, codes, rows);
  matrix.bits = bits;
  matrix.groups = groups;
  matrix.scales = tensors.Scales(scales);
  return matrix;
}

void ScaledRows::operator()(uint64_t row, std::span<float> out) const {
  const std::span<const uint8_t> packed = codes(row);
  const uint64_t size = group_size > 0 ? group_size : out.size() / groups;
  for (size_t i = 0; i < out.size(); ++i) {
    const uint64_t at = row * groups + (group_of.empty() ? i / size : group_of[i]);
    const float code = static_cast<float>(BitsAt(packed, i, bits));
    out[i] = (code - (zeros.empty() ? zero : zeros[at])) * scales[at];
    if (!biases.empty()) out[i] += biases[at];
  }
}

}  // namespace rondo::convert
