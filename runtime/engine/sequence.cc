#include "runtime/engine/sequence.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "runtime/base/checked.h"
#include "runtime/sampling/sampler_options.h"

namespace rondo {

size_t Sequence::HistoryTokens(uint64_t ring_tokens, const ContextWindow& window,
                               uint64_t context) {
  const uint64_t waiting = window.slides ? context : 0;
  return (CheckedSize(ring_tokens) + waiting + kMaxPenaltyWindow).ValueOrMost();
}

void Sequence::Clear() {
  kv_.Truncate(0);
  tokens_.Truncate(0);
  evaluated_ = taken_over_ = logits_from_ = logits_at_ = 0;
  long_ = BeginsLong();
  TellEvaluated();
}

// Under SLIDE a context's worth of tokens may wait, so that none overwrites what an undo needs;
// under STOP the whole context is remembered.
uint64_t Sequence::room() const {
  return kv_.window().slides ? limits_.context - std::min(pending(), limits_.context) : remaining();
}

uint64_t Sequence::remaining() const {
  return kv_.window().slides ? std::numeric_limits<uint64_t>::max() : limits_.context - position();
}

void Sequence::Evicted(uint64_t* begin, uint64_t* end) const {
  *begin = *end = 0;
  if (position() == 0) return;
  const ContextWindow& window = kv_.window();
  const uint64_t first = window.FirstRecentBlock(position() - 1);
  if (!window.slides || first <= window.sink_blocks) return;
  *begin = window.sink_blocks * kKvBlockTokens;
  *end = first * kKvBlockTokens;
}

void Sequence::Append(std::span<const int32_t> ids, size_t first_logits) {
  logits_from_ = position() + first_logits;
  tokens_.Append(ids);
}

// Rows can follow the tokens that are left, and the logits of the last one can be made.
bool Sequence::CanTruncate(uint64_t tokens) const {
  if (tokens > position()) return false;
  if (tokens == 0) return true;
  if (tokens > evaluated_) return tokens > tokens_.begin();
  return RunsFrom(tokens - 1) != kNoRow && (tokens == evaluated_ || RunsFrom(tokens) != kNoRow);
}

void Sequence::Truncate(uint64_t tokens) {
  if (tokens == 0) {
    Clear();
    return;
  }
  if (tokens < evaluated_) evaluated_ = RunsFrom(tokens);
  TellEvaluated();
  taken_over_ = std::min(taken_over_, evaluated_);
  kv_.Truncate(evaluated_);
  tokens_.Truncate(tokens);
  // Logits of dropped tokens must not be taken for those of others that are appended later.
  if (logits_at_ > tokens) logits_at_ = 0;
  logits_from_ = tokens;
}

void Sequence::CopyFrom(const Sequence& other) {
  kv_.ShareAll(other.kv_);
  tokens_.CopyFrom(other.tokens_);
  evaluated_ = other.evaluated_;
  taken_over_ = other.taken_over_;
  restored_ = other.restored_;
  long_ = other.long_;
  logits_from_ = other.logits_from_;
  logits_at_ = other.logits_at_;
  std::copy_n(other.logits_, limits_.vocab_size, logits_);
}

void Sequence::Restart(uint64_t first_token, uint64_t evaluated, bool is_long) {
  tokens_.Restart(first_token);
  evaluated_ = evaluated;
  TellEvaluated();
  taken_over_ = 0;
  restored_ = true;
  long_ = is_long;
  logits_from_ = logits_at_ = 0;
}

void Sequence::WantLogits() {
  if (has_logits()) return;
  if (evaluated_ == position()) evaluated_ = RunsFrom(position() - 1);
  taken_over_ = std::min(taken_over_, evaluated_);
  logits_from_ = position() - 1;
}

// A model with frequencies for long sequences turns every position by them once there are more
// than short_context tokens: what is cached is then made anew.
SequenceRows Sequence::NextRows(size_t most) {
  const uint64_t short_context = limits_.short_context;
  const bool may_change = short_context != 0 && !kv_.window().slides;
  if (may_change) {
    const bool is_long = evaluated_ >= short_context ||
                         (logits_from_ >= short_context && position() > short_context);
    if (is_long) logits_from_ = std::max(logits_from_, short_context);
    if (is_long != long_) {
      long_ = is_long;
      evaluated_ = taken_over_ = 0;
      kv_.Truncate(0);
    }
  }
  TakeOverPrefix();
  if (may_change && !long_) most = std::min<uint64_t>(most, short_context - evaluated_);
  restored_ = restored_ && evaluated_ > 0;
  const std::span<const int32_t> tokens =
      tokens_.Run(evaluated_, std::min<uint64_t>(most, pending()));
  const uint64_t logits_from = std::clamp(logits_from_, evaluated_, evaluated_ + tokens.size());
  return {&kv_, evaluated_, tokens, static_cast<size_t>(logits_from - evaluated_), long_, &cancel_};
}

// What is asked for logits, and the last token, is evaluated whatever others computed.
void Sequence::TakeOverPrefix() {
  if (prefix_cache_ == nullptr || evaluated_ > 0 || tokens_.begin() > 0) return;
  const uint64_t most = std::min(logits_from_, position() - 1);
  evaluated_ = taken_over_ = prefix_cache_->TakeOver(root(), tokens_, most, &kv_);
  if (kv_.has_promise()) kv_.RenewPromise(evaluated_);
}

bool Sequence::Prepare(const SequenceRows& rows) {
  return kv_.Prepare(rows.position, rows.position + rows.tokens.size());
}

void Sequence::TakeLogits(uint64_t position, const float* logits) {
  if (position + 1 == this->position()) {
    std::copy_n(logits, limits_.vocab_size, logits_);
    logits_at_ = position + 1;
  }
  if (sink_.row != nullptr) sink_.row(sink_.user, position, {logits, limits_.vocab_size});
}

void Sequence::Finish(const SequenceRows& rows) {
  kv_.Commit();
  const uint64_t full = ContextWindow::Block(evaluated_);
  evaluated_ += rows.tokens.size();
  TellEvaluated();
  const bool keeps = prefix_cache_ != nullptr && !restored_;
  for (uint64_t b = full; keeps && b < ContextWindow::Block(evaluated_); ++b) {
    prefix_cache_->Keep(root(), tokens_, b, &kv_);
  }
  if (kv_.has_promise()) kv_.RenewPromise(evaluated_);
  outcome_ = Status();
}

void Sequence::Abandon(const Status& status) {
  GiveBack();
  outcome_ = status;
  if (status.code() == StatusCode::kCancelled) ForgetCancel();
}

void Sequence::EndIfCancelled() {
  if (!cancelled()) return;
  outcome_ = Status::Error(StatusCode::kCancelled, "cancelled before its pass");
  ForgetCancel();
}

}  // namespace rondo
