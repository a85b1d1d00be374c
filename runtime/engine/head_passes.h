// HeadPasses: what the draft head, or the assistant in its place, does before a pass: it proposes
// tokens, one after another, for all sequences of the pass that want some.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "runtime/decoder/decoder.h"
#include "runtime/engine/options.h"
#include "runtime/engine/pass_queue.h"

namespace rondo {

class Engine;

class HeadPasses {
 public:
  explicit HeadPasses(Engine* engine) : engine_(*engine) {}

  // Proposes for the sequences of `requests` that want it. What the head keeps of these rows is
  // given back: the pass that verifies them keeps it anew. Where a sequence is cancelled, it has
  // the drafts that were made.
  void Run(PassRequest* requests);

  uint64_t nanoseconds() const { return nanoseconds_; }  // of the last run

 private:
  struct Member {
    Sequence* sequence;
    size_t drafts;  // that it gets at most
    bool goes_on;
  };

  // Whose draft_head() it is.
  Decoder& decoder();
  void Collect(PassRequest* requests);
  // Makes each member's next draft. False: nobody wants one.
  bool RunPass(size_t draft);
  // Proposes behind the rows of the pass.
  void Propose(const Pass& pass);
  void GiveBack();

  Engine& engine_;
  size_t n_ = 0;
  std::array<Member, kMaxSessions> members_;
  size_t n_rows_ = 0;  // members that have a row in the pass
  std::array<SequenceRows, kMaxSessions> rows_;
  std::array<int32_t, kMaxSessions> tokens_;
  std::array<size_t, kMaxSessions> member_of_;  // of these rows
  uint64_t nanoseconds_ = 0;
};

}  // namespace rondo
