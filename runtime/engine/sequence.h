// Sequence: tokens and their KV. Tokens are appended first and evaluated by passes of the engine.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "runtime/base/cancellation.h"
#include "runtime/base/status.h"
#include "runtime/decoder/pass_rows.h"
#include "runtime/engine/stats.h"
#include "runtime/generation/token_choices.h"
#include "runtime/kv/block_table.h"
#include "runtime/kv/key_history.h"
#include "runtime/kv/prefix_cache.h"

namespace rondo {

class AdapterFile;
class Drafter;

// Takes the logits of one position, [vocab_size]; called in the order of positions, on the thread
// that runs the pass.
struct LogitsSink {
  void (*row)(void* user, uint64_t position, std::span<const float> logits) = nullptr;
  void* user = nullptr;
};

// What all sequences of an engine have in common.
struct SequenceLimits {
  size_t vocab_size;
  size_t max_rows;         // of one pass
  uint64_t context;        // tokens that a sequence can see
  uint64_t short_context;  // DecoderSpec::short_context
  bool whole_texts;        // all that is pending is evaluated in one pass
  bool has_prefix;         // what the first pass evaluates is a prefix (KeyHistory)
};

// Truncate(0) before its end gives its blocks back. All calls but Cancel: one thread at a time, and
// none while the engine evaluates the sequence.
class Sequence {
 public:
  // Tokens to remember: all that the cache may still hold, under SLIDE a context of those that wait
  // for a pass, and before them what penalties look at.
  static size_t HistoryTokens(uint64_t ring_tokens, const ContextWindow& window, uint64_t context);

  // `prefix_cache`: null where there is none. `logits`: null where no pass stores any. `hidden`:
  // for the draft head or an assistant, [2, hidden_size]; for an embedder, its pooled rows;
  // empty: there is none.
  Sequence(const SequenceLimits& limits, const BlockTable& kv, PrefixCache* prefix_cache,
           const KeyHistory& keys, float* logits, std::span<float> hidden = {})
      : limits_(limits),
        kv_(kv),
        prefix_cache_(prefix_cache),
        keys_(keys),
        logits_(logits),
        hidden_(hidden) {
    Clear();
  }
  Sequence(const Sequence&) = delete;
  Sequence& operator=(const Sequence&) = delete;

  // While it has no tokens. It outlives the sequence; null: none.
  void set_adapter(const AdapterFile* adapter) { adapter_ = adapter; }
  const AdapterFile* adapter() const { return adapter_; }

  const KeyHistory& keys() const { return keys_; }
  uint64_t position() const { return keys_.end(); }  // tokens, and rows of inputs, appended
  // Of these, those whose KV is cached.
  uint64_t evaluated() const { return std::min(evaluated_, position()); }
  // [any thread] The same, as the last pass left it.
  uint64_t evaluated_so_far() const { return evaluated_so_far_.load(std::memory_order_relaxed); }
  uint64_t pending() const { return position() - evaluated(); }
  // All that is pending becomes the prefix with the next pass.
  bool begins_prefix() const { return limits_.has_prefix && keys_.prefix() == 0; }
  // Accepted drafts are evaluated before they are appended. Any other change of the sequence drops
  // them first.
  bool is_ahead() const { return evaluated_ > position(); }
  void DropAhead() { Truncate(position()); }
  // Of these, tokens that the prefix cache had: they were not computed for this sequence.
  uint64_t taken_over() const { return taken_over_; }
  // Tokens that may be appended before a pass; 0: one must run first.
  uint64_t room() const;
  // Tokens that still fit under STOP; UINT64_MAX under SLIDE.
  uint64_t remaining() const;
  // Positions [begin, end) were evicted: the last token does not see them.
  void Evicted(uint64_t* begin, uint64_t* end) const;
  uint64_t evicted() const {
    uint64_t begin, end;
    Evicted(&begin, &end);
    return end - begin;
  }

  // At most room() ids, all < vocab_size. Of what is pending, the ids from `first_logits` on (an
  // index; ids.size(): none) ask for logits.
  void Append(std::span<const int32_t> ids, size_t first_logits);
  // Rows of an input that the caller holds, at most room(); none asks for logits.
  void AppendInput(uint32_t input, uint32_t first_row, uint32_t n);
  // Keys that are another's.
  void Append(std::span<const InputKey> keys, size_t first_logits);
  // The sequence can be cut back to its first `tokens` tokens: all that it sees then is held, or,
  // under STOP, can be computed again from its tokens, to the same bits. So is, where the model
  // keeps states, what lies between the last one that is held and the cut.
  // Not where a prefix would be parted, or an input whose rows see each other or have coordinates.
  bool CanTruncate(uint64_t tokens) const;
  void Truncate(uint64_t tokens);  // CanTruncate
  // Becomes a copy of `other`, of the same engine: blocks are shared until one of them writes.
  void CopyFrom(const Sequence& other);

