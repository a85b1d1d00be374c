// KernelSet: the microkernels of one instruction set, chosen once per engine.
//
// This folder is the only one that knows XNNPACK; its headers do not show it. Microkernel
// pointers have plain types here, and the tables in sets/ give them their values.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace rondo {

// How one row of activations was quantised: real = (q - zero_point) * scale. Where a kernel set has
// quantize_unsigned the row holds q + 128.
struct RowQuant {
  int32_t zero_point;
  float scale;
};

// XNNPACK may read this many bytes past the end of an input.
inline constexpr size_t kOverRead = 128;

// Rows of int8 inputs lie `stride` bytes apart. Where a kernel set has rows_in_pairs, two share
// 2 * stride bytes: kPairInputs inputs of the even row, as many of the next one, and so on.
inline constexpr size_t kPairInputs = 8;
// The rows that there is memory for, whatever the kernel set.
constexpr size_t HeldRows(size_t rows) { return rows + rows % 2; }

// Rows of a tile, at most.
inline constexpr size_t kMaxTileRows = 8;

// A family of GEMM microkernels over one packed layout: output channels in tiles of nr, inputs in
// groups of kr. All members give the same bits for the same row (tests/runtime/kernels).
template <typename Function>
struct TileKernels {
  // Microkernels by the most rows that they take, ascending.
  struct ByRows {
    struct {
      uint32_t rows;
      Function kernel;
    } tiles[4];
    // The smallest kernel for m rows, 1 <= m <= max_rows.
    Function operator[](size_t m) const {
      size_t i = 0;
      while (tiles[i].rows < m) ++i;
      return tiles[i].kernel;
    }
  };

  uint32_t nr;
  uint32_t kr;
  uint32_t max_rows;
  ByRows by_rows;
  // That of max_rows for weights which a call before brought into the cache; null: the same.
  Function cached = nullptr;
};

// out[m, n] = sum_k in[m, k] * w[n, k] (+ bias[n]). k and strides in bytes; k counts the input's.
using QuantizedGemm = void (*)(size_t rows, size_t channels, size_t k, const int8_t* in,
                               size_t in_stride, const void* packed, float* out, size_t out_stride,
                               size_t out_tile_stride, const void* params, const RowQuant* quant);
// The same of many rows, of which it takes some first ones, and says how many: stride in floats.
using ManyRowsGemm = size_t (*)(size_t rows, size_t channels, size_t k, const int8_t* in,
                                size_t in_stride, const uint8_t* packed, float* out,
                                size_t out_stride, const RowQuant* quant);
// scores[row, token] of up to kMaxTileRows rows and keys that lie as the set's key kernels want
// them, with their bits: strides as in ManyRowsGemm. Reads `ahead_bytes` of what is wanted next
// meanwhile.
using FewScores = void (*)(size_t rows, size_t tokens, size_t k, const int8_t* in, size_t in_stride,
                           const uint8_t* keys, const uint8_t* ahead, size_t ahead_bytes,
                           float* scores, size_t stride, const RowQuant* quant);
using FloatGemm = void (*)(size_t rows, size_t channels, size_t k, const float* in,
                           size_t in_stride, const void* packed, float* out, size_t out_stride,
                           size_t out_tile_stride, const void* params);

// The RowQuants of `rows` rows, the last one repeated: a kernel for more rows than there are
// computes the last row again and stores it over itself.
struct TileQuants {
  RowQuant quant[kMaxTileRows];
  TileQuants(const RowQuant* first, size_t rows) {
    for (size_t m = 0; m < kMaxTileRows; ++m) quant[m] = first[m < rows ? m : rows - 1];
  }
};

// Channels of a head that are rotated together, at most.
inline constexpr size_t kMostRotated = 128;

// Columns of a recurrent state that are handled together.
inline constexpr size_t kStateColumns = 16;

// The numbers of xIELU: for x > 0 positive * x^2 + beta * x, else
// negative * (e^min(x, epsilon) - 1 - x) + beta * x.
struct XieluNumbers {
  float positive, negative, beta, epsilon;
};

