// Codes in plain C++.
#include <cstring>

#include "runtime/kernels/codes/code_kernels.h"
#include "runtime/kernels/codes/code_tile.h"

namespace rondo {

namespace {

template <uint32_t kBits>
void Expand(const uint8_t* tile, const CodePairs& levels, size_t k, uint32_t nr, uint32_t kr,
            uint8_t* out) {
  const size_t part = nr * sizeof(float);  // of one q8 tile's sums, scales or biases
  const size_t out_bytes = nr * k + 3 * part;
  size_t input = 0;
  const auto block = [&](const uint8_t* selectors, const uint8_t* codes) {
    for (uint32_t s = 0; s < kBlockSelectors; ++s) {
      for (const bool high : {false, true}) {
        const size_t channel = FirstSelected(s) + (high ? 2 : 0);
        const int8_t* its_levels = levels.levels[selectors[s]][high ? 1 : 0];
        uint8_t* weights = out + channel / nr * out_bytes + part + channel % nr * kr;
        for (size_t i = 0; i < kCodeBlock; ++i) {
          const uint8_t pair = PairOfCodes(codes, kBits, channel / 2, i);
          const uint8_t code = channel % 2 == 0 ? pair & 15 : pair >> 4;
          const size_t at = input + i;
          weights[at / kr * kr * nr + at % kr] = static_cast<uint8_t>(its_levels[code]);
        }
      }
    }
    input += kCodeBlock;
  };
  const uint8_t* scales = ForEachBlock<kBits>(tile + kTileFloats, k, block);
  // A tile of more channels is filled in part.
  const size_t copied = part < kTileFloats ? part : kTileFloats;
  for (size_t at = 0; at < kTileFloats; at += copied, out += out_bytes) {
    std::memcpy(out, tile + at, copied);
    std::memcpy(out + part + nr * k, scales + at, copied);
    std::memcpy(out + part + nr * k + part, scales + kTileFloats + at, copied);
  }
}

}  // namespace

extern const CodeKernels kCodeKernelsPortable;
const CodeKernels kCodeKernelsPortable = {0, {Expand<4>, {}}, {Expand<3>, {}}, {Expand<2>, {}}};

}  // namespace rondo