  // Asks for the last position's logits: once more its row, where they are not there. Not empty.
  // Where row_runs_again(), the caller has the turn. Error, and nothing has happened: kUnsupported
  // (it is of an input that is gone, or one must run again before it).
  Status WantLogits();
  bool row_runs_again() const { return evaluated_ == position() && !has_logits(); }
  bool has_logits() const { return logits_at_ == position() && position() > 0; }
  std::span<const float> logits() const { return {logits_, limits_.vocab_size}; }
  // While set, it is handed the logits of every position that asks for them.
  void set_sink(const LogitsSink& sink) { sink_ = sink; }
  bool has_sink() const { return sink_.row != nullptr; }

  // While set, passes sample the tokens behind the last one, and verify drafts; logits() are not
  // stored then.
  void set_choices(TokenChoices* choices) { choices_ = choices; }
  TokenChoices* choices() const { return choices_; }
  // How many drafts the next pass wants of these.
  size_t asks(DraftsBy by) const { return choices_ == nullptr ? 0 : choices_->asked(by); }
  // Where there is a draft model; it outlives the sequence.
  void set_drafter(Drafter* drafter) { drafter_ = drafter; }
  Drafter* drafter() const { return drafter_; }

  // ---- For the draft head, or an assistant ----

  // Of the drafts that it is asked for, as many as a pass of max_rows verifies; 0 where the head
  // cannot go on.
  size_t HeadDrafts() const;
  // Their rows, one at a time; what PrepareHead took, GiveBack gives back. `key` outlives the pass.
  bool PrepareHead(size_t drafts) { return kv_.Prepare(evaluated_, evaluated_ + drafts); }
  SequenceRows HeadRow(size_t draft, const InputKey* key) {
    return RowsOf(evaluated_ + draft, {key, 1}, 1);
  }
  // An assistant's for every draft.
  SequenceRows AssistantRow(const InputKey* key) { return RowsOf(evaluated_ - 1, {key, 1}, 1); }
  // What the head reads of the row before the one at `position`; null: that is not known.
  const float* hidden_before(uint64_t position) const {
    return hidden_at_ == position && position > 0 ? hidden_half(hidden_half_) : nullptr;
  }
  // What it reads of a draft's row while it proposes.
  float* hidden_of_draft() const { return hidden_half(1 - hidden_half_); }
  // How many rows of a pass whose logits are made will count as evaluated. What the head reads of
  // the last of these goes to KeepHidden.
  size_t RowsThatCount(const SequenceRows& rows) const;
  // What hidden_before gave stays until the next.
  float* KeepHidden(uint64_t position) {
    hidden_at_ = position + 1;
    hidden_half_ = 1 - hidden_half_;
    return hidden_half(hidden_half_);
  }

  // An embedder's: what the rows of the text are gathered in, in place of logits.
  const float* pooled() const { return hidden_.data(); }
  // Fewer rows than these are of no use: rows that see each other are of one pass.
  size_t least_rows() const;

  // ---- For snapshots ----

  const BlockTable& kv() const { return kv_; }
  BlockTable& kv() { return kv_; }
  bool is_long() const { return long_; }
  // Forgets all but the blocks, which hold the first `evaluated` positions as `is_long` says, of
  // them a prefix. The keys from `first_key` on, which has this shift, are then appended.
  void Restart(uint64_t first_key, int64_t shift, uint64_t prefix, uint64_t evaluated,
               bool is_long);
  // What is_long() is in a sequence that has no tokens.
  bool BeginsLong() const {
    // A window that slides turns by one set of frequencies from its first token on.
    return kv_.window().slides && limits_.context > limits_.short_context;
  }

  // ---- Cancellation ----

  // [any thread] The pass that is running, or the next one, leaves this sequence out.
  void Cancel() { cancellation_->Cancel(); }
  void ForgetCancel() {
    if (cancellation_->Forget()) has_forgotten_cancel_ = true;
  }
  // Since the pass began, one that is of no call's number.
  bool has_forgotten_cancel() const { return has_forgotten_cancel_; }
  // It outlives the sequence; else there is one of its own.
  void set_cancellation(Cancellation* cancellation) { cancellation_ = cancellation; }
  Cancellation& cancellation() { return *cancellation_; }
  const Cancellation& cancellation() const { return *cancellation_; }
  // How the last pass ended for this sequence: kCancelled, or ok. Ok where it had no rows.
  const Status& outcome() const { return outcome_; }
  // There is no pass for it.
  void Refuse(const Status& why) { outcome_ = why; }

  SequenceStats& stats() { return stats_; }
  // What another sequence evicted is not counted as this one's.
  void CountEvictionsFromHere() { stats_.evicted_before = evicted(); }

  // ---- For passes ----

