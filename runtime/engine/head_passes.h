// HeadPasses: the draft head, or the assistant in its place, proposes tokens, one after another,
// for all sequences of a pass that want some.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "runtime/decoder/decoder.h"
#include "runtime/engine/options.h"
#include "runtime/engine/proposer.h"

namespace rondo {

class Engine;

// What the head keeps of these rows is given back: the pass that verifies them keeps it anew. A
// slice is a draft of each sequence.
class HeadPasses final : public Proposer {
 public:
  explicit HeadPasses(Engine* engine) : engine_(*engine) {}

  bool Begin(PassRequest* requests) override;
  bool Continue() override;
  void Drop(const Sequence* sequence) override;

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
  std::array<InputKey, kMaxSessions> keys_;
  std::array<size_t, kMaxSessions> member_of_;  // of these rows
  size_t draft_ = 0;                            // the next one's number
};

}  // namespace rondo
