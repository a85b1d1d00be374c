// Drafts of a session's next pass, and what was chosen ahead of its text.
#include <algorithm>

#include "runtime/engine/session.h"
#include "runtime/generation/prompt_lookup.h"

namespace rondo {

// True where the draft model makes the drafts.
bool Session::BeginDrafts(size_t proposed) {
  if (proposed == 0) proposed = constraint_.Forced({proposed_.data(), max_drafts_});
  gated_ = proposed == 0 && speculation_ != Speculation::kNone;
  const bool by_model = speculation_ == Speculation::kDraftModel;
  if (gated_ && (speculation_ == Speculation::kDraftHead || (by_model && !drafter_))) {
    sequence_.WantHeadDrafts(gate_.Choose(max_drafts_));
    return false;
  }
  if (gated_ && by_model) {
    drafter_->Want(gate_.Choose(max_drafts_));
    return drafter_->wanted() > 0;
  }
  if (gated_) proposed = gate_.Choose(LookUpPrompt(tokens(), {proposed_.data(), max_drafts_}));
  choices_.Begin({proposed_.data(), proposed});
  return false;
}

Status Session::Propose(std::span<const int32_t> ids) {
  if (!ids.empty()) RONDO_RETURN_IF_ERROR(CheckIds(ids));
  n_proposed_ = std::min(ids.size(), max_drafts_);
  std::copy_n(ids.begin(), n_proposed_, proposed_.begin());
  return Status();
}

// What was evaluated ahead, and what was chosen, of a session whose tokens will be others.
void Session::DropAhead() {
  choices_.Begin({});
  n_proposed_ = 0;
  if (!sequence_.is_ahead()) return;
  const MutexLock turn(engine_->turn());
  sequence_.DropAhead();
}

}  // namespace rondo
