#include "runtime/model/tensor_format.h"

#include <array>
#include <iterator>

#include "runtime/base/finite.h"

namespace rondo {
namespace {

using format::TensorFormat;
using Bytes = std::span<const uint8_t>;
using Tile = PackedLayout::Tile;

bool AllAreFinite(Bytes tile, size_t, size_t) { return AllFinite(tile); }

// Those of scales and a bias at the end.
bool EndIsFinite(Bytes tile, size_t nr, size_t) {
  return AllFinite(tile.last(2 * nr * sizeof(float)));
}

// Those of sums, of a bias at the end, and of the scales behind each block.
bool BlocksAreFinite(Bytes tile, size_t nr, size_t block) {
  const size_t floats = nr * sizeof(float), scales = nr * sizeof(uint16_t);
  if (!AllFinite(tile.first(floats)) || !AllFinite(tile.last(floats))) return false;
  const size_t block_bytes = nr * block / 2 + scales;
  for (size_t at = floats; at + block_bytes <= tile.size(); at += block_bytes) {
    if (!AllFiniteBfloat16(tile.subspan(at, block_bytes).last(scales))) return false;
  }
  return true;
}

template <uint32_t kBits>
constexpr FormatRule CodesRule(TensorFormat format, const char* name) {
  return {.format = format,
          .name = name,
          .bits = kBits,
          .padding = kCodePadding,
          .tables_bytes = kCodeTablesBytes,
          .row_bytes = [](uint64_t k) -> CheckedSize { return CodeRowBytes(k, kBits); },
          .tile =
              [](const PackedLayout&) {
                return Tile{kCodeChannels, 1};
              },
          .tile_bytes =
              [](Tile, uint64_t k, uint64_t) {
                return CheckedSize(CeilDiv<uint64_t>(k, kCodeGroup)) * kGroupSelectors +
                       CheckedSize(k / kCodeBlock) * BlockCodes(kBits) +
                       kCodeChannels * (sizeof(int32_t) + 2 * sizeof(float));
              },
          .is_finite = EndIsFinite};
}

constexpr FormatRule kRules[] = {
    {.format = TensorFormat::F32,
     .name = "f32",
     .bits = 32,
     .scale_bytes = 0,
     .row_bytes = [](uint64_t k) { return CheckedSize(k) * sizeof(float); },
     .tile = [](const PackedLayout& layout) { return layout.f32; },
     .tile_bytes =
         [](Tile tile, uint64_t k, uint64_t) {
           return CheckedSize(tile.nr) * ((CheckedSize(k) + 1) * sizeof(float));
         },
     .is_finite = AllAreFinite},
    {.format = TensorFormat::Q8,
     .name = "q8",
     .bits = 8,
     .row_bytes = [](uint64_t k) { return CheckedSize(k); },
     .tile = [](const PackedLayout& layout) { return layout.q8; },
     .tile_bytes =
         [](Tile tile, uint64_t k, uint64_t) {
           return CheckedSize(tile.nr) *
                  (CheckedSize(k).AlignUp(tile.kr) + sizeof(int32_t) + 2 * sizeof(float));
         },
     .is_finite = EndIsFinite},
    CodesRule<4>(TensorFormat::Q4, "q4"),
    CodesRule<3>(TensorFormat::Q3, "q3"),
    CodesRule<2>(TensorFormat::Q2, "q2"),
    {.format = TensorFormat::Q4B,
     .name = "q4b",
     .bits = 4,
     .has_blocks = true,
     .scale_bytes = 2,
     .row_bytes = [](uint64_t k) { return CheckedSize(k / 2); },
     .tile = [](const PackedLayout& layout) { return layout.q4b; },
     .tile_bytes =
         [](Tile tile, uint64_t k, uint64_t block) {
           return CheckedSize(tile.nr) *
                  (CheckedSize(k / block) * (block / 2 + sizeof(uint16_t)) + 2 * sizeof(float));
         },
     .is_finite = BlocksAreFinite},
};
static_assert(std::size(kRules) == static_cast<size_t>(TensorFormat::MAX));

// Their rows by number.
constexpr auto kRuleOf = [] {
  std::array<const FormatRule*, std::size(kRules) + 1> rules = {};
  for (const FormatRule& rule : kRules) rules[static_cast<size_t>(rule.format)] = &rule;
  return rules;
}();

}  // namespace

std::span<const FormatRule> FormatRules() { return kRules; }

const FormatRule* FindFormat(TensorFormat format) {
  const auto i = static_cast<size_t>(format);
  return i < kRuleOf.size() ? kRuleOf[i] : nullptr;
}

}  // namespace rondo
