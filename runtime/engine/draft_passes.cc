#include "runtime/engine/draft_passes.h"

#include <algorithm>

#include "runtime/engine/drafter.h"
#include "runtime/engine/engine.h"

namespace rondo {

namespace {

// Tokens of a session that follow what the draft model has seen: the last one, and behind drafts
// that were all accepted one more.
constexpr uint64_t kMostFollowed = 2;

}  // namespace

bool DraftPasses::Begin(PassRequest* requests) {
  prefill_ns_ = decode_ns_ = 0;
  Collect(requests);
  is_first_ = true;
  return BeginPass();
}

bool DraftPasses::Continue() {
  const StatsClock clock;
  const ProfileSpan span(engine_.profile(), "draft", n_rows_);
  Decoder& decoder = engine_.draft().decoder;
  bool more = true;
  const bool was_new = is_new_;
  if (layer_ < decoder.spec().n_layers() && !AllCancelled()) {
    decoder.RunLayer(*pass_, layer_++);
  } else {
    if (!AllCancelled()) Propose();
    pass_.reset();
    Finish();
    more = BeginPass();
  }
  (was_new ? prefill_ns_ : decode_ns_) += clock.nanoseconds();
  return more;
}

void DraftPasses::Drop(const Sequence* sequence) {
  for (size_t i = 0; i < n_; ++i) {
    if (members_[i] != sequence) continue;
    for (size_t r = 0; pass_.has_value() && r < n_rows_; ++r) {
      if (member_of_[r] != i || rows_[r].dropped()) continue;
      const MutexLock turn(engine_.turn());
      members_[i]->drafter()->sequence().GiveBack();
      rows_[r].Drop();
    }
    members_[i] = nullptr;
  }
}

void DraftPasses::Collect(PassRequest* requests) {
  n_ = 0;
  const MutexLock turn(engine_.turn());
  for (PassRequest* request = requests; request != nullptr; request = request->next) {
    if (request->served) continue;  // its call returns
    for (Sequence* sequence : request->sequences) {
      Drafter* const drafter = sequence->drafter();
      const bool wants = sequence->asks(DraftsBy::kModel) > 0 && sequence->outcome().ok() &&
                         sequence->pending() == 1;
      if (!wants || n_ == members_.size()) continue;
      drafter->Follow(sequence->keys());
      if (drafter->end() == sequence->position()) members_[n_++] = sequence;
    }
  }
}

bool DraftPasses::BeginPass() {
  if (!TakeRows()) return false;
  is_first_ = false;
  is_new_ = std::any_of(rows_.begin(), rows_.begin() + n_rows_,
                        [](const SequenceRows& r) { return r.keys.size() > kMostFollowed; });
  Decoder& decoder = engine_.draft().decoder;
  pass_.emplace(decoder.resources(), std::span(rows_.data(), n_rows_));
  layer_ = 0;
  decoder.Embed(*pass_);
  return true;
}

bool DraftPasses::TakeRows() {
  n_rows_ = 0;
  size_t left = engine_.draft().limits.max_rows;
  const MutexLock turn(engine_.turn());
  for (size_t i = 0; i < n_ && left > 0; ++i) {
    if (members_[i] == nullptr) continue;
    Sequence& sequence = members_[i]->drafter()->sequence();
    const bool can_run = sequence.pending() > 0 && !members_[i]->cancelled() &&
                         (is_first_ || sequence.pending() <= kMostFollowed);
    if (can_run) sequence.SettleStart();
    SequenceRows rows = can_run ? sequence.NextRows(left) : SequenceRows();
    if (!can_run || !sequence.Prepare(rows)) {
      members_[i] = nullptr;
      continue;
    }
    rows.cancel = &members_[i]->cancellation();
    left -= rows.keys.size();
    member_of_[n_rows_] = i;
    rows_[n_rows_++] = rows;
  }
  return n_rows_ > 0;
}

bool DraftPasses::AllCancelled() const {
  return std::all_of(rows_.begin(), rows_.begin() + n_rows_,
                     [](const SequenceRows& rows) { return rows.cancelled(); });
}

void DraftPasses::Propose() {
  Decoder& decoder = engine_.draft().decoder;
  std::array<size_t, kMostLogitRows> rows;
  std::array<Sequence*, kMostLogitRows> of;
  size_t n = 0, end = 0;
  const auto sample = [&] {
    const float* logits = decoder.Logits(*pass_, {rows.data(), n}, false);
    engine_.pool().For(n, [&](size_t i, size_t thread) {
      const std::span<const float> own(logits + i * decoder.spec().vocab_size,
                                       decoder.spec().vocab_size);
      of[i]->choices()->Propose(engine_.AsOurs(own, thread), of[i]->keys(),
                                engine_.sampler_scratch(thread));
    });
    n = 0;
  };
  for (size_t i = 0; i < n_rows_; ++i) {
    end += pass_->rows_of(rows_[i]);
    Sequence* const member = members_[member_of_[i]];
    if (member == nullptr) continue;
    const Sequence& sequence = member->drafter()->sequence();
    if (rows_[i].position + rows_[i].keys.size() < sequence.position()) continue;
    rows[n] = end - 1;
    of[n++] = member;
    if (n == decoder.logit_rows()) sample();
  }
  if (n > 0) sample();
}

void DraftPasses::Finish() {
  const MutexLock turn(engine_.turn());
  for (size_t i = 0; i < n_rows_; ++i) {
    Sequence*& member = members_[member_of_[i]];
    if (member == nullptr) continue;
    Drafter& drafter = *member->drafter();
    Sequence& sequence = drafter.sequence();
    if (rows_[i].cancelled()) {
      sequence.GiveBack();
      member = nullptr;
      continue;
    }
    sequence.Finish(rows_[i]);
    if (sequence.pending() > 0) {  // it goes on before the next pass
      member = nullptr;
      continue;
    }
    const std::span<const int32_t> drafts = member->choices()->proposed();
    const bool has_one_more = drafter.end() + 1 == member->keys().end() + drafts.size();
    if (!has_one_more || drafts.size() >= member->asks(DraftsBy::kModel) || sequence.room() == 0) {
      member = nullptr;
      continue;
    }
    sequence.Append(drafts.last(1), 0);
  }
}

}  // namespace rondo
