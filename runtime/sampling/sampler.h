// Sampler: logits in, token out. One per session; its memory is planned, nothing is allocated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "runtime/model/sampler_options.h"
#include "runtime/sampling/sampled_text.h"

namespace rondo {

// What the options do, in this order (that of transformers' generate(); llama.cpp differs by
// applying the temperature last, so that its top_p and min_p see the untempered distribution):
//
//   1. logit_bias          s += bias
//   2. penalties           over the last penalty_last_n tokens of the sequence, the prompt's
//                          included, once per distinct token: s = s > 0 ? s / repetition
//                          : s * repetition; then s -= count * frequency + presence
//   -- n-grams             a token that would end no_repeat_ngram_size tokens in a row which the
//                          last kMaxPenaltyWindow tokens hold already is never drawn --
//   mask                   tokens that it does not allow are never drawn
//   -- temperature 0: the token with the highest s, the lowest id among equals, and done --
//   3. temperature         s = (s - max) / temperature
//   4. top_k               the k highest s stay, lower ids first among equals
//   5. top_p               of these, the fewest most probable that together reach top_p stay
//   6. min_p               of these, those at least min_p times as probable as the best one stay
//   7. the draw            by probability among those that stay
//
// A NaN logit counts as -inf (never drawn), +inf as the largest finite float.
//
// Deterministic: the token is a function of the logits, the options and the sequence so far, to
// the bit and on every platform. The draw for position p uses random number p of the seed's
// stream, whatever was sampled, undone or given by the caller before; so sampling twice at one
// position gives the same token twice.
//
// Sample may be called by several threads. Trivially copyable; a copy shares the memory given to
// Init.
class Sampler {
 public:
  // Tokens that may be drawn: bit i % 32 of word i / 32 is token i's. Empty: all.
  using TokenMask = std::span<const uint32_t>;

  // Sample found no token: all logits, bias included, are -inf or NaN, or are not allowed.
  static constexpr int32_t kNoToken = -1;

  // Bytes to plan for one sampler.
  static size_t Bytes();

  // Bytes of scratch for one call of Sample; may be shared by samplers that take turns.
  static size_t ScratchBytes(uint32_t vocab_size);

  // Unusable until Init has succeeded.
  Sampler() = default;

  // `memory`: Bytes(), aligned to 4, kept by the caller. Copies the biases. Error:
  // kInvalidArgument, as ValidateSamplerOptions; nothing changed.
  Status Init(const SamplerOptions& options, uint32_t vocab_size, std::span<std::byte> memory);

  // The token that follows `text`, or kNoToken. Penalties see what is held of it. `logits`:
  // [vocab_size], unchanged; `scratch`: ScratchBytes(vocab_size), aligned to 4, contents irrelevant
  // before and after; `allowed`: empty, or a bit for each token.
  int32_t Sample(std::span<const float> logits, const SampledText& text,
                 std::span<std::byte> scratch, TokenMask allowed = {}) const;

 private:
  bool HasAdjustments() const;
  bool HasPenalties() const;
  void BlockNgrams(std::span<float> scores, std::span<const int32_t> window) const;
  void AddPenalties(std::span<float> scores, const SampledText& text,
                    std::span<int32_t> room) const;
  // Of scaled scores, which become weights; `room`: for as many keys, or more.
  int32_t Draw(std::span<float> scores, std::span<uint32_t> room, double random) const;
  int32_t DrawOfNucleus(std::span<float> weights, std::span<uint32_t> room, double random) const;

  SamplerOptions options_;  // logit_bias views the copy in our memory
};

}  // namespace rondo
