// EncodingTurn: the memory that encodings share is one's at a time, for a piece of its work.
#pragma once

#include <cstdint>

#include "runtime/text/places.h"

namespace rondo {

// Belongs to whoever called Begin, until End; but for Pause, where others may have it in between.
class EncodingTurn {
 public:
  EncodingTurn() { owner_.SetCount(1); }

  void Begin() {
    owner_.Take();
    begun_ = steps_;
  }
  void End() { owner_.Give(0); }
  // The caller took so many steps, each about what a byte of plain text costs, and needs nothing
  // any more of what lies in the shared memory. Where others wait for it, and a piece of work is
  // done, they go first.
  void Pause(uint64_t steps) {
    steps_ += steps;
    if (steps_ - begun_ >= kPieceSteps && owner_.wanted()) GoOnBehindOthers();
  }
  // Of all texts so far; while none is encoded.
  uint64_t steps() const { return steps_; }

  // Of the text that is being encoded: what its patterns may yet take.
  uint64_t steps_left = 0;

 private:
  // Under a millisecond's work, and many times what it costs to wake another thread.
  static constexpr uint64_t kPieceSteps = 4096;

  void GoOnBehindOthers() {
    const uint64_t left = steps_left;
    End();
    Begin();
    steps_left = left;
  }

  Places owner_;
  uint64_t steps_ = 0;
  uint64_t begun_ = 0;  // with which the piece at hand began
};

}  // namespace rondo
