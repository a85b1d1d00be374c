#include "runtime/base/digest.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace rondo {
namespace {

static_assert(std::endian::native == std::endian::little, "words are copied as they lie");

constexpr size_t kRounds = 12;

using Words = std::array<uint64_t, 8>;

// The fractions of the square roots of the first eight primes.
constexpr Words kStart = {0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b,
                          0xa54ff53a5f1d36f1, 0x510e527fade682d1, 0x9b05688c2b3e6c1f,
                          0x1f83d9abfb41bd6b, 0x5be0cd19137e2179};

// Which words of a block a round mixes in, in order.
constexpr uint8_t kOrder[kRounds][16] = {{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
                                         {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
                                         {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4},
                                         {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
                                         {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13},
                                         {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
                                         {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11},
                                         {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
                                         {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5},
                                         {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0},
                                         {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
                                         {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3}};

// `read`: bytes up to the end of the block.
void Mix(const uint8_t* block, uint64_t read, bool last, Words* state) {
  uint64_t m[16];
  std::memcpy(m, block, sizeof m);
  uint64_t v[16];
  std::copy(state->begin(), state->end(), v);
  std::copy(kStart.begin(), kStart.end(), v + 8);
  v[12] ^= read;
  if (last) v[14] = ~v[14];
  for (const auto& order : kOrder) {
    const auto mix = [&](size_t a, size_t b, size_t c, size_t d, size_t pair) {
      v[a] += v[b] + m[order[2 * pair]];
      v[d] = std::rotr(v[d] ^ v[a], 32);
      v[c] += v[d];
      v[b] = std::rotr(v[b] ^ v[c], 24);
      v[a] += v[b] + m[order[2 * pair + 1]];
      v[d] = std::rotr(v[d] ^ v[a], 16);
      v[c] += v[d];
      v[b] = std::rotr(v[b] ^ v[c], 63);
    };
    mix(0, 4, 8, 12, 0);
    mix(1, 5, 9, 13, 1);
    mix(2, 6, 10, 14, 2);
    mix(3, 7, 11, 15, 3);
    mix(0, 5, 10, 15, 4);
    mix(1, 6, 11, 12, 5);
    mix(2, 7, 8, 13, 6);
    mix(3, 4, 9, 14, 7);
  }
  for (size_t i = 0; i < state->size(); ++i) (*state)[i] ^= v[i] ^ v[i + 8];
}

}  // namespace

Digester::Digester() : state_(kStart) {
  state_[0] ^= 0x01010000 | sizeof(Digest);  // no key, no tree
}

void Digester::Add(std::span<const uint8_t> bytes) {
  while (!bytes.empty()) {
    if (size_ == kBlockBytes) {
      Mix(block_.data(), read_, /*last=*/false, &state_);
      size_ = 0;
    }
    const size_t n = std::min(bytes.size(), kBlockBytes - size_);
    std::copy_n(bytes.begin(), n, block_.begin() + size_);
    bytes = bytes.subspan(n);
    size_ += n;
    read_ += n;
  }
}

Digest Digester::Finish() {
  std::fill(block_.begin() + size_, block_.end(), uint8_t{0});
  Mix(block_.data(), read_, /*last=*/true, &state_);
  Digest digest;
  std::memcpy(digest.data(), state_.data(), digest.size());
  return digest;
}

Digest DigestOf(std::span<const uint8_t> bytes) {
  Digester digester;
  digester.Add(bytes);
  return digester.Finish();
}

}  // namespace rondo
