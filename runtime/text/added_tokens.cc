#include "runtime/text/added_tokens.h"

#include <algorithm>

#include "runtime/base/utf8.h"
#include "runtime/text/unicode.h"

namespace rondo {
namespace {

// How many bytes of white space the text begins with.
size_t BlankBytes(std::span<const uint8_t> text) {
  constexpr uint32_t kSpaceMark = 0x2581;  // what SentencePiece writes for a space
  const uint8_t* at = text.data();
  const uint8_t* const end = at + text.size();
  while (at < end) {
    const Utf8Step step = DecodeUtf8(at, end);
    if (step.code_point != kSpaceMark && !IsWhitespace(step.code_point)) break;
    at += step.length;
  }
  return static_cast<size_t>(at - text.data());
}

// The code point that ends at `end`, and its bytes. Ill-formed bytes read as U+FFFD.
Utf8Step CharacterBefore(std::span<const uint8_t> text, size_t begin, size_t end) {
  const uint8_t* const low = text.data() + (end - begin > 4 ? end - 4 : begin);
  const uint8_t* const high = text.data() + end;
  const uint8_t* const start = PreviousUtf8(low, high);
  const Utf8Step step = DecodeUtf8(start, high);
  if (start + step.length == high) return step;
  return {kReplacementCharacter, 1, Utf8Kind::kInvalid};
}

bool IsWord(std::span<const uint8_t> text, size_t sentence, size_t begin, size_t end) {
  if (begin > sentence && IsWordCharacter(CharacterBefore(text, sentence, begin).code_point)) {
    return false;
  }
  if (end == text.size()) return true;
  return !IsWordCharacter(DecodeUtf8(text.data() + end, text.data() + text.size()).code_point);
}

// Looks at the bytes of a token one by one: may it come of them? Not where any is plain, but for
// white space at its ends; of it alone there are words like others.
class PlainBytes {
 public:
  PlainBytes(std::span<const uint8_t> text, const uint8_t* plain) : text_(text), plain_(plain) {}

  void Add(size_t i) {
    if (plain_ == nullptr) return;
    if (!IsUtf8Continuation(text_[i])) {
      blank_ = BlankBytes(text_.subspan(i, std::min<size_t>(4, text_.size() - i))) > 0;
    }
    waits_ |= plain_[i] != 0;
    if (blank_) return;
    core_ |= begun_ ? waits_ : plain_[i] != 0;
    begun_ = true;
    waits_ = false;
  }
  bool Allow(bool special) const { return begun_ ? !core_ : !(special && waits_); }

 private:
  const std::span<const uint8_t> text_;
  const uint8_t* const plain_;
  bool blank_ = false;  // the character at hand
  bool begun_ = false;  // something else than white space has come
  bool waits_ = false;  // a byte of the white space since then was plain
  bool core_ = false;   // one before that was
};

}  // namespace

AddedTokens::AddedTokens(const TokenizerTables& tables, bool normalized)
    : tokens_(tables.settings->added_tokens()), token_flags_(tables.token_flags) {
  if (tokens_ == nullptr) return;
  // Sorted: the half without `normalized` first.
  while (begin_ < tokens_->size() && tokens_->Get(begin_)->normalized() != normalized) ++begin_;
  end_ = begin_;
  while (end_ < tokens_->size() && tokens_->Get(end_)->normalized() == normalized) {
    const format::AddedToken* token = tokens_->Get(end_);
    max_bytes_ = std::max<size_t>(max_bytes_, token->match()->size());
    any_strips_left_ |= token->strip_left();
    ++end_;
  }
  uint32_t index = begin_;
  for (uint32_t byte = 0; byte < 256; ++byte) {
    first_[byte] = index;
    while (index < end_ && ByteAt(index, 0) == byte) ++index;
  }
  first_[256] = index;
}

uint8_t AddedTokens::ByteAt(uint32_t index, size_t depth) const {
  return tokens_->Get(index)->match()->Data()[depth];
}

void AddedTokens::AddTo(TokenSet& set) const {
  for (uint32_t i = begin_; i < end_; ++i) {
    const auto* match = tokens_->Get(i)->match();
    const bool blank = BlankBytes({match->Data(), match->size()}) == match->size();
    if (!blank || IsSpecial(*tokens_->Get(i))) set.Add(tokens_->Get(i)->id());
  }
}

AddedTokenMatch AddedTokens::Find(std::span<const uint8_t> text, const uint8_t* plain,
                                  size_t sentence, size_t floor, size_t limit, size_t* scan) const {
  while (*scan < limit) {
    const uint8_t byte = text[*scan];
    const format::AddedToken* token =
        first_[byte] < first_[byte + 1] ? Longest(text, plain, *scan) : nullptr;
    if (token == nullptr) {
      ++*scan;
      continue;
    }
    size_t begin = *scan;
    const size_t end = begin + token->match()->size();
    *scan = end;
    if (token->single_word() && !IsWord(text, sentence, begin, end)) continue;
    while (token->strip_left() && begin > floor) {
      const Utf8Step before = CharacterBefore(text, floor, begin);
      if (!IsWhitespace(before.code_point)) break;
      begin -= before.length;
    }
    return {token, begin, end};
  }
  return {};
}

const format::AddedToken* AddedTokens::Longest(std::span<const uint8_t> text, const uint8_t* plain,
                                               size_t position) const {
  // The candidates that agree with the text so far; all of them are longer than `depth`.
  uint32_t low = first_[text[position]];
  uint32_t high = first_[text[position] + 1];
  const format::AddedToken* longest = nullptr;
  PlainBytes bytes(text, plain);
  for (size_t depth = 1; low < high; ++depth) {
    bytes.Add(position + depth - 1);
    if (const format::AddedToken* token = tokens_->Get(low); token->match()->size() == depth) {
      if (bytes.Allow(IsSpecial(*token))) longest = token;
      ++low;
    }
    if (position + depth == text.size()) break;
    const uint8_t byte = text[position + depth];
    // Binary search for the candidates that have `byte` next.
    uint32_t upper = high;
    while (low < upper) {
      const uint32_t middle = low + (upper - low) / 2;
      if (ByteAt(middle, depth) < byte) {
        low = middle + 1;
      } else {
        upper = middle;
      }
    }
    uint32_t lower = low;
    while (lower < high) {
      const uint32_t middle = lower + (high - lower) / 2;
      if (ByteAt(middle, depth) <= byte) {
        lower = middle + 1;
      } else {
        high = middle;
      }
    }
  }
  return longest;
}

}  // namespace rondo
