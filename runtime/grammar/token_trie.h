// TokenTrie: the texts of a vocabulary, byte by byte, so that tokens that begin alike are looked at
// once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "runtime/base/heap_array.h"
#include "runtime/base/status.h"

namespace rondo::grammar {

// What tokens add to a text. Empty: nothing that a grammar could say of it.
struct Vocabulary {
  static constexpr uint32_t kNoToken = UINT32_MAX;

  uint32_t size = 0;
  std::span<const uint8_t> (*bytes)(const void* context, uint32_t token) = nullptr;
  const void* context = nullptr;
  // A special token stands for more than its text. Null: none is special.
  bool (*is_special)(const void* context, uint32_t token) = nullptr;
  // The token that is known by this text; kNoToken where there is none. Null: there is none.
  uint32_t (*find)(const void* context, std::string_view text) = nullptr;

  std::span<const uint8_t> operator[](uint32_t token) const { return bytes(context, token); }
  bool IsSpecial(uint32_t token) const {
    return is_special != nullptr && is_special(context, token);
  }
  uint32_t Find(std::string_view text) const {
    return find != nullptr ? find(context, text) : kNoToken;
  }
};

// A special token as a machine reads it: kMark and its number, in bytes that no UTF-8 has. So it is
// never a part of a text, no token's code begins with another's, and the bytes of texts are told
// apart no further.
struct SpecialCode {
  static constexpr uint8_t kMark = 0xff;
  static constexpr uint8_t kZero = 0xf5;  // digits are kZero to kZero + 7
  static constexpr size_t kBytes = 9;     // numbers below 2^24

  uint32_t token = 0;
  uint8_t bytes[kBytes] = {};

  static SpecialCode Of(uint32_t token);
  // Whose code the bytes begin with; kNoToken where they begin with none.
  static uint32_t Read(std::span<const uint8_t> bytes);
};

// Immutable. Tokens that are plain stand apart: of whole characters, none of which is a control
// character, a quotation mark or a backslash, so that they are what JSON has in strings. Special
// tokens are there by their codes. Texts of over kMostBytes are in no trie, nor are those of
// ordinary tokens with a kMark, which would be taken for the begin of a code.
class TokenTrie {
 public:
  static constexpr size_t kMostBytes = 512;
  static constexpr uint32_t kNoToken = Vocabulary::kNoToken;

  // Behind a node stand those below it.
  struct Node {
    uint32_t size : 24;  // of it and those below
    uint32_t byte : 8;
    uint32_t token;
  };

  // As it is in a file: plain tokens' nodes, and those of the others.
  struct Stored {
    std::span<const Node> nodes;
    size_t n_plain = 0;
  };

  // Error: kOutOfMemory.
  static Result<TokenTrie> Create(const Vocabulary& vocabulary);
  // Of what Create made once of the same vocabulary, and is kept by the caller. Errors: kCorrupt
  // (it is anything else), kOutOfMemory.
  static Result<TokenTrie> Open(const Vocabulary& vocabulary, const Stored& stored);
  Stored stored() const { return stored_; }

  std::span<const Node> plain() const { return stored_.nodes.first(stored_.n_plain); }
  std::span<const Node> others() const { return stored_.nodes.subspan(stored_.n_plain); }

  // Plain tokens of `characters` characters, 1 to most_characters().
  std::span<const uint32_t> PlainOf(uint32_t characters) const {
    const uint32_t begin = lengths_[characters - 1];
    return by_length_.span().subspan(begin, lengths_[characters] - begin);
  }
  uint32_t most_characters() const { return static_cast<uint32_t>(lengths_.size()) - 1; }
  // Bits of all plain tokens.
  std::span<const uint32_t> plain_mask() const { return plain_mask_.span(); }

  const Vocabulary& vocabulary() const { return vocabulary_; }
  // What a machine reads for the token; empty where no grammar has it.
  std::span<const uint8_t> BytesOf(uint32_t token) const;
  size_t n_special() const { return special_.size(); }
  size_t mask_words() const { return (size_t{vocabulary_.size} + 31) / 32; }

 private:
  // Tokens that have nodes: n_plain plain ones first, and the others from n on.
  struct Sorts {
    HeapArray<uint32_t> tokens;
    size_t n_plain = 0, n = 0;

    std::span<uint32_t> plain() { return tokens.span().first(n_plain); }
    std::span<uint32_t> others() { return tokens.span().subspan(n); }
  };
  // All but the nodes.
  Result<Sorts> Sort();
  Status Check(std::span<const Node> nodes, bool are_plain, size_t n_tokens,
               std::span<uint32_t> seen) const;

  Vocabulary vocabulary_;
  Stored stored_;
  HeapArray<Node> nodes_;          // where they are not stored elsewhere
  HeapArray<uint32_t> by_length_;  // plain tokens
  HeapArray<uint32_t> lengths_;    // of n characters: from [n - 1] to [n]
  HeapArray<uint32_t> plain_mask_;
  HeapArray<SpecialCode> special_;  // by token
};

// Characters of a plain text; 0 where it is not.
uint32_t PlainCharacters(std::span<const uint8_t> text);

}  // namespace rondo::grammar
