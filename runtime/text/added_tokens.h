// AddedTokens: finds the tokens that are cut out of the text before anything else happens to it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "runtime/base/status.h"
#include "runtime/text/token_set.h"
#include "runtime/text/tokenizer_tables.h"

namespace rondo {

// An added token found, with the whitespace that its strip flags take along.
struct AddedTokenMatch {
  const format::AddedToken* token = nullptr;  // nullptr: nothing found
  size_t begin = 0;
  size_t end = 0;  // without the whitespace after it: `token->strip_right()` tells
};

// One half of the file's list: those for the text as it stands, or those for normalised text.
// Views into the file; immutable.
class AddedTokens {
 public:
  AddedTokens() = default;
  // `tables` has passed Check.
  AddedTokens(const TokenizerTables& tables, bool normalized);

  bool empty() const { return begin_ == end_; }
  // Bytes of the longest text that is looked for.
  size_t max_bytes() const { return max_bytes_; }
  bool any_strips_left() const { return any_strips_left_; }

  // Adds all but those of white space alone that the model's authors did not mark special: words
  // like others, which vocabularies have for runs of spaces and lines.
  void AddTo(TokenSet& set) const;

  // The first token that begins in [*scan, limit), the longest of those that begin there.
  // A sentence begins at `sentence` <= *scan; whitespace before `floor` is not taken along.
  // `plain`: nullptr, or one for each byte of the text, not 0 where it is plain (see PlainText).
  // Nothing found: *scan has moved to `limit` or, over a token that did not stand as a word of
  // its own, past it.
  AddedTokenMatch Find(std::span<const uint8_t> text, const uint8_t* plain, size_t sentence,
                       size_t floor, size_t limit, size_t* scan) const;

 private:
  // The longest token whose text begins at `text[position]`, or nullptr.
  const format::AddedToken* Longest(std::span<const uint8_t> text, const uint8_t* plain,
                                    size_t position) const;
  uint8_t ByteAt(uint32_t index, size_t depth) const;
  bool IsSpecial(const format::AddedToken& token) const {
    return (token_flags_[token.id()] & kTokenSpecial) != 0;
  }

  const flatbuffers::Vector<flatbuffers::Offset<format::AddedToken>>* tokens_ = nullptr;
  std::span<const uint8_t> token_flags_;
  uint32_t begin_ = 0;
  uint32_t end_ = 0;
  uint32_t first_[257] = {};  // first_[b]..first_[b + 1]: those that begin with byte b
  size_t max_bytes_ = 0;
  bool any_strips_left_ = false;
};

}  // namespace rondo
