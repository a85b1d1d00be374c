#include "runtime/engine/sequence.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "runtime/base/checked.h"
#include "runtime/model/adapter_file.h"
#include "runtime/model/sampler_options.h"

namespace rondo {

size_t Sequence::HistoryTokens(uint64_t ring_tokens, const ContextWindow& window,
                               uint64_t context) {
  const uint64_t waiting = window.slides ? context : 0;
  return (CheckedSize(ring_tokens) + waiting + kMaxPenaltyWindow).ValueOrMost();
}

void Sequence::Clear() {
  kv_.Truncate(0);
  keys_.Truncate(0);
  SetEvaluated(0);
  logits_from_ = logits_at_ = 0;
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
  keys_.Append(ids);
}

void Sequence::AppendInput(uint32_t input, uint32_t first_row, uint32_t n) {
  keys_.AppendInput(input, first_row, n);
  logits_from_ = position();
}

void Sequence::Append(std::span<const InputKey> keys, size_t first_logits) {
  logits_from_ = position() + first_logits;
  for (const InputKey key : keys) keys_.Append(key);
}

// Rows can follow the tokens that are left, and the logits of the last one can be made.
bool Sequence::CanTruncate(uint64_t tokens) const {
  if (tokens > position()) return false;
  if (tokens == 0) return true;
  if (keys_.PartsSpan(tokens)) return false;
  if (tokens > evaluated_) return tokens > keys_.begin();
  return CanRun(tokens - 1, tokens) && (tokens == evaluated_ || CanRun(tokens, tokens));
}

void Sequence::Truncate(uint64_t tokens) {
  if (tokens == 0) {
    Clear();
    return;
  }
  if (tokens < evaluated_) {
    kv_.TakeBackStates(tokens);
    SetEvaluated(RunsFrom(tokens));
  }
  TellEvaluated();
  kv_.Truncate(evaluated_);
  keys_.Truncate(tokens);
  // Logits of dropped tokens must not be taken for those of others that are appended later.
  if (logits_at_ > tokens) logits_at_ = 0;
  logits_from_ = tokens;
}

void Sequence::CopyFrom(const Sequence& other) {
  kv_.ShareAll(other.kv_);
  keys_.CopyFrom(other.keys_);
  evaluated_ = other.evaluated();
  taken_over_ = other.taken_over_;
  kept_ = other.kept_;
  restored_ = other.restored_;
  long_ = other.long_;
  logits_from_ = other.logits_from_;
  logits_at_ = other.logits_at_;
  hidden_at_ = other.hidden_at_;
  hidden_half_ = other.hidden_half_;
  if (logits_ != nullptr) std::copy_n(other.logits_, limits_.vocab_size, logits_);
  std::copy(other.hidden_.begin(), other.hidden_.end(), hidden_.begin());
}

void Sequence::Restart(uint64_t first_key, int64_t shift, uint64_t prefix, uint64_t evaluated,
                       bool is_long) {
  keys_.Restart(first_key, shift);
  keys_.set_prefix(prefix);
  SetEvaluated(evaluated);
  kv_.SetStateEnd(evaluated);
  TellEvaluated();
  taken_over_ = 0;
  restored_ = true;
  long_ = is_long;
  logits_from_ = logits_at_ = 0;
}

Status Sequence::WantLogits() {
  if (has_logits()) return Status();
  if (evaluated_ == position()) {
    const uint64_t from = RunsFrom(position() - 1);
    if (keys_.HasGone(from, position())) return InputIsGone(from);
    kv_.TakeBackStates(position() - 1);
    SetEvaluated(from);
  }
  logits_from_ = position() - 1;
  return Status();
}

bool Sequence::BecomesLong() const {
  const uint64_t short_context = limits_.short_context;
  return evaluated_ >= short_context ||
         (logits_from_ >= short_context && position() > short_context);
}

Status Sequence::CheckRows() const {
  if (keys_.n_rows() == 0 || pending() == 0) return Status();
  const bool from_first = may_become_long() && BecomesLong() != long_;
  const uint64_t from = from_first ? 0 : evaluated_;
  return keys_.HasGone(from, position()) ? InputIsGone(from) : Status();
}

// The first one from `position` on, where one is.
Status Sequence::InputIsGone(uint64_t position) const {
  position = keys_.FindGone(position, this->position());
  return Status::Error(StatusCode::kUnsupported,
                       "the input at position %llu must be evaluated again, but a snapshot had no "
                       "rows of it: append it in any session, or begin this one anew",
                       static_cast<unsigned long long>(position));
}

size_t Sequence::WholeSpans(size_t most) const {
  const uint64_t end = evaluated_ + most;
  if (!keys_.CutsSpan(end)) return most;
  uint64_t first, behind;
  keys_.SpanOf(end, &first, &behind);
  return first > evaluated_ ? first - evaluated_ : behind - evaluated_;
}

size_t Sequence::least_rows() const {
  if (limits_.whole_texts || begins_prefix()) return pending();
  return pending() == 0 ? 0 : WholeSpans(1);
}

// A model with frequencies for long sequences turns every position by them once there are more
// than short_context tokens: what is cached is then made anew.
void Sequence::SettleStart() {
  if (may_become_long()) {
    const bool is_long = BecomesLong();
    if (is_long) logits_from_ = std::max(logits_from_, limits_.short_context);
    if (is_long != long_) {
      long_ = is_long;
      SetEvaluated(0);
      kv_.Truncate(0);
    }
  }
  TakeOverPrefix();
  restored_ = restored_ && evaluated_ > 0;
}

SequenceRows Sequence::NextRows(size_t most) {
  if (may_become_long() && !long_) {
    most = std::min<uint64_t>(most, limits_.short_context - evaluated_);
  }
  if (choices_ != nullptr) {
    const size_t drafts = DraftsFor(most);
    const std::span<const InputKey> keys = choices_->Rows(keys_.key(evaluated_), drafts);
    if (drafts > 0) {
      SequenceRows rows = RowsOf(evaluated_, keys, 0);
      rows.drafts = drafts;
      return rows;
    }
  }
  most = WholeSpans(std::min<uint64_t>(most, pending()));
  const std::span<const InputKey> keys = keys_.Run(evaluated_, most);
  const uint64_t logits_from = std::clamp(logits_from_, evaluated_, evaluated_ + keys.size());
  SequenceRows rows = RowsOf(evaluated_, keys, static_cast<size_t>(logits_from - evaluated_));
  rows.shifts = keys_.Shifts(evaluated_);
  rows.first_wanted = rows.first_logits_row;
  rows.pooled = hidden_.data();
  rows.ends = keys.size() == pending();
  rows.visible_end = begins_prefix() ? position() : keys_.prefix();
  return rows;
}

// Drafts that a pass of up to `most` rows of this sequence verifies. They begin no KV block: so
// neither the pool nor the ring notices those that are rejected; and where there are states they
// end none, so that their rows are kept.
size_t Sequence::DraftsFor(size_t most) const {
  if (choices_ == nullptr) return 0;
  return std::min(choices_->drafts(), MostDrafts(most));
}

size_t Sequence::MostDrafts(size_t most) const {
  if (pending() != 1 || keys_.key(evaluated_).is_row()) return 0;
  const uint64_t last = kKvBlockTokens - (kv_.window().replays ? 2 : 1);
  const uint64_t in_block = last - std::min(last, evaluated_ % kKvBlockTokens);
  return std::min<uint64_t>({most - 1, in_block, remaining()});
}

size_t Sequence::HeadDrafts() const {
  const bool can_go_on = outcome_.ok() && hidden_before(evaluated_) != nullptr;
  return can_go_on ? std::min(asks(DraftsBy::kHead), MostDrafts(limits_.max_rows)) : 0;
}

size_t Sequence::RowsThatCount(const SequenceRows& rows) const {
  return rows.keys.size() - rows.drafts + (rows.drafts > 0 ? choices_->CountAccepted() : 0);
}

PrefixCache::Root Sequence::root() const {
  return prefix_cache_->RootOf(long_, adapter_ == nullptr ? nullptr : &adapter_->digest());
}

// What is asked for logits, and the last token, is evaluated whatever others computed.
void Sequence::TakeOverPrefix() {
  if (prefix_cache_ == nullptr || evaluated_ > 0 || keys_.begin() > 0) return;
  const uint64_t most = std::min(logits_from_, position() - 1);
  const uint64_t taken = prefix_cache_->TakeOver(root(), keys_, most, &kv_);
  SetEvaluated(taken);
  taken_over_ = taken;
  if (kv_.has_promise()) kv_.RenewPromise(evaluated_);
}

bool Sequence::Prepare(const SequenceRows& rows) {
  return kv_.Prepare(rows.position, rows.position + rows.keys.size());
}

void Sequence::TakeLogits(uint64_t position, const float* logits) {
  if (position + 1 == this->position()) {
    std::copy_n(logits, limits_.vocab_size, logits_);
    logits_at_ = position + 1;
  }
  if (sink_.row != nullptr) sink_.row(sink_.user, position, {logits, limits_.vocab_size});
}

void Sequence::ChooseToken(uint64_t position, const float* logits, std::span<std::byte> scratch) {
  choices_->Choose(position + 1 - this->position(), {logits, limits_.vocab_size}, keys_, scratch);
}

// Full blocks, as far as their tokens are appended.
void Sequence::KeepBlocks() {
  const uint64_t full = ContextWindow::Block(evaluated());
  for (; kept_ < full; ++kept_) {
    if (prefix_cache_ != nullptr && !restored_) {
      prefix_cache_->Keep(root(), keys_, kept_, &kv_);
    }
  }
}

void Sequence::Finish(const SequenceRows& rows) {
  evaluated_ += rows.keys.size();
  if (begins_prefix()) keys_.set_prefix(position());
  if (choices_ != nullptr && pending() == 0) {
    evaluated_ -= rows.drafts - choices_->Accept();
    logits_at_ = 0;  // those that are stored are of an earlier row
  }
  kv_.Commit(evaluated_);
  TellEvaluated();
  KeepBlocks();
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
