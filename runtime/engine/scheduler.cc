#include "runtime/engine/scheduler.h"

#include <algorithm>
#include <span>

namespace rondo {

Status KvPoolFull(const char* what) {
  return Status::Error(StatusCode::kKvPoolFull,
                       "the pool of KV blocks has too few free for %s: close or reset other "
                       "sessions, or plan more kv_tokens",
                       what);
}

namespace {

// A sequence that waits for rows.
struct Candidate {
  Sequence* sequence;
  PassRequest* request;
  size_t order;  // of its coming
};

struct Candidates {
  std::array<Candidate, kMaxSessions> of;
  size_t n = 0;

  std::span<Candidate> all() { return {of.data(), n}; }
  uint32_t longest() const { return n == 0 ? 0 : of[0].sequence->passed_over(); }
  // Whoever waited longest comes first; where all have waited less than `patience` passes, in the
  // order of their coming.
  void Sort(uint32_t patience) {
    const auto waited = [&](const Candidate& c) {
      const uint32_t passes = c.sequence->passed_over();
      return passes < patience ? 0 : passes;
    };
    std::sort(of.begin(), of.begin() + n, [&](const Candidate& a, const Candidate& b) {
      return waited(a) != waited(b) ? waited(a) > waited(b) : a.order < b.order;
    });
  }
};

// Those that are waiting and in no refused request.
void Collect(PassRequest* requests, Candidates* decoding, Candidates* prompts) {
  decoding->n = prompts->n = 0;
  size_t order = 0;
  for (PassRequest* request = requests; request != nullptr; request = request->next) {
    for (Sequence* sequence : request->sequences) {
      if (!request->status.ok() || !sequence->outcome().ok()) continue;
      Candidates& kind = sequence->decodes() ? *decoding : *prompts;
      if (kind.n < kind.of.size()) kind.of[kind.n++] = {sequence, request, order++};
    }
  }
  decoding->Sort(0);
  prompts->Sort(kMostPassedOver);
}

// Gives `candidates` up to `left` rows, in their order, and returns how many they left. Where one
// of them `decodes`, each behind it has a row, too.
size_t Give(std::span<const Candidate> candidates, bool decodes, size_t left, EngineStats* stats,
            PassMembers* members) {
  for (size_t i = 0; i < candidates.size(); ++i) {
    if (left == 0 || members->n == kMaxSessions) break;
    const Candidate& candidate = candidates[i];
    Sequence& sequence = *candidate.sequence;
    const size_t behind = decodes ? std::min(candidates.size() - 1 - i, left - 1) : 0;
    const uint64_t known = sequence.taken_over();
    sequence.SettleStart();
    if (sequence.taken_over() > known) {
      ++sequence.stats().prefix_hits;
      sequence.stats().tokens_taken_over += sequence.taken_over() - known;
      EngineStats::Add(&stats->prefix_hits, 1);
      EngineStats::Add(&stats->tokens_taken_over, sequence.taken_over() - known);
    }
    if (sequence.least_rows() > left - behind) continue;
    const SequenceRows rows = sequence.NextRows(left - behind);
    members->rows[members->n] = rows;
    members->sequences[members->n] = &sequence;
    members->requests[members->n++] = candidate.request;
    left -= rows.keys.size();
  }
  return left;
}

void Choose(Candidates* decoding, Candidates* prompts, size_t max_rows, size_t rows_per_step,
            EngineStats* stats, PassMembers* members) {
  members->n = 0;
  // Rows that see each other are of one pass, which then may have more than a step's.
  const size_t least = prompts->n == 0 ? 0 : prompts->of[0].sequence->least_rows();
  size_t most = decoding->n > 0 ? rows_per_step : max_rows;
  if (least > 1) most = std::max(most, std::min(max_rows, least + decoding->n));
  if (least >= most && prompts->longest() > decoding->longest()) decoding->n = 0;
  const size_t reserved = least < most ? least : std::min<size_t>(most - 1, 1);
  const size_t left = Give(decoding->all(), true, most - reserved, stats, members);
  Give(prompts->all(), false, reserved + left, stats, members);
}

// False where the pool had too few blocks for one of the requests, which then takes no part.
// Sequences that were promised blocks come first.
bool Prepare(PassMembers* members) {
  for (const bool promised : {true, false}) {
    for (size_t i = 0; i < members->n; ++i) {
      Sequence& sequence = *members->sequences[i];
      if (sequence.kv().has_promise() != promised) continue;
      if (sequence.Prepare(members->rows[i])) continue;
      PassRequest* const request = members->requests[i];
      request->status = KvPoolFull("this pass");
      request->served = true;
      for (size_t j = 0; j < members->n; ++j) members->sequences[j]->Unprepare();
      return false;
    }
  }
  return true;
}

}  // namespace

void ScheduleRows(PassRequest* requests, size_t max_rows, size_t rows_per_step, EngineStats* stats,
                  PassMembers* members) {
  Candidates decoding, prompts;
  do {
    Collect(requests, &decoding, &prompts);
    Choose(&decoding, &prompts, max_rows, rows_per_step, stats, members);
  } while (!Prepare(members));
  Collect(requests, &decoding, &prompts);
  for (const Candidate& candidate : decoding.all()) candidate.sequence->PassOver();
  for (const Candidate& candidate : prompts.all()) candidate.sequence->PassOver();
  for (size_t i = 0; i < members->n; ++i) {
    members->sequences[i]->EnterPass();
    members->requests[i]->served = true;
    ++members->requests[i]->in_pass;
  }
}

}  // namespace rondo
