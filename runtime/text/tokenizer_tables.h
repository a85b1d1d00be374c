// TokenizerTables: the tokenizer's part of a model file, checked, as typed views.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "rondo_generated.h"
#include "runtime/base/status.h"
#include "runtime/model/model_file.h"
#include "runtime/text/trie.h"

namespace rondo {

// Bits of token_flags.
enum TokenFlag : uint8_t {
  kTokenSpecial = 1,  // marked special by the model's authors
  kTokenSkipped = 2,  // left out of decoded text when special tokens are skipped
  kTokenWhole = 4,    // a pre-token with this token's bytes is this token, without merging
};

struct Atom {
  uint32_t key;  // byte or code point
  uint32_t id;
};

struct Merge {
  uint32_t left;
  uint32_t right;
  uint32_t result;
};

// Limits of a file: nothing real comes near.
inline constexpr uint32_t kMaxVocabSize = 1u << 24;
inline constexpr uint32_t kMaxTokenBytes = 4096;
inline constexpr uint32_t kMaxAddedTokens = 1u << 16;
inline constexpr uint32_t kMaxAddedTokenBytes = 1024;
inline constexpr uint32_t kMaxNormalizerSteps = 16;
inline constexpr uint32_t kMaxContentBytes = 256;  // that a normaliser puts in for something
inline constexpr uint32_t kMaxStages = 8;
inline constexpr uint32_t kMaxPatternBytes = 4096;
inline constexpr uint32_t kMaxPrefixBytes = 16;
inline constexpr uint32_t kMaxSurroundingIds = 64;
inline constexpr uint32_t kMaxGoldenIds = 256;
inline constexpr uint32_t kMaxWordCharacters = 1024;
inline constexpr uint32_t kMaxStripStart = 255;

// True also for the empty prefix, and where there is none.
inline bool BeginsWith(std::span<const uint8_t> text, const flatbuffers::String* prefix) {
  return prefix == nullptr ||
         (text.size() >= prefix->size() &&
          std::equal(prefix->begin(), prefix->end(), text.begin(),
                     [](char a, uint8_t b) { return static_cast<uint8_t>(a) == b; }));
}

// Views into the file; `settings` holds all that is small. Plain data, trusted once Check passed.
struct TokenizerTables {
  const format::Tokenizer* settings = nullptr;
  std::span<const uint8_t> token_bytes;
  std::span<const uint32_t> token_offsets;
  std::span<const uint8_t> token_flags;
  std::span<const Atom> atoms;
  std::span<const Merge> merges;
  std::span<const uint32_t> merge_slots;
  std::span<const uint8_t> joints;
  std::span<const uint32_t> word_slots;
  std::span<const TrieNode> charsmap;
  std::span<const uint8_t> charsmap_texts;
  std::span<const TrieNode> pieces;
  std::span<const double> scores;

  uint32_t vocab_size() const { return settings->vocab_size(); }
  // id < vocab_size().
  std::span<const uint8_t> TokenBytes(uint32_t id) const {
    return token_bytes.subspan(token_offsets[id], token_offsets[id + 1] - token_offsets[id]);
  }

  // Finds the sections and compares their checksums; the file must have a tokenizer.
  // Error: kCorrupt.
  static Result<TokenizerTables> Read(const ModelFile& file);

  // Checks everything that the code behind relies on: sizes, order, every id, the hash tables,
  // UTF-8 in texts. Errors: kCorrupt (which table, what was wrong), kUnsupported.
  Status Check() const;
};

}  // namespace rondo