// Products with the tiles of 16 channels that adapters have, in float: of n inputs, n lines of 16
// floats; or, of bfloat16, (n + 1) / 2 lines of 16 pairs, the even input's value in the lower half.
// A row's result depends on nothing but the row; each channel's sum is four, of every fourth input.
struct LowRankKernels {
  // out[16 * n_tiles] = tiles x
  using Multiply = void (*)(const void* tiles, size_t n_tiles, const float* x, size_t n,
                            float* out);
  // out[row, 16 * n_tiles] += tiles x[row]; strides in floats.
  using Add = void (*)(const void* tiles, size_t n_tiles, size_t n, size_t rows, const float* x,
                       size_t x_stride, float* out, size_t out_stride);
  struct ByFormat {
    Multiply multiply;
    Add add;
  };
  ByFormat f32, bfloat16;
};

// What is done to rows between the products (row_loops.h); n in elements, in == out is fine.
struct RowLoops {
  float (*sum_of_squares)(const float* in, size_t n);
  float (*sum)(const float* in, size_t n);
  void (*scale_by_weight)(const float* in, float factor, const float* weight, size_t n, float* out);
  void (*subtract)(const float* in, float x, size_t n, float* out);
  void (*scale)(const float* in, float factor, size_t n, float* out);
  void (*clamp)(const float* in, float low, float high, size_t n, float* out);
  void (*rotate_halves)(const float* in, const float* cosines, const float* sines, size_t half,
                        float* out);
  void (*gate)(const float* gate, const float* sigmoid, const float* up, size_t n, float* out);
  // What tanh is taken of in the tanh form of GELU, and what is made of it.
  void (*gelu_argument)(const float* in, size_t n, float* out);
  void (*gelu_result)(const float* in, const float* tanh, size_t n, float* out);
  void (*xielu)(const float* in, const XieluNumbers& numbers, size_t n, float* out);
  void (*add)(float* x, const float* y, size_t n);
  void (*multiply_add)(float* x, const float* a, const float* b, size_t n);  // x += a * b
  // x = x * x_factor + y * y_factor
  void (*blend)(float* x, float x_factor, const float* y, float y_factor, size_t n);
  // x = x * weights by blocks of n, a multiple of 16, but where a block has none; the largest
  // product, or 0.
  float (*weigh_blocks)(float* x, const float* const* weights, size_t blocks, size_t n);
  // out = in * factor, rounded to the nearest integer, at least 0 and at most `most` < 2^15.
  void (*round_probabilities)(const float* in, float factor, float most, size_t n, int16_t* out);
  // Each `block` of x, a power of two up to kMostRotated, becomes its product with the Hadamard
  // matrix of that size times `factor`; n is a multiple of it. With 1 / sqrt(block) its own
  // inverse.
  void (*hadamard)(float* x, size_t n, size_t block, float factor);
  // out[i] = the low nibble of in[i], out[n + i] = the high one: -8 to 7.
  void (*unpack_nibbles)(const uint8_t* in, size_t n, int8_t* out);
  // One position of a recurrence, on kStateColumns columns of a state S, [n, kStateColumns], which
  // is aligned to 64; n is even. v, x and out are of these columns; q, k, b and c of the n rows.
  // S = S * decay; S += k (beta * (v - S^T k))^T; out = S^T q
  void (*delta_step)(float* state, const float* q, const float* k, size_t n, float decay,
                     float beta, const float* v, float* out);
  // S = S * decay + b x^T; out = S^T c
  void (*scan_step)(float* state, const float* b, const float* c, size_t n, float decay,
                    const float* x, float* out);
  const LowRankKernels* low_rank;
};

// The tables of codes as the kernels want them: for a byte of two selectors both tables.
struct CodePairs {
  alignas(64) int8_t levels[256][2][16];  // [high * 16 + low]: of low, then of high
  explicit CodePairs(const int8_t* tables) {
    for (size_t b = 0; b < 256; ++b) {
      std::copy_n(tables + b % 16 * 16, 16, levels[b][0]);
      std::copy_n(tables + b / 16 * 16, 16, levels[b][1]);
    }
  }
};

// Products of a matrix of codes (model/packed_layout.h), with the bits of the q8 kernels on what
// the codes stand for. `tiles`: from the first channel's tile on.
using CodeGemm = void (*)(size_t channels, size_t k, const int8_t* in, size_t in_stride,
                          const uint8_t* tiles, const CodePairs& levels, float* out,
                          size_t out_stride, const RowQuant* quant);
