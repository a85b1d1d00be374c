// Drafts of a session's next pass, and what was chosen ahead of its text.
#include <algorithm>

#include "runtime/engine/session.h"
#include "runtime/generation/prompt_lookup.h"

namespace rondo {

// The first that offers some, in this order: the host, what is forced, a grammar's text, and whom
// the session's options name.
void Session::BeginDrafts() {
  size_t proposed = n_proposed_;
  const std::span<int32_t> drafts = {proposed_.data(), max_drafts_};
  if (proposed == 0) proposed = constraint_.Forced(drafts);
  if (proposed == 0 && constraint_.has_grammar()) {
    const size_t likely = constraint_.Likely(drafts);
    if (likely > 0) AskGate(&grammar_gate_);
    proposed = likely > 0 ? asked_gate_.Choose(likely) : 0;
  }
  const bool gated = proposed == 0 && gate_told_ == nullptr && speculation_ != Speculation::kNone;
  if (gated) AskGate(&gate_);
  const bool looks_up = speculation_ == Speculation::kPromptLookup;
  if (gated && looks_up) proposed = asked_gate_.Choose(LookUpPrompt(keys(), drafts));
  choices_.Begin({proposed_.data(), proposed});
  if (!gated || looks_up) return;
  const bool by_model = speculation_ == Speculation::kDraftModel && drafter_;
  choices_.Ask(by_model ? DraftsBy::kModel : DraftsBy::kHead, asked_gate_.Choose(max_drafts_));
}

// A pass that comes to nothing leaves the gate as it is.
void Session::AskGate(SpeculationGate* gate) {
  gate_told_ = gate;
  asked_gate_ = *gate;
}

void Session::TellGate() {
  if (gate_told_ == nullptr || choices_.ready() == 0) return;
  asked_gate_.Tell(choices_.drafts(), choices_.ready() - 1, sequence_.stats().last_decode_ns);
  *gate_told_ = asked_gate_;
}

Status Session::Propose(std::span<const int32_t> ids) {
  if (!ids.empty()) RONDO_RETURN_IF_ERROR(CheckIds(ids));
  n_proposed_ = std::min(ids.size(), max_drafts_);
  std::copy_n(ids.begin(), n_proposed_, proposed_.begin());
  return Status();
}

// What was chosen ahead is proposed, so that nothing is lost where the tokens do not change after
// all: their next pass finds it again.
void Session::ProposeReady() {
  if (choices_.ready() > 0) {
    n_proposed_ = choices_.Ready(std::span(proposed_).first(max_drafts_));
  }
  choices_.Begin({});
}

// What was evaluated ahead, and what was chosen, of a session whose tokens may become others.
void Session::DropAhead() {
  ProposeReady();
  if (!sequence_.is_ahead()) return;
  const MutexLock turn(engine_->turn());
  sequence_.DropAhead();
}

}  // namespace rondo
