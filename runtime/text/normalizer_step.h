// NormalizerStep: one normaliser of the file, applied to text that comes in portions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "runtime/base/status.h"
#include "runtime/text/regex.h"
#include "runtime/text/tokenizer_tables.h"
#include "runtime/text/trie.h"

namespace rondo {

// Where a step stands in the text of one run.
struct NormalizerState {
  bool begun = false;           // some text has come
  bool inside_cluster = false;  // Charsmap: in a grapheme cluster too long for a rule
  int32_t previous = -1;        // the character before in that cluster
  int32_t breaks = 0;           // utf8proc's state of looking for the cluster's end
};

// Marks of a portion's bytes, where they go along: what a step copies keeps its marks, and what it
// writes in place of others has one where any of them had.
struct PortionMarks {
  const uint8_t* in = nullptr;
  uint8_t* out = nullptr;
  // Up to here `out` is done, with what was taken up to there.
  size_t written = 0;
  size_t taken = 0;
};

// A portion of text for a step, and how far the step got with it.
struct NormalizerPortion {
  std::span<const uint8_t> in;  // whole characters of UTF-8
  bool last;                    // the text ends behind `in`
  bool full;                    // there is no room for more of it: what is here must do
  std::span<uint8_t> out;
  size_t taken = 0;
  size_t written = 0;
  PortionMarks marks = {};

  // Takes the next bytes as they are.
  void Copy(size_t count);
  // Sees to the marks of what was taken and written by other means.
  void Settle();

  // What follows `in` may decide.
  bool more() const { return !last && !full; }
  size_t left() const { return in.size() - taken; }
  size_t room() const { return out.size() - written; }
};

class NormalizerStep {
 public:
  // A starter with all that combines with it: longer sequences are cut.
  static constexpr size_t kMaxSequence = 1024;  // code points, decomposed
  // Free space that a step may need to go on.
  static constexpr size_t kRoomBytes = 4 * kMaxSequence + 2 * kMaxContentBytes;

  NormalizerStep() = default;
  // `tables` has passed Check and, like `memory`, outlives this.
  // Errors: kCorrupt (a pattern), kOutOfMemory.
  static Result<NormalizerStep> Create(const TokenizerTables& tables,
                                       const format::NormalizerStep& settings, RegexMemory& memory);

  // Writes what is certain of the portion, whatever follows it; stops where less than kRoomBytes
  // are free. `sequence` is scratch of kMaxSequence. Error: kInvalidArgument (see Regex::Find).
  Status Run(NormalizerPortion& portion, NormalizerState& state, std::span<int32_t> sequence) const;

 private:
  // Each goes on by a bit, with something left and kRoomBytes of room; not at all where more of the
  // text decides.
  void Form(NormalizerPortion& portion, std::span<int32_t> sequence) const;
  void Lowercase(NormalizerPortion& portion) const;
  void StripMarks(NormalizerPortion& portion) const;
  void ReplaceText(NormalizerPortion& portion) const;
  Status ReplacePattern(NormalizerPortion& portion) const;
  void Prepend(NormalizerPortion& portion, NormalizerState& state) const;
  void Strip(NormalizerPortion& portion, NormalizerState& state) const;
  void Charsmap(NormalizerPortion& portion, NormalizerState& state) const;
  // A starter and what combines with it.
  void PutSequence(NormalizerPortion& portion, std::span<int32_t> sequence) const;
  bool StartsSequence(uint32_t code_point) const;
  // What the first rule says that `text` begins with, put to the portion's output; else false.
  bool PutRule(NormalizerPortion& portion, std::span<const uint8_t> text) const;
  // The next character by itself.
  void PutCharacterByRule(NormalizerPortion& portion, size_t length) const;

  const format::NormalizerStep* settings_ = nullptr;
  int form_ = 0;  // utf8proc's options
  Regex regex_;
  Trie charsmap_;
  std::span<const uint8_t> charsmap_texts_;
};

}  // namespace rondo