struct CodeKernels {
  struct ByBits {
    // One tile of k inputs as the 16 / nr tiles of q8 with the same channels.
    void (*expand)(const uint8_t* tile, const CodePairs& levels, size_t k, uint32_t nr, uint32_t kr,
                   uint8_t* out);
    // For 1 to max_rows rows, out_stride in floats; for more rows the tiles are expanded first.
    CodeGemm gemm[8];
  };
  uint32_t max_rows;
  ByBits q4, q3, q2;
  const ByBits& Of(uint32_t bits) const { return bits == 4 ? q4 : bits == 3 ? q3 : q2; }
};

// Positions per KV block; a multiple of every nr in use.
inline constexpr size_t kKvBlockTokens = 64;
// The values of a block: tiles of kValueChannels channels, each int8 [kKvBlockTokens / kr,
// kValueChannels, kr].
inline constexpr size_t kValueChannels = 16;
// Probabilities are integers from 0 to this: what two signed bytes can say. Products with the
// values of kMostWeighedBlocks blocks add up in 32 bits: 32,639 * 128 * 512 < 2^31.
inline constexpr int16_t kLargestProbability = 127 * 256 + 127;
inline constexpr size_t kMostWeighedBlocks = 8;

struct ValueKernels {
  uint32_t kr;
  // out[r, c] = factors[r] * sum over tokens t of p[r, t] * value[t, c]; out is [rows, channels].
  // `blocks`: each one's values, aligned to 64, or null: its tokens have no part in it. Of `next`,
  // n_blocks addresses or null, as many bytes may be read ahead.
  void (*weigh)(size_t rows, size_t channels, const uint8_t* const* blocks,
                const uint8_t* const* next, size_t n_blocks, const int16_t* p, size_t stride,
                const float* factors, float* out);
};

struct KernelSet {
  const char* name;               // two may have the same: of these a CPU has one
  bool rows_in_pairs = false;     // the form of int8 inputs
  bool (*available)();            // on this CPU; asks the system for nothing
  bool (*permitted)() = nullptr;  // asks the system, for the whole process; null: no need to
  const CodeKernels* codes;       // int8 inputs, codes of 4, 3 or 2 bits: q4, q3, q2
  const ValueKernels* values;     // P.V

  TileKernels<QuantizedGemm> q8;         // int8 inputs, int8 weights per channel
  TileKernels<QuantizedGemm> keys = {};  // the same for Q.K; empty: q8 serves
  FewScores few_scores = nullptr;        // Q.K of few rows; null: none
  ManyRowsGemm q8_many = nullptr;        // q8 of many rows, to the bit; null: none
  TileKernels<QuantizedGemm> q4b;        // int8 inputs, int4 weights per block
  TileKernels<FloatGemm> f32;            // float inputs and weights

  const RowLoops* loops;

  // Vector kernels; n counts bytes of floats and is not 0.
  void (*min_max)(size_t n, const float* in, float* min_max, const void* params);
  void (*max)(size_t n, const float* in, float* max, const void* params);
  void (*quantize)(size_t n, const float* in, int8_t* out, const void* params);
  // The same to q + 128, where codes, q8 and q4b read their inputs so; null: they read int8.
  void (*quantize_unsigned)(size_t n, const float* in, uint8_t* out, const void* params) = nullptr;
  void (*exp_minus_max)(size_t n, const float* in, const float* max, float* out, float* sum,
                        const void* params);
  void (*sigmoid)(size_t n, const float* in, float* out, const void* params);
  void (*tanh)(size_t n, const float* in, float* out, const void* params);
  void (*gelu)(size_t n, const float* in, float* out, const void* params);  // with erf
  void (*multiply)(size_t n, const float* a, const float* b, float* out, const void* params);

  // Before its kernels run.
  bool Permitted() const { return permitted == nullptr || permitted(); }
  const TileKernels<QuantizedGemm>& KeyKernels() const { return keys.nr != 0 ? keys : q8; }
};

// Every set compiled into this build, best first; the last one is portable C.
std::span<const KernelSet* const> AllKernelSets();

// The best set for this CPU, or the one of that name; nullptr where the name is unknown or this
// CPU lacks it.
const KernelSet* SelectKernelSet(std::string_view name);

}  // namespace rondo
