// Drafts of a session's next pass, and what was chosen ahead of its text.
#include <algorithm>

#include "runtime/engine/session.h"
#include "runtime/generation/prompt_lookup.h"

namespace rondo {

// True where the draft model makes the drafts.
bool Session::BeginDrafts(size_t proposed) {
  const std::span<int32_t> drafts = {proposed_.data(), max_drafts_};
  gate_told_ = nullptr;
  if (proposed == 0) proposed = constraint_.Forced(drafts);
  if (proposed == 0 && constraint_.has_grammar()) {
    const size_t likely = constraint_.Likely(drafts);
    if (likely > 0) gate_told_ = &grammar_gate_;
    proposed = likely > 0 ? grammar_gate_.Choose(likely) : 0;
  }
  const bool gated = proposed == 0 && gate_told_ == nullptr && speculation_ != Speculation::kNone;
  if (gated) gate_told_ = &gate_;
  const bool by_model = speculation_ == Speculation::kDraftModel;
  if (gated && (speculation_ == Speculation::kDraftHead || (by_model && !drafter_))) {
    sequence_.WantHeadDrafts(gate_.Choose(max_drafts_));
    return false;
  }
  if (gated && by_model) {
    drafter_->Want(gate_.Choose(max_drafts_));
    return drafter_->wanted() > 0;
  }
  if (gated) proposed = gate_.Choose(LookUpPrompt(tokens(), drafts));
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
