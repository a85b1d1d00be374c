#include "runtime/engine/pass_under_way.h"

#include <algorithm>
#include <array>

#include "platforms/this_thread.h"
#include "runtime/engine/engine.h"

namespace rondo {

bool PassUnderWay::Begin(PassRequest* requests) {
  report_ = PassReport();
  work_ = requests->work != nullptr ? requests : nullptr;
  if (work_ != nullptr) {
    work_->in_pass = 1;
    return true;
  }
  for (PassRequest* request = requests; request != nullptr; request = request->next) {
    for (Sequence* sequence : request->sequences) {
      sequence->BeginPass();
      sequence->EndIfCancelled();
      request->served |= !sequence->outcome().ok();
    }
  }
  next_proposer_ = 0;
  if (!BeginNext(requests)) return false;
  if (at_work_ == nullptr) return true;
  for (PassRequest* request = requests; request != nullptr; request = request->next) {
    request->in_pass = request->served ? 0 : 1;
  }
  return true;
}

bool PassUnderWay::BeginNext(PassRequest* requests) {
  while (next_proposer_ < proposers_.size()) {
    at_work_ = proposers_[next_proposer_++];
    works_ = at_work_->Begin(requests);
    if (works_) return true;
  }
  at_work_ = nullptr;
  return BeginRows(requests);
}

void PassUnderWay::LeaveDrafts(PassRequest* requests) {
  for (PassRequest* request = requests; request != nullptr; request = request->next) {
    if (std::none_of(request->sequences.begin(), request->sequences.end(),
                     [](const Sequence* sequence) { return sequence->cancelled(); })) {
      continue;
    }
    for (Sequence* sequence : request->sequences) {
      at_work_->Drop(sequence);
      sequence->EndIfCancelled();
    }
    request->served = true;
    request->in_pass = 0;
  }
}

bool PassUnderWay::BeginRows(PassRequest* requests) {
  for (PassRequest* request = requests; request != nullptr; request = request->next) {
    request->in_pass = 0;
  }
  const EngineOptions& options = engine_.plan_.options;
  {
    const MutexLock turn(engine_.turn());
    ScheduleRows(requests, options.max_rows, options.rows_per_step, &engine_.stats(), &members_);
  }
  if (members_.n == 0) return false;
  report_.sequences = members_.n;
  report_.rows = members_.CountRows();
  clock_ = StatsClock();
  if (Profile* const profile = engine_.profile()) profile_begin_ = profile->Now();
  layer_ = 0;
  more_logits_ = true;
  next_logits_ = Cursor();
  sample_ns_ = 0;
  WantHidden();
  pass_.emplace(engine_.runner().decoder.resources(), std::span(members_.rows.data(), members_.n));
  engine_.runner().decoder.Embed(*pass_);
  return true;
}

// A draft head reads every row, an assistant those that may be the last of their sequence.
void PassUnderWay::WantHidden() {
  if (!engine_.keeps_hidden()) return;
  for (size_t i = 0; i < members_.n; ++i) {
    SequenceRows& rows = members_.rows[i];
    const size_t last = engine_.has_assistant() ? rows.keys.size() - 1 : 0;
    rows.first_wanted = std::min(rows.first_wanted, last);
  }
}

bool PassUnderWay::Continue(PassRequest* requests) {
  if (work_ != nullptr) {
    work_->work(work_->context);
    work_->served = true;
    return false;
  }
  if (at_work_ != nullptr) {
    if (!works_) return BeginNext(requests);
    works_ = at_work_->Continue();
    LeaveDrafts(requests);
    return true;
  }
  Decoder& decoder = engine_.runner().decoder;
  bool more = true;
  if (layer_ < decoder.spec().n_layers()) {
    decoder.RunLayer(*pass_, layer_++);
  } else if (decoder.spec().is_embedder()) {
    decoder.Pool(*pass_);
    more = false;
  } else if (more_logits_) {
    more_logits_ = MakeLogits();
    more = more_logits_ || engine_.keeps_hidden();
  } else {
    FollowForDrafts();
    more = false;
  }
  DropCancelled();
  const auto end = members_.sequences.begin() + members_.n;
  if (more && !std::all_of(members_.sequences.begin(), end, [](auto* s) { return s == nullptr; })) {
    return true;
  }
  Finish();
  return false;
}

void PassUnderWay::DropCancelled() {
  for (size_t i = 0; i < members_.n; ++i) {
    Sequence*& sequence = members_.sequences[i];
    if (sequence == nullptr || !sequence->cancelled()) continue;
    {
      const MutexLock turn(engine_.turn());
      sequence->Abandon(Status::Error(StatusCode::kCancelled, "cancelled behind layer %zu of %zu",
                                      layer_, engine_.runner().decoder.spec().n_layers()));
    }
    members_.rows[i].Drop();
    sequence = nullptr;
    --members_.requests[i]->in_pass;
    pass_->TrimDropped();
  }
}

bool PassUnderWay::Find(Cursor* cursor) const {
  for (; cursor->member < members_.n; ++cursor->member, cursor->row = 0) {
    const SequenceRows& rows = members_.rows[cursor->member];
    cursor->row = std::max(cursor->row, rows.first_logits_row);
    if (!rows.dropped() && cursor->row < rows.keys.size()) return true;
    cursor->first_row += pass_->rows_of(rows);
  }
  return false;
}

bool PassUnderWay::MakeLogits() {
  Decoder& decoder = engine_.runner().decoder;
  std::array<Cursor, kMostLogitRows> wanted;
  std::array<size_t, kMostLogitRows> pass_rows;
  size_t n = 0;
  for (; n < decoder.logit_rows() && Find(&next_logits_); ++next_logits_.row) {
    wanted[n] = next_logits_;
    const size_t first = pass_->first_key(members_.rows[next_logits_.member]);
    pass_rows[n++] = next_logits_.first_row + next_logits_.row - first;
  }
  if (n == 0) return false;
  const bool more = Find(&next_logits_);
  const bool shared =
      n > 1 && std::any_of(wanted.begin(), wanted.begin() + n, [&](const Cursor& c) {
        return members_.sequences[c.member]->samples();
      });
  const bool last = !more && !engine_.keeps_hidden();
  const float* logits = decoder.Logits(*pass_, {pass_rows.data(), n}, last && !shared);
  UseLogits({wanted.data(), n}, logits, last);
  return more;
}

void PassUnderWay::UseLogits(std::span<const Cursor> rows, const float* logits, bool last) {
  const size_t vocab = engine_.limits().vocab_size;
  const auto sequence = [&](size_t i) { return members_.sequences[rows[i].member]; };
  const auto position = [&](size_t i) {
    return members_.rows[rows[i].member].position + rows[i].row;
  };
  // The head of a pass that was cancelled meanwhile left zeros.
  std::array<bool, kMostLogitRows> samples = {};
  for (size_t i = 0; i < rows.size(); ++i) {
    if (sequence(i)->cancelled()) continue;
    samples[i] = sequence(i)->samples();
    if (!samples[i]) sequence(i)->TakeLogits(position(i), logits + i * vocab);
  }
  if (std::find(samples.begin(), samples.end(), true) == samples.end()) return;
  const ProfileSpan span(engine_.profile(), "sample");
  const StatsClock clock;
  engine_.pool().For(
      rows.size(),
      [&](size_t i, size_t thread) {
        if (!samples[i]) return;
        sequence(i)->ChooseToken(position(i), logits + i * vocab, engine_.sampler_scratch(thread));
      },
      last);
  sample_ns_ += clock.nanoseconds();
}

void PassUnderWay::FollowForDrafts() {
  Decoder& decoder = engine_.runner().decoder;
  size_t first = 0;
  for (size_t i = 0; i < members_.n; ++i) {
    SequenceRows& rows = members_.rows[i];
    if (Sequence* const sequence = members_.sequences[i]; sequence != nullptr) {
      const size_t last = sequence->RowsThatCount(rows) - 1;
      rows.before = sequence->hidden_before(rows.position);
      decoder.KeepHidden(*pass_, first + last - pass_->first_key(rows),
                         sequence->KeepHidden(rows.position + last));
    }
    first += pass_->rows_of(rows);
  }
  if (!decoder.spec().has_draft_head) return;
  const std::span<SequenceRows> all(members_.rows.data(), members_.n);
  for (SequenceRows& rows : all) rows.first_wanted = rows.keys.size();
  pass_.emplace(decoder.resources(), all, PassPart::kDrafts);
  pass_->TrimDropped();
  const ProfileSpan span(engine_.profile(), "draft head", pass_->rows());
  decoder.Embed(*pass_);
  decoder.RunLayer(*pass_, decoder.first_layer(PassPart::kDrafts));
}

void PassUnderWay::Finish() {
  pass_.reset();
  report_.nanoseconds =
      clock_.nanoseconds() - sample_ns_ + drafts_.decode_ns() + head_drafts_.decode_ns();
  if (Profile* const profile = engine_.profile()) {
    profile->Add({"pass", -1, static_cast<uint32_t>(report_.rows), 0, 0, profile_begin_,
                  profile->Now() - profile_begin_, ThisThread()});
  }
  const MutexLock turn(engine_.turn());
  for (size_t i = 0; i < members_.n; ++i) {
    if (members_.sequences[i] != nullptr) members_.sequences[i]->Finish(members_.rows[i]);
  }
  Count();
}

// Of the sequences those count that the pass was finished for.
void PassUnderWay::Count() {
  const uint64_t nanoseconds = report_.nanoseconds;
  EngineStats& all = engine_.stats();
  const auto decodes = [](const SequenceRows& rows) { return rows.keys.size() - rows.drafts == 1; };
  const bool all_decode =
      std::all_of(members_.rows.begin(), members_.rows.begin() + members_.n, decodes);
  for (size_t i = 0; i < members_.n; ++i) {
    const size_t rows = members_.rows[i].keys.size();
    if (members_.sequences[i] == nullptr) continue;
    Sequence& sequence = *members_.sequences[i];
    SequenceStats& stats = sequence.stats();
    ++stats.passes;
    stats.rows += rows;
    (decodes(members_.rows[i]) ? stats.decode_ns : stats.prefill_ns) += nanoseconds;
    stats.last_decode_ns = all_decode ? nanoseconds : 0;
    if (sequence.asks(DraftsBy::kModel) > 0) stats.prefill_ns += drafts_.prefill_ns();
    stats.drafts_proposed += members_.rows[i].drafts;
    EngineStats::Add(&all.drafts_proposed, members_.rows[i].drafts);
    if (sequence.samples()) stats.sample_ns += sample_ns_;
    EngineStats::Add(&all.rows, rows);
    const uint64_t evicted = sequence.evicted();
    const uint64_t more = evicted - std::min(stats.evicted_before, evicted);
    report_.first_evicted |= more > 0 && stats.evicted_before == 0;
    stats.evicted_before = evicted;
    stats.tokens_evicted += more;
    EngineStats::Add(&all.tokens_evicted, more);
  }
  EngineStats::Add(&all.passes, 1);
  EngineStats::Add(all_decode ? &all.decode_ns : &all.prefill_ns, nanoseconds);
  EngineStats::Add(&all.prefill_ns, drafts_.prefill_ns());
  EngineStats::Add(&all.sample_ns, sample_ns_);
}

void PassUnderWay::Tell(const PassReport& report) const {
  if (report.rows == 0) return;  // nobody was left behind the drafts
  const Log& log = engine_.plan_.options.log;
  log.Write(LogLevel::kDebug, "pass: %zu rows of %zu sessions in %.2f ms", report.rows,
            report.sequences, static_cast<double>(report.nanoseconds) * 1e-6);
  if (report.first_evicted) {
    log.Write(LogLevel::kInfo, "a session's context is full: its oldest tokens make room");
  }
}

}  // namespace rondo
