// TokenSet: a set of token ids.
#pragma once

#include <cstdint>
#include <utility>

#include "runtime/base/heap_array.h"
#include "runtime/base/status.h"

namespace rondo {

class TokenSet {
 public:
  // Empty, for ids below `vocab_size`. Error: kOutOfMemory.
  static Result<TokenSet> Create(uint32_t vocab_size) {
    TokenSet set;
    RONDO_ASSIGN(set.words_, HeapArray<uint64_t>::Create(vocab_size / 64 + 1));
    return set;
  }

  void Add(uint32_t id) { words_[id / 64] |= uint64_t{1} << (id % 64); }
  bool Has(uint32_t id) const { return (words_[id / 64] >> (id % 64) & 1) != 0; }

 private:
  HeapArray<uint64_t> words_;
};

}  // namespace rondo
