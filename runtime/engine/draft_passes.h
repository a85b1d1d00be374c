// DraftPasses: what the draft model does before a pass: it proposes tokens, one after another, for
// all sequences of the pass that want some.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "runtime/decoder/pass.h"
#include "runtime/engine/options.h"
#include "runtime/engine/pass_queue.h"

namespace rondo {

class Engine;

class DraftPasses {
 public:
  explicit DraftPasses(Engine* engine) : engine_(*engine) {}

  // Proposes for the sequences of `requests` whose drafters want drafts. Where one is cancelled,
  // or its blocks do not suffice, it has those that were made.
  void Run(PassRequest* requests);

  // Nanoseconds of the last run: of texts that were new to the draft model, and of drafts.
  uint64_t prefill_ns() const { return prefill_ns_; }
  uint64_t decode_ns() const { return decode_ns_; }

 private:
  void Collect(PassRequest* requests);
  // One pass of the draft model. False: nobody wants one.
  bool RunPass();
  // The rows of those that still want drafts; false: there are none.
  bool TakeRows();
  bool AllCancelled() const;
  // Proposes behind each member's last token that is evaluated now.
  void Propose(const Pass& pass);
  void Finish();

  Engine& engine_;
  size_t n_ = 0;
  std::array<Sequence*, kMaxSessions> members_;  // the session's; null: wants no more
  size_t n_rows_ = 0;                            // members that have rows in the pass
  std::array<SequenceRows, kMaxSessions> rows_;
  std::array<size_t, kMaxSessions> member_of_;  // of these rows
  uint64_t prefill_ns_ = 0;
  uint64_t decode_ns_ = 0;
};

}  // namespace rondo
