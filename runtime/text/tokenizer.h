// Tokenizer: text to token ids and back, from the tables in a model file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "runtime/base/status.h"
#include "runtime/model/model_file.h"
#include "runtime/text/encoder.h"
#include "runtime/text/places.h"
#include "runtime/text/regex.h"
#include "runtime/text/tokenizer_tables.h"

namespace rondo {

// Immutable after Create but for what Encode writes to: every method may be called from any thread.
// Nothing allocates after Create, but Encode where some of a text is plain.
//
// Texts are encoded beside each other: each has buffers of its own, and the rest of the scratch by
// turns, for a piece of some KB. So no text waits for the end of another, but where there are
// more of them than buffers; then in the order in which they came. Short ones have theirs apart.
//
// Bytes of a text that are not UTF-8 are read as U+FFFD: one for each maximal ill-formed sequence,
// as browsers do, in both directions; but where the tokenizer was made from a SentencePiece model,
// encoding reads one for each byte, as SentencePiece does.
class Tokenizer {
 public:
  // Checks every table wholly and reserves the scratch of Encode. The file's bytes must outlive
  // this. Errors: kCorrupt (which table, what was wrong), kUnsupported, kOutOfMemory.
  static Result<std::unique_ptr<Tokenizer>> Create(const ModelFile& file);
  // The same from tables in memory, for a model with `vocab_size` ids (rows of its embedding). A
  // tokenizer may have more: the model's sessions refuse those, and only those.
  static Result<std::unique_ptr<Tokenizer>> Create(const TokenizerTables& tables,
                                                   uint32_t vocab_size);

  // The ids of `text`: added tokens in it are found, special or not. `add_special`: with the ids
  // that the model wants around a text (BOS, EOS). *count is the whole count, also with
  // kBufferTooSmall, where the first ids.size() are written; pass an empty span to ask for it.
  // *count = 0 with every other error.
  //
  // Any length works, in time linear in it. A text goes through buffers of 64 KB, and is cut where
  // one is full and nothing in it is certain: the first 64 KB of a pre-token that is longer, or
  // that a pattern would have to look beyond, are encoded as though the text ended there, and what
  // follows as though a pre-token began. The same holds, without pre-tokens, for 64 KB in which no
  // place is free of merges or pieces, and for a normaliser that would have to see 1024 combining
  // characters or over 11 KB at once.
  //
  // `plain`: where it is not empty it has a byte for each of the text, and those parts where it is
  // not 0 are encoded as plain text (see PlainText); this takes some memory during the call.
  //
  // The tokenizer's own patterns may take RegexMemory::kFixedSteps and kStepsPerByte steps beyond
  // those that each place has free: kInvalidArgument where one needs more of these, or more memory
  // than it has, or fails otherwise; the message says which. kOutOfMemory only with `plain`.
  Status Encode(std::string_view text, bool add_special, std::span<int32_t> ids, size_t* count,
                std::span<const uint8_t> plain = {}) const;

  // The text of `ids` in UTF-8, not terminated. `skip_special`: without the tokens that the
  // model's authors marked special. *size is the whole size in bytes, also with kBufferTooSmall,
  // where `out` holds a part. Error: kInvalidArgument (an id out of range, its place), *size = 0.
  Status Decode(std::span<const int32_t> ids, bool skip_special, std::span<char> out,
                size_t* size) const;

  // Ids are in [0, vocab_size()), the model's or the tokenizer's, whichever has more. Those past
  // the tokenizer's own have no text.
  uint32_t vocab_size() const { return vocab_size_; }
  // What the token adds to a text: may be part of a character, or empty. Any id; a view into the
  // file; empty for ids out of range.
  std::span<const uint8_t> TokenBytes(int32_t id) const;
  // Marked special by the model's authors (BOS, end of turn). False for ids out of range.
  bool IsSpecial(int32_t id) const { return (Flags(id) & kTokenSpecial) != 0; }
  // Left out by decoding that skips special tokens. Those whose text the normaliser changes are
  // not, though they be special: Hugging Face's rule.
  bool IsSkipped(int32_t id) const { return (Flags(id) & kTokenSkipped) != 0; }
  // The id of the added token that is written so, or -1. Takes time linear in their number.
  int32_t AddedTokenId(std::string_view text) const;

  // Bytes of the longest token.
  size_t max_token_bytes() const { return max_token_bytes_; }
  const format::Tokenizer& settings() const { return *tables_.settings; }
  // What Create reserved for encoding: fixed, at most kMaxScratchBytes.
  size_t scratch_bytes() const;
  static constexpr size_t kMaxScratchBytes = size_t{2} << 20;
  // Of so many bytes at most a text is short, as all that a session tokenises by itself.
  static constexpr size_t kShortBytes = 4096;

  // That all encodings took so far: bytes looked at, attempts of patterns, merges looked for. While
  // none is under way.
  uint64_t steps() const { return regex_memory_->turn().steps(); }

  // Encodes the texts that were stored at conversion and compares with the ids stored beside
  // them. Those came from the converter's own run of this code, so this finds a build that
  // tokenises otherwise, not an error that both share. Error: kCorrupt (which text, where).
  Status CheckGolden() const;

 private:
  Tokenizer() = default;
  bool HasText(int32_t id) const {
    return id >= 0 && static_cast<uint32_t>(id) < tables_.vocab_size();
  }
  uint8_t Flags(int32_t id) const {
    return HasText(id) ? tables_.token_flags[static_cast<size_t>(id)] : uint8_t{0};
  }

  TokenizerTables tables_;
  uint32_t vocab_size_ = 0;
  std::unique_ptr<RegexMemory> regex_memory_;  // outlives the patterns in parts_
  EncoderParts parts_;
  size_t max_token_bytes_ = 0;

  static constexpr size_t kMostBuffers = 8;  // texts at once
  // As many as there is room for, two at least; the first for short texts.
  Status CreateBuffers();

  mutable EncoderScratch scratch_;  // of the turn in regex_memory_
  mutable EncoderBuffers buffers_[kMostBuffers];
  mutable Places short_texts_;
  mutable Places long_texts_;
};

}  // namespace rondo
