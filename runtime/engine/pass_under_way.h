// PassUnderWay: one pass for several sequences, in slices, so that any thread may go on with it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "runtime/base/status.h"
#include "runtime/decoder/pass.h"
#include "runtime/engine/draft_passes.h"
#include "runtime/engine/head_passes.h"
#include "runtime/engine/pass_queue.h"
#include "runtime/engine/scheduler.h"
#include "runtime/engine/stats.h"

namespace rondo {

class Engine;

// Of a pass that is over, for the log.
struct PassReport {
  size_t rows = 0;
  size_t sequences = 0;
  uint64_t nanoseconds = 0;
  bool first_evicted = false;  // for the first time from some sequence
};

// What PassQueue::Serve runs. A sequence that is cancelled leaves at the end of the slice: it is as
// before the pass, and its caller may do with it what he likes; its rows go on as numbers that
// nobody reads.
class PassUnderWay {
 public:
  explicit PassUnderWay(Engine* engine) : engine_(*engine), drafts_(engine), head_drafts_(engine) {}

  // Those of the requests that have rows in it count their sequences in `in_pass`; while drafts are
  // made for it all of them do, and behind that the others wait on.
  bool Begin(PassRequest* requests);
  bool Continue(PassRequest* requests);
  const PassReport& report() const { return report_; }
  void Tell(const PassReport& report) const;

 private:
  // The next row that may want logits.
  struct Cursor {
    size_t member = 0;
    size_t row = 0;        // of the member's
    size_t first_row = 0;  // of the member that is left in the pass
  };

  // Begins the next proposer's work for the requests, and behind the last the pass's own. False:
  // nobody has rows.
  bool BeginNext(PassRequest* requests);
  bool BeginRows(PassRequest* requests);
  void WantHidden();
  // Requests that have a sequence which is cancelled while drafts are made leave.
  void LeaveDrafts(PassRequest* requests);
  void DropCancelled();
  // Makes the logits that were asked for, a few rows of whichever sequences at a time. False: all
  // are made.
  bool MakeLogits();
  // Goes to the next row from *cursor on that wants logits; false: there is none.
  bool Find(Cursor* cursor) const;
  // Stores the logits of these rows, or samples them: rows side by side on the pool's threads.
  void UseLogits(std::span<const Cursor> rows, const float* logits, bool last);
  // Behind the logits: what the draft head or the assistant reads is kept, and the head follows.
  void FollowForDrafts();
  void Finish();
  void Count();

  Engine& engine_;
  DraftPasses drafts_;
  HeadPasses head_drafts_;
  PassRequest* work_ = nullptr;  // the pass is its work; null: it is of rows
  std::array<Proposer*, 2> proposers_ = {&drafts_, &head_drafts_};
  size_t next_proposer_ = 0;     // behind the one that is at work
  Proposer* at_work_ = nullptr;  // null: the pass's own rows are
  bool works_ = false;           // and is not done
  PassMembers members_;
  std::optional<Pass> pass_;
  size_t layer_ = 0;  // the next one
  bool more_logits_ = false;
  Cursor next_logits_;
  uint64_t sample_ns_ = 0;
  StatsClock clock_;
  uint64_t profile_begin_ = 0;
  PassReport report_;
};

}  // namespace rondo
