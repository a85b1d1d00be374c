#include "runtime/generation/token_choices.h"

#include <algorithm>

#include "runtime/sampling/log_probability.h"

namespace rondo {

void TokenChoices::Begin(std::span<const int32_t> drafts) {
  n_drafts_ = std::min(drafts.size(), kMostDrafts);
  std::copy_n(drafts.begin(), n_drafts_, drafts_.begin());
  n_ready_ = next_ = 0;
  Ask(DraftsBy::kNobody, 0);
}

void TokenChoices::Propose(std::span<const float> logits, const KeyHistory& tokens,
                           std::span<std::byte> scratch) {
  if (n_drafts_ == kMostDrafts) return;
  const int32_t token = Sample(logits, tokens, proposed(), scratch).token;
  if (token != Sampler::kNoToken) drafts_[n_drafts_++] = token;
}

std::span<const InputKey> TokenChoices::Rows(InputKey last, size_t most) {
  n_drafts_ = std::min(n_drafts_, most);
  rows_[0] = last;
  for (size_t i = 0; i < n_drafts_; ++i) rows_[1 + i] = InputKey(drafts_[i]);
  return {rows_.data(), 1 + n_drafts_};
}

void TokenChoices::Choose(size_t row, std::span<const float> logits, const KeyHistory& tokens,
                          std::span<std::byte> scratch) {
  Choice& chosen = chosen_[row];
  chosen = Sample(logits, tokens, {drafts_.data(), row}, scratch);
  const bool wants_logprob = logprobs_ && chosen.token != Sampler::kNoToken;
  if (wants_logprob) chosen.logprob = LogProbability(logits, chosen.token);
}

// The mask lies at the begin of the scratch.
TokenChoices::Choice TokenChoices::Sample(std::span<const float> logits, const KeyHistory& tokens,
                                          std::span<const int32_t> behind,
                                          std::span<std::byte> scratch) const {
  Sampler::TokenMask allowed;
  bool may_end = false;
  const size_t words = MaskWords(logits.size());
  if (constraint_->exists()) {
    const std::span<uint32_t> mask(reinterpret_cast<uint32_t*>(scratch.data()), words);
    const Result<Constraint::Outlook> next = constraint_->Next(tokens, behind, mask);
    if (!next.ok()) return {.constrained = true};
    if (next->forced >= 0) return {.token = next->forced};
    if (next->masked) allowed = mask;
    may_end = next->may_end;
  }
  const int32_t token = sampler_->Sample(logits, {tokens, behind},
                                         scratch.subspan(words * sizeof(uint32_t)), allowed);
  if (token != Sampler::kNoToken || !may_end) return {.token = token};
  const bool are_numbers =
      std::any_of(logits.begin(), logits.end(), [](float logit) { return logit == logit; });
  return {.is_whole = are_numbers};
}

size_t TokenChoices::CountAccepted() const {
  size_t accepted = 0;
  while (accepted < n_drafts_ && chosen_[accepted].token == drafts_[accepted]) ++accepted;
  return accepted;
}

size_t TokenChoices::Ready(std::span<int32_t> tokens) const {
  size_t n = 0;
  for (size_t i = next_; i < n_ready_ && n < tokens.size(); ++i) {
    if (chosen_[i].token == Sampler::kNoToken) break;
    tokens[n++] = chosen_[i].token;
  }
  return n;
}

size_t TokenChoices::Accept() {
  const size_t accepted = CountAccepted();
  n_ready_ = accepted + 1;
  next_ = 0;
  return accepted;
}

}  // namespace rondo
