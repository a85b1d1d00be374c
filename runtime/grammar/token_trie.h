// TokenTrie: the texts of a vocabulary, byte by byte, so that tokens that begin alike are looked at
// once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "runtime/base/heap_array.h"
#include "runtime/base/status.h"

namespace rondo::grammar {

// What tokens add to a text. Empty: nothing that a grammar could say of it.
struct Vocabulary {
  uint32_t size = 0;
  std::span<const uint8_t> (*bytes)(const void* context, uint32_t token) = nullptr;
  const void* context = nullptr;

  std::span<const uint8_t> operator[](uint32_t token) const { return bytes(context, token); }
};

// Immutable. Tokens that are plain stand apart: of whole characters, none of which is a control
// character, a quotation mark or a backslash, so that they are what JSON has in strings. Texts of
// over kMostBytes are in no trie.
class TokenTrie {
 public:
  static constexpr size_t kMostBytes = 512;
  static constexpr uint32_t kNoToken = UINT32_MAX;

  // Behind a node stand those below it.
  struct Node {
    uint32_t size : 24;  // of it and those below
    uint32_t byte : 8;
    uint32_t token;
  };

  // Error: kOutOfMemory.
  static Result<TokenTrie> Create(const Vocabulary& vocabulary);

  std::span<const Node> plain() const { return nodes_.span().first(n_plain_nodes_); }
  std::span<const Node> others() const { return nodes_.span().subspan(n_plain_nodes_); }

  // Plain tokens of `characters` characters, 1 to most_characters().
  std::span<const uint32_t> PlainOf(uint32_t characters) const {
    const uint32_t begin = lengths_[characters - 1];
    return by_length_.span().subspan(begin, lengths_[characters] - begin);
  }
  uint32_t most_characters() const { return static_cast<uint32_t>(lengths_.size()) - 1; }
  // Bits of all plain tokens.
  std::span<const uint32_t> plain_mask() const { return plain_mask_.span(); }

  const Vocabulary& vocabulary() const { return vocabulary_; }
  size_t mask_words() const { return (size_t{vocabulary_.size} + 31) / 32; }
  // Of memory, of the system's.
  size_t bytes() const;

 private:
  Vocabulary vocabulary_;
  HeapArray<Node> nodes_;
  size_t n_plain_nodes_ = 0;
  HeapArray<uint32_t> by_length_;  // plain tokens
  HeapArray<uint32_t> lengths_;    // of n characters: from [n - 1] to [n]
  HeapArray<uint32_t> plain_mask_;
};

// Characters of a plain text; 0 where it is not.
uint32_t PlainCharacters(std::span<const uint8_t> text);

}  // namespace rondo::grammar
