// SampledText: the tokens that a token is sampled behind.
#pragma once

#include <cstdint>
#include <span>

#include "runtime/kv/key_history.h"

namespace rondo {

// A sequence's tokens, and drafts behind them as if they had been appended. What is no token is
// InputKey::kNoToken.
struct SampledText {
  const KeyHistory& tokens;
  std::span<const int32_t> drafts = {};

  uint64_t begin() const { return tokens.begin(); }
  uint64_t end() const { return tokens.end() + drafts.size(); }
  int32_t operator[](uint64_t position) const {
    return position < tokens.end() ? tokens[position] : drafts[position - tokens.end()];
  }
};

}  // namespace rondo
