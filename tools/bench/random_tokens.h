// RandomTokens: tokens to measure with. Any token is as fast as any other, but equal ones would
// find their embedding in the cache.
#pragma once

#include <cstdint>
#include <vector>

namespace rondo::tools {

class RandomTokens {
 public:
  explicit RandomTokens(uint32_t vocab_size) : vocab_size_(vocab_size) {}

  int32_t Next() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<int32_t>((state_ >> 33) % vocab_size_);
  }
  // Valid until the next call.
  const std::vector<int32_t>& Some(uint64_t count) {
    tokens_.resize(count);
    for (int32_t& token : tokens_) token = Next();
    return tokens_;
  }

 private:
  const uint32_t vocab_size_;
  uint64_t state_ = 1;
  std::vector<int32_t> tokens_;
};

}  // namespace rondo::tools
