#include "tools/bench/probe/probe.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "tools/bench/probe/probe_kernels.h"

namespace rondo {
namespace {

struct Operands {
  alignas(64) int8_t a[ProbeKernels::kMaxWidth];
  alignas(64) int8_t b[ProbeKernels::kMaxWidth];
};

Operands RandomOperands(uint32_t seed) {
  std::mt19937 random(seed);
  Operands operands;
  for (int8_t& value : operands.a) value = static_cast<int8_t>(random() % 128);
  for (int8_t& value : operands.b)
    value = static_cast<int8_t>(static_cast<int>(random() % 255) - 127);
  return operands;
}

// What one round adds to one register, by the definition in probe_kernels.h.
int64_t ProductsOfARegister(const ProbeKernels& kernels, const Operands& operands) {
  int64_t sum = 0;
  for (uint32_t i = 0; i < kernels.width; ++i) {
    if (kernels.blocks) {  // column i % 8 of a row of a meets that of both rows of b
      const uint32_t first = i / 16 * 16 + i % 8;
      sum += operands.a[i] * (operands.b[first] + operands.b[first + 8]);
    } else {
      sum += operands.a[i] * operands.b[i];
    }
  }
  return sum * kernels.copies;
}

std::vector<const ProbeKernels*> Available() {
  size_t count = 0;
  const ProbeKernels* const* all = AllProbeKernels(&count);
  std::vector<const ProbeKernels*> available;
  for (size_t i = 0; i < count; ++i) {
    if (all[i]->available(DetectCpu())) available.push_back(all[i]);
  }
  return available;
}

TEST(Probe, DotProductsAreThoseOfPlainArithmetic) {
  for (const ProbeKernels* kernels : Available()) {
    for (const uint64_t rounds : {0, 1, 2, 1000}) {
      const Operands operands = RandomOperands(static_cast<uint32_t>(rounds));
      const uint64_t expected = rounds * ProbeKernels::kAccumulators *
                                static_cast<uint64_t>(ProductsOfARegister(*kernels, operands));
      EXPECT_EQ(kernels->dot(operands.a, operands.b, rounds), static_cast<uint32_t>(expected))
          << kernels->name << ", " << rounds << " rounds";
    }
  }
}

TEST(Probe, SumsReadEveryWord) {
  struct alignas(64) Line {
    uint64_t words[8];
  };
  std::vector<Line> lines(8 * 5);
  const size_t count = lines.size() * 8;
  uint64_t* words = lines.front().words;
  std::mt19937_64 random(1);
  uint64_t expected = 0;
  for (size_t i = 0; i < count; ++i) expected += words[i] = random();
  for (const ProbeKernels* kernels : Available()) {
    EXPECT_EQ(kernels->sum(words, count), expected) << kernels->name;
    EXPECT_EQ(kernels->sum(words, 0), 0u) << kernels->name;
  }
}

TEST(Probe, APortableKernelIsAlwaysThere) {
  ASSERT_FALSE(Available().empty());
  EXPECT_EQ(Available().back(), &kProbePortable);
  EXPECT_EQ(Available().front(), &BestProbeKernels());
  EXPECT_STREQ(Int8PeakInstruction(), BestProbeKernels().name);
}

TEST(Probe, RatesArePositive) {
  const ProbeMemory memory(10u << 20);
  ASSERT_TRUE(memory.valid());
  EXPECT_EQ(memory.bytes(), 12u << 20);  // whole pieces
  for (const size_t threads : {1, 2}) {
    EXPECT_GT(ReadBandwidth(memory, threads), 0.0);
    EXPECT_GT(Int8Peak(threads), 0.0);
  }
}

TEST(Probe, RefusedMemoryIsNotValid) {
  for (const size_t bytes : {size_t{0}, SIZE_MAX, SIZE_MAX / 2}) {
    const ProbeMemory memory(bytes);
    EXPECT_FALSE(memory.valid());
    EXPECT_EQ(ReadBandwidth(memory, 1), 0.0);
  }
}

}  // namespace
}  // namespace rondo
