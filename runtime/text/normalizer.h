// Normalizer: turns a stretch of raw text into normalised UTF-8, as much at a time as fits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "runtime/base/heap_array.h"
#include "runtime/text/normalizer_step.h"
#include "runtime/text/tokenizer_tables.h"

namespace rondo {

// The file's normalisers, in order. Immutable but for the patterns' memory: one thread at a time.
struct NormalizerSteps {
  NormalizerStep steps[kMaxNormalizerSteps];
  size_t count = 0;
  bool replace_each_byte = false;
  EncodingTurn* turn = nullptr;

  // `tables` has passed Check and, like `memory`, outlives this.
  // Errors: kCorrupt (a pattern), kOutOfMemory.
  static Result<NormalizerSteps> Create(const TokenizerTables& tables, RegexMemory& memory);
};

struct NormalizerScratch {
  // Text before a step: bounds what it may have to see before it can go on.
  static constexpr size_t kBufferBytes = size_t{16} << 10;

  HeapArray<uint8_t> buffers;   // [steps, kBufferBytes]
  HeapArray<int32_t> sequence;  // [NormalizerStep::kMaxSequence]

  static Result<NormalizerScratch> Create(size_t steps);
  size_t bytes() const { return buffers.size() + sequence.size() * sizeof(int32_t); }
};

// Bytes that are not UTF-8 become U+FFFD first: one for each maximal ill-formed sequence (see
// DecodeUtf8), or one for each byte where the file asks for that. Then one step after the other,
// each with a buffer before it. A step that cannot go on although its buffer is full (11 KB or
// more) takes what it sees for all that belongs together.
class Normalizer {
 public:
  // Free space that Fill may need to go on.
  static constexpr size_t kRoomBytes = NormalizerStep::kRoomBytes;

  // All must outlive this.
  Normalizer(const NormalizerSteps& steps, NormalizerScratch& scratch,
             std::span<const uint8_t> text)
      : steps_(steps), scratch_(scratch), text_(text) {}

  // Marks go along with the text (see PlainText): those of the text given, and scratch for those of
  // NormalizerScratch::buffers.
  void Mark(const uint8_t* text_marks, uint8_t* buffer_marks) {
    text_marks_ = text_marks;
    buffer_marks_ = buffer_marks;
  }

  // All of the text has been written.
  bool done() const { return Done(steps_.count); }

  // Writes whole characters to `out` until less than kRoomBytes are free or the text ends; their
  // marks to `marks`, where they go along. Error: kInvalidArgument (see Regex::Find).
  Status Fill(std::span<uint8_t> out, size_t* written, uint8_t* marks = nullptr) {
    return Pump(steps_.count, out, marks, written);
  }

 private:
  struct Input {
    size_t head = 0;  // read up to here
    size_t tail = 0;  // written up to here
    NormalizerState state;
  };

  // Level 0 is the text as UTF-8, level i what step i - 1 makes of level i - 1.
  bool Done(size_t level) const;
  Status Pump(size_t level, std::span<uint8_t> out, uint8_t* marks, size_t* written);
  void Read(std::span<uint8_t> out, uint8_t* marks, size_t* written);

  const NormalizerSteps& steps_;
  NormalizerScratch& scratch_;
  std::span<const uint8_t> text_;
  const uint8_t* text_marks_ = nullptr;
  uint8_t* buffer_marks_ = nullptr;
  size_t position_ = 0;
  Input inputs_[kMaxNormalizerSteps];
};

}  // namespace rondo
