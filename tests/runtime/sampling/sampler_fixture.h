// A sampler with its planned memory and a sequence of tokens, for tests.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <span>
#include <vector>

#include "runtime/sampling/sampler.h"

namespace rondo {

class TestSampler {
 public:
  TestSampler(const SamplerOptions& options, size_t vocab_size, size_t history_tokens = 256)
      : memory_(Sampler::Bytes()),
        history_(history_tokens),
        tokens_({history_}),
        // Garbage: nothing may depend on what the scratch held before.
        scratch_(Sampler::ScratchBytes(static_cast<uint32_t>(vocab_size)), std::byte{0xa5}) {
    EXPECT_TRUE(sampler_.Init(options, static_cast<uint32_t>(vocab_size), memory_).ok());
  }

  int32_t Sample(std::span<const float> logits, Sampler::TokenMask allowed = {}) {
    return sampler_.Sample(logits, {tokens_}, scratch_, allowed);
  }
  void Accept(int32_t token) { tokens_.Append({&token, 1}); }
  void Undo(uint64_t n) { tokens_.Truncate(tokens_.end() - n); }
  int32_t SampleAndAccept(std::span<const float> logits) {
    const int32_t token = Sample(logits);
    Accept(token);
    return token;
  }
  // How often each token comes up in `draws` draws at consecutive positions.
  std::vector<int> Histogram(std::span<const float> logits, int draws) {
    std::vector<int> counts(logits.size());
    for (int i = 0; i < draws; ++i) ++counts[static_cast<size_t>(SampleAndAccept(logits))];
    return counts;
  }

 private:
  std::vector<std::byte> memory_;
  std::vector<InputKey> history_;
  KeyHistory tokens_;
  std::vector<std::byte> scratch_;
  Sampler sampler_;
};

// `count` values of roughly a model's spread, a function of `seed` alone: multiples of 1/64.
inline std::vector<float> FrozenLogits(size_t count, uint32_t seed) {
  std::vector<float> logits(count);
  for (float& logit : logits) {
    seed = seed * 1664525u + 1013904223u;
    const auto a = static_cast<int32_t>(seed >> 24);
    seed = seed * 1664525u + 1013904223u;
    const auto b = static_cast<int32_t>(seed >> 24);
    logit = static_cast<float>(a + b - 256) / 64.0f;
  }
  return logits;
}

}  // namespace rondo
