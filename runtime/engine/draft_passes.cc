#include "runtime/engine/draft_passes.h"

#include <algorithm>

#include "runtime/engine/drafter.h"
#include "runtime/engine/engine.h"

namespace rondo {

void DraftPasses::Run(PassRequest* requests) {
  prefill_ns_ = decode_ns_ = 0;
  Collect(requests);
  if (n_ == 0) return;
  const ProfileSpan span(engine_.profile(), "draft", n_);
  bool more = true;
  while (more) {
    const StatsClock clock;
    more = RunPass();
    // Behind drafts that were all accepted there are two.
    const bool is_new = std::any_of(rows_.begin(), rows_.begin() + n_rows_,
                                    [](const SequenceRows& r) { return r.tokens.size() > 2; });
    (is_new ? prefill_ns_ : decode_ns_) += clock.nanoseconds();
  }
}

void DraftPasses::Collect(PassRequest* requests) {
  n_ = 0;
  const MutexLock turn(engine_.turn());
  for (PassRequest* request = requests; request != nullptr; request = request->next) {
    for (Sequence* sequence : request->sequences) {
      Drafter* const drafter = sequence->drafter();
      const bool wants = drafter != nullptr && drafter->wanted() > 0 && sequence->outcome().ok() &&
                         sequence->pending() == 1;
      if (!wants || n_ == members_.size()) continue;
      drafter->Follow(sequence->tokens());
      if (drafter->end() == sequence->position()) members_[n_++] = sequence;
    }
  }
}

bool DraftPasses::RunPass() {
  if (!TakeRows()) return false;
  Decoder& decoder = engine_.draft().decoder;
  const Pass pass(decoder.resources(), {rows_.data(), n_rows_});
  decoder.Embed(pass);
  for (size_t layer = 0; layer < decoder.spec().n_layers() && !AllCancelled(); ++layer) {
    decoder.RunLayer(pass, layer);
  }
  if (!AllCancelled()) Propose(pass);
  Finish();
  return true;
}

bool DraftPasses::TakeRows() {
  n_rows_ = 0;
  size_t left = engine_.draft().limits.max_rows;
  const MutexLock turn(engine_.turn());
  for (size_t i = 0; i < n_ && left > 0; ++i) {
    if (members_[i] == nullptr) continue;
    Sequence& sequence = members_[i]->drafter()->sequence();
    const bool can_run = sequence.pending() > 0 && !members_[i]->cancelled();
    SequenceRows rows = can_run ? sequence.NextRows(left) : SequenceRows();
    if (!can_run || !sequence.Prepare(rows)) {
      members_[i] = nullptr;
      continue;
    }
    rows.cancel = &members_[i]->cancellation();
    left -= rows.tokens.size();
    member_of_[n_rows_] = i;
    rows_[n_rows_++] = rows;
  }
  return n_rows_ > 0;
}

bool DraftPasses::AllCancelled() const {
  return std::all_of(rows_.begin(), rows_.begin() + n_rows_,
                     [](const SequenceRows& rows) { return rows.cancelled(); });
}

void DraftPasses::Propose(const Pass& pass) {
  Decoder& decoder = engine_.draft().decoder;
  std::array<size_t, kMostLogitRows> rows;
  std::array<Sequence*, kMostLogitRows> of;
  size_t n = 0, end = 0;
  const auto sample = [&] {
    const float* logits = decoder.Logits(pass, {rows.data(), n}, false);
    engine_.pool().For(n, [&](size_t i, size_t thread) {
      const std::span<const float> own(logits + i * decoder.spec().vocab_size,
                                       decoder.spec().vocab_size);
      of[i]->choices()->Propose(engine_.AsOurs(own, thread), of[i]->tokens(),
                                engine_.sampler_scratch(thread));
    });
    n = 0;
  };
  for (size_t i = 0; i < n_rows_; ++i) {
    end += rows_[i].tokens.size();
    Sequence* const member = members_[member_of_[i]];
    const Sequence& sequence = member->drafter()->sequence();
    if (rows_[i].position + rows_[i].tokens.size() < sequence.position()) continue;
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
    Drafter& drafter = *member->drafter();
    Sequence& sequence = drafter.sequence();
    if (rows_[i].cancelled()) {
      sequence.GiveBack();
      member = nullptr;
      continue;
    }
    sequence.Finish(rows_[i]);
    if (sequence.pending() > 0) continue;
    const std::span<const int32_t> drafts = member->choices()->proposed();
    const bool has_one_more = drafter.end() + 1 == member->tokens().end() + drafts.size();
    if (!has_one_more || drafts.size() >= drafter.wanted() || sequence.room() == 0) {
      member = nullptr;
      continue;
    }
    sequence.Append(drafts.last(1), 0);
  }
}

}  // namespace rondo
