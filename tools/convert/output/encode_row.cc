#include "tools/convert/output/encode_row.h"

#include <cstring>
#include <iterator>
#include <vector>

#include "runtime/base/checked.h"
#include "runtime/model/packed_layout.h"
#include "tools/convert/output/codes.h"
#include "tools/convert/output/level_tables.h"
#include "tools/convert/output/quantize.h"
#include "tools/convert/sources/float_formats.h"

namespace rondo::convert {
namespace {

using Row = std::span<const float>;
using Weights = std::span<float>;
using Encoder = void (*)(size_t block, Row row, uint8_t* data, uint8_t* scales, Weights weights);

void EncodeQ8(size_t, Row row, uint8_t* data, uint8_t* scales, Weights weights) {
  auto* const integers = reinterpret_cast<int8_t*>(data);
  const float scale = QuantizeQ8(row, integers);
  std::memcpy(scales, &scale, sizeof scale);
  for (size_t c = 0; c < row.size(); ++c) weights[c] = static_cast<float>(integers[c]) * scale;
}

void EncodeQ4B(size_t block, Row row, uint8_t* data, uint8_t* scales, Weights weights) {
  std::vector<uint16_t> its(CeilDiv(row.size(), block));
  QuantizeQ4B(row, block, data, its.data());
  std::memcpy(scales, its.data(), its.size() * sizeof(uint16_t));
  for (size_t c = 0; c < row.size(); ++c) {
    const int code = data[c / 2] >> c % 2 * 4 & 15;
    weights[c] = static_cast<float>(code - 8) * FromBfloat16(its[c / block]);
  }
}

template <uint32_t kBits>
void EncodeCodes(size_t, Row row, uint8_t* data, uint8_t* scales, Weights weights) {
  const LevelTables& tables = DefaultTables(kBits);
  std::vector<uint8_t> codes(row.size()), selectors(CeilDiv(row.size(), size_t{kCodeBlock}));
  const float scale = QuantizeCodes(row, tables, codes.data(), selectors.data());
  std::memcpy(scales, &scale, sizeof scale);
  PackCodes(codes, selectors, kBits, data);
  for (size_t c = 0; c < row.size(); ++c) {
    weights[c] = static_cast<float>(tables.levels[selectors[c / kCodeBlock]][codes[c]]) * scale;
  }
}

// By number, from F32 on.
constexpr Encoder kEncoders[] = {
    nullptr, EncodeQ8, EncodeQ4B, EncodeCodes<4>, EncodeCodes<3>, EncodeCodes<2>,
};
static_assert(std::size(kEncoders) == static_cast<size_t>(format::TensorFormat::MAX));

}  // namespace

void EncodeRow(format::TensorFormat format, size_t block, Row row, uint8_t* data, uint8_t* scales,
               Weights weights) {
  kEncoders[static_cast<size_t>(format) - 1](block, row, data, scales, weights);
}

}  // namespace rondo::convert
