#include "runtime/engine/head_passes.h"

#include <algorithm>

#include "runtime/engine/engine.h"

namespace rondo {

bool HeadPasses::Begin(PassRequest* requests) {
  decode_ns_ = 0;
  n_ = draft_ = 0;
  if (engine_.keeps_hidden()) Collect(requests);
  return n_ > 0;
}

bool HeadPasses::Continue() {
  const StatsClock clock;
  const ProfileSpan span(engine_.profile(), "draft", n_);
  const bool more = RunPass(draft_++);
  if (!more) GiveBack();
  decode_ns_ += clock.nanoseconds();
  return more;
}

void HeadPasses::Drop(const Sequence* sequence) {
  const auto is_it = [&](const Member& member) { return member.sequence == sequence; };
  Member* const member = std::find_if(members_.data(), members_.data() + n_, is_it);
  if (member == members_.data() + n_) return;
  const MutexLock turn(engine_.turn());
  member->sequence->GiveBack();
  *member = members_[--n_];
}

Decoder& HeadPasses::decoder() {
  return engine_.has_assistant() ? engine_.draft().decoder : engine_.runner().decoder;
}

void HeadPasses::Collect(PassRequest* requests) {
  const size_t most = std::min<size_t>(members_.size(), engine_.limits().max_rows);
  const MutexLock turn(engine_.turn());
  for (PassRequest* request = requests; request != nullptr; request = request->next) {
    if (request->served) continue;  // its call returns
    for (Sequence* sequence : request->sequences) {
      const size_t drafts = n_ < most ? sequence->HeadDrafts() : 0;
      const bool ready = drafts > 0 && (engine_.has_assistant() || sequence->PrepareHead(drafts));
      if (ready) members_[n_++] = {sequence, drafts, true};
    }
  }
}

bool HeadPasses::RunPass(size_t draft) {
  n_rows_ = 0;
  for (size_t i = 0; i < n_; ++i) {
    Sequence& sequence = *members_[i].sequence;
    const std::span<const int32_t> proposed = sequence.choices()->proposed();
    bool& goes_on = members_[i].goes_on;
    goes_on =
        goes_on && proposed.size() == draft && draft < members_[i].drafts && !sequence.cancelled();
    if (!goes_on) continue;
    keys_[n_rows_] =
        draft == 0 ? sequence.keys().key(sequence.position() - 1) : InputKey(proposed.back());
    SequenceRows& rows = rows_[n_rows_];
    rows = engine_.has_assistant() ? sequence.AssistantRow(&keys_[n_rows_])
                                   : sequence.HeadRow(draft, &keys_[n_rows_]);
    rows.before =
        draft == 0 ? sequence.hidden_before(sequence.evaluated()) : sequence.hidden_of_draft();
    member_of_[n_rows_++] = i;
  }
  if (n_rows_ == 0) return false;
  Decoder& decoder = this->decoder();
  constexpr PassPart kPart = PassPart::kDrafts;
  Pass pass(decoder.resources(), {rows_.data(), n_rows_}, kPart);
  decoder.Embed(pass);
  for (size_t layer = decoder.first_layer(kPart); layer < decoder.end_layer(kPart); ++layer) {
    decoder.RunLayer(pass, layer);
  }
  for (size_t i = 0; i < n_rows_; ++i) {
    decoder.KeepHidden(pass, i, members_[member_of_[i]].sequence->hidden_of_draft());
  }
  Propose(pass);
  return true;
}

void HeadPasses::Propose(const Pass& pass) {
  Decoder& decoder = this->decoder();
  const size_t vocab = decoder.weights().draft_head().head.shape.n;
  std::array<size_t, kMostLogitRows> rows;
  for (size_t begin = 0; begin < n_rows_;) {
    const size_t n = std::min(decoder.logit_rows(), n_rows_ - begin);
    for (size_t i = 0; i < n; ++i) rows[i] = begin + i;
    const float* logits = decoder.Logits(pass, {rows.data(), n}, false);
    engine_.pool().For(n, [&](size_t i, size_t thread) {
      Sequence& sequence = *members_[member_of_[begin + i]].sequence;
      sequence.choices()->Propose(engine_.AsOurs({logits + i * vocab, vocab}, thread),
                                  sequence.keys(), engine_.sampler_scratch(thread));
    });
    begin += n;
  }
}

void HeadPasses::GiveBack() {
  const MutexLock turn(engine_.turn());
  for (size_t i = 0; i < n_; ++i) members_[i].sequence->GiveBack();
}

}  // namespace rondo
