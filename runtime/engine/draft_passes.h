// DraftPasses: the draft model proposes tokens, one after another, for all sequences of a pass that
// want some.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "runtime/decoder/pass.h"
#include "runtime/engine/options.h"
#include "runtime/engine/proposer.h"

namespace rondo {

class Engine;

// Where the draft model's blocks do not suffice for a sequence, it has the drafts that were made.
class DraftPasses final : public Proposer {
 public:
  explicit DraftPasses(Engine* engine) : engine_(*engine) {}

  bool Begin(PassRequest* requests) override;
  bool Continue() override;
  void Drop(const Sequence* sequence) override;

 private:
  void Collect(PassRequest* requests);
  // Begins a pass of those that still want drafts; false: there are none.
  bool BeginPass();
  bool TakeRows();
  bool AllCancelled() const;
  // Proposes behind each member's last token that is evaluated now.
  void Propose();
  void Finish();

  Engine& engine_;
  size_t n_ = 0;
  std::array<Sequence*, kMaxSessions> members_;  // the session's; null: wants no more
  size_t n_rows_ = 0;                            // members that have rows in the pass
  std::array<SequenceRows, kMaxSessions> rows_;
  std::array<size_t, kMaxSessions> member_of_;  // of these rows
  std::optional<Pass> pass_;
  size_t layer_ = 0;       // the next one
  bool is_first_ = false;  // the pass to begin
  bool is_new_ = false;    // the pass has rows of a text that is new to the draft model
};

}  // namespace rondo