  // outcome() says whether it can have rows: not where rows of an input that is gone must run.
  void BeginPass() {
    outcome_ = CheckRows();
    has_forgotten_cancel_ = false;
    decodes_ = pending() == 1 && !limits_.whole_texts;
  }
  // It waited for one row when the pass began, beside those of drafts. NextRows may have more made
  // anew.
  bool decodes() const { return decodes_; }
  // How many passes it waited for and had no rows in, since it last had some.
  uint32_t passed_over() const { return passed_over_; }
  void PassOver() { ++passed_over_; }
  void EnterPass() { passed_over_ = 0; }
  // Before NextRows: from where on its rows run. What turns by other frequencies from now on runs
  // again; what the prefix cache has of it, it takes over. At least one position is pending.
  void SettleStart();
  // Its rows of a pass that gives it up to `most` rows, least_rows() at least.
  SequenceRows NextRows(size_t most);
  bool Prepare(const SequenceRows& rows);
  // What Prepare took, if it did; Unprepare, where no row has run since.
  void GiveBack() { kv_.Rollback(); }
  void Unprepare() { kv_.Unprepare(); }
  bool cancelled() const { return cancellation_->cancelled(); }
  // The logits of the row at `position`: TakeLogits stores them. Where the row is sampled,
  // ChooseToken does instead, on any thread, beside other rows.
  bool samples() const { return choices_ != nullptr; }
  void TakeLogits(uint64_t position, const float* logits);
  void ChooseToken(uint64_t position, const float* logits, std::span<std::byte> scratch);
  void Finish(const SequenceRows& rows);  // evaluated
  void Abandon(const Status& status);     // as before the pass
  void EndIfCancelled();                  // where it has no rows in a pass

 private:
  void Clear();
  SequenceRows RowsOf(uint64_t position, std::span<const InputKey> keys, size_t first_logits) {
    return {.kv = &kv_,
            .position = position,
            .keys = keys,
            .first_logits_row = first_logits,
            .long_sequence = long_,
            .cancel = cancellation_,
            .adapter = adapter_,
            .shift = keys_.shift(keys_.end())};
  }
  float* hidden_half(size_t i) const { return hidden_.data() + i * (hidden_.size() / 2); }
  Status CheckRows() const;
  Status InputIsGone(uint64_t position) const;
  bool may_become_long() const { return limits_.short_context != 0 && !kv_.window().slides; }
  // Where it may: it turns by the frequencies for long sequences when it is evaluated next.
  bool BecomesLong() const;
  // Of `most` rows from `evaluated_` on, those that end before a prefix, or an input whose rows see
  // each other, that is not whole among them.
  size_t WholeSpans(size_t most) const;
  PrefixCache::Root root() const;
  void TakeOverPrefix();
  size_t DraftsFor(size_t most) const;
  size_t MostDrafts(size_t most) const;
  void KeepBlocks();
  // Before a pass, where other rows are run next.
  void SetEvaluated(uint64_t tokens) {
    evaluated_ = tokens;
    hidden_at_ = 0;
    taken_over_ = std::min(taken_over_, tokens);
    kept_ = ContextWindow::Block(tokens);
  }
  void TellEvaluated() { evaluated_so_far_.store(evaluated_, std::memory_order_relaxed); }
  // From where on rows are run so that the one at `position` can be, again; kNoRow: it cannot.
  uint64_t RunsFrom(uint64_t position) const { return kv_.RunsFrom(position, keys_.begin()); }
  // The rows before `end` that must run so that the one at `position` can be are there.
  bool CanRun(uint64_t position, uint64_t end) const {
    const uint64_t from = RunsFrom(position);
    return from != kNoRow && !keys_.HasGone(from, end);
  }

  const SequenceLimits& limits_;
  BlockTable kv_;
  PrefixCache* const prefix_cache_;
  const AdapterFile* adapter_ = nullptr;
  KeyHistory keys_;
  float* const logits_;            // [vocab_size]
  const std::span<float> hidden_;  // of a row that was evaluated last, and of one with a draft
  uint64_t evaluated_ = 0;
  uint64_t taken_over_ = 0;
  uint64_t kept_ = 0;  // blocks from here on are not in the prefix cache yet
  // Some of its KV comes from a snapshot, which another kernel set or anybody may have made: the
  // prefix cache gets none of it, nor what follows from it.
  bool restored_ = false;
  bool long_ = false;         // those turn by the frequencies for long sequences
  uint64_t logits_from_ = 0;  // positions from here on ask for logits
  uint64_t logits_at_ = 0;    // logits_ are those after this many tokens; 0: none
  uint64_t hidden_at_ = 0;    // a half of hidden_ was made of the row before this one; 0: none was
  size_t hidden_half_ = 0;    // which
  LogitsSink sink_;
  TokenChoices* choices_ = nullptr;
  Drafter* drafter_ = nullptr;
  SequenceStats stats_;
  Status outcome_;
  bool decodes_ = false;
  bool has_forgotten_cancel_ = false;
  uint32_t passed_over_ = 0;
  Cancellation own_cancellation_;
  Cancellation* cancellation_ = &own_cancellation_;
  std::atomic<uint64_t> evaluated_so_far_ = 0;
};

}  // namespace rondo
