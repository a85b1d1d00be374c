// Engine::Step: one pass for several sequences.
#include <algorithm>
#include <array>

#include "runtime/engine/engine.h"

namespace rondo {

namespace {

size_t RowsOf(std::span<const SequenceRows> sequences) {
  size_t rows = 0;
  for (const SequenceRows& sequence : sequences) rows += sequence.tokens.size();
  return rows;
}

}  // namespace

Status Engine::Step(std::span<Sequence* const> sequences) {
  // Logits are handed out on the thread that asked for them.
  const bool alone = std::any_of(sequences.begin(), sequences.end(),
                                 [](const Sequence* sequence) { return sequence->has_sink(); });
  PassRequest request{sequences, alone, Status()};
  PassReport report;  // of the last one, if this thread runs some
  queue_.Serve(&request, [&](PassRequest* requests) { report = RunPass(requests); });
  LogPass(report, request.status);
  return request.status;
}

// Behind the queue: nobody waits for this thread, and so the log may call any function.
void Engine::LogPass(const PassReport& report, const Status& status) {
  const Log& log = plan_.options.log;
  if (log.write == nullptr) return;
  if (report.rows > 0) {
    log.Write(LogLevel::kDebug, "pass: %zu rows of %zu sessions in %.2f ms", report.rows,
              report.sequences, static_cast<double>(report.nanoseconds) * 1e-6);
  }
  if (report.first_evicted) {
    log.Write(LogLevel::kInfo, "a session's context is full: its oldest tokens make room");
  }
  if (status.code() == StatusCode::kKvPoolFull) {
    log.Write(LogLevel::kWarning, "%s", status.message());
  }
  if (host_faults() > 0 && !told_of_faults_.exchange(true)) {
    log.Write(LogLevel::kWarning,
              "parallel_for left a part of the work out, repeated one, or came back before all had "
              "ended; the engine did what was left");
  }
}

// Those that wait for one row come first: they decode, and somebody reads along. The rest of the
// pass, bounded where somebody does, goes to prompts in their order: one row at least.
void Engine::ChooseRows(PassRequest* requests, PassMembers* members) {
  size_t left = limits_.max_rows;
  members->n = 0;
  for (const bool decoding : {true, false}) {
    if (!decoding && members->n > 0) {
      const size_t rows = plan_.options.rows_per_step - 1;
      left = std::min(left, std::max(rows, members->n) - members->n + 1);
    }
    for (PassRequest* request = requests; request != nullptr; request = request->next) {
      for (Sequence* sequence : request->sequences) {
        if (sequence->decodes() != decoding || !request->status.ok()) continue;
        if (left == 0 || members->n == kMaxSessions) return;
        const uint64_t known = sequence->taken_over();
        const SequenceRows rows = sequence->NextRows(left);
        if (sequence->taken_over() > known) {
          ++sequence->stats().prefix_hits;
          sequence->stats().tokens_taken_over += sequence->taken_over() - known;
          EngineStats::Add(&stats_.prefix_hits, 1);
          EngineStats::Add(&stats_.tokens_taken_over, sequence->taken_over() - known);
        }
        members->rows[members->n] = rows;
        members->sequences[members->n] = sequence;
        members->requests[members->n++] = request;
        left -= rows.tokens.size();
      }
    }
  }
}

// A request that the pool has no blocks for takes no part; the pass is made up anew without it.
void Engine::PrepareRows(PassRequest* requests, PassMembers* members) {
  for (bool full = true; full;) {
    full = false;
    ChooseRows(requests, members);
    for (size_t i = 0; i < members->n && !full; ++i) {
      if (members->sequences[i]->Prepare(members->rows[i])) continue;
      PassRequest* const request = members->requests[i];
      request->status = Status::Error(StatusCode::kKvPoolFull,
                                      "the pool of KV blocks has too few free for this pass: close "
                                      "or reset other sessions, or plan more kv_tokens");
      request->served = full = true;
      for (size_t j = 0; j < i; ++j) members->sequences[j]->Abandon(request->status);
    }
  }
}

Engine::PassReport Engine::RunPass(PassRequest* requests) {
  PassReport report;
  const std::lock_guard turn(turn_);
  for (PassRequest* request = requests; request != nullptr; request = request->next) {
    for (Sequence* sequence : request->sequences) sequence->BeginPass();
  }
  PassMembers members;
  PrepareRows(requests, &members);
  if (members.n == 0) return report;
  report.sequences = members.n;
  report.rows = RowsOf({members.rows.data(), members.n});
  const ProfileSpan span(profile(), "pass", report.rows);
  const StatsClock clock;
  const Status forward = plan_.decoder.Forward({members.rows.data(), members.n});
  for (size_t i = 0; i < members.n; ++i) {
    members.requests[i]->served = true;
    Sequence*& sequence = members.sequences[i];
    if (forward.ok() && !sequence->cancelled()) continue;
    sequence->Abandon(
        forward.ok() ? Status::Error(StatusCode::kCancelled, "cancelled before the output head")
                     : forward);
    sequence = nullptr;
  }
  if (forward.ok()) MakeLogits(&members);
  report.nanoseconds = clock.nanoseconds();
  CountPass(members, &report);
  return report;
}

// Of the sequences those count that the pass was finished for.
void Engine::CountPass(const PassMembers& members, PassReport* report) {
  const uint64_t nanoseconds = report->nanoseconds;
  bool decodes = true;
  for (size_t i = 0; i < members.n; ++i) {
    const size_t rows = members.rows[i].tokens.size();
    decodes = decodes && rows == 1;
    if (members.sequences[i] == nullptr) continue;
    Sequence& sequence = *members.sequences[i];
    SequenceStats& stats = sequence.stats();
    ++stats.passes;
    stats.rows += rows;
    (rows == 1 ? stats.decode_ns : stats.prefill_ns) += nanoseconds;
    EngineStats::Add(&stats_.rows, rows);
    const uint64_t evicted = sequence.evicted();
    const uint64_t more = evicted - std::min(stats.evicted_before, evicted);
    report->first_evicted |= more > 0 && stats.evicted_before == 0;
    stats.evicted_before = evicted;
    stats.tokens_evicted += more;
    EngineStats::Add(&stats_.tokens_evicted, more);
  }
  EngineStats::Add(&stats_.passes, 1);
  EngineStats::Add(decodes ? &stats_.decode_ns : &stats_.prefill_ns, nanoseconds);
}

// Makes the logits that were asked for, a few rows of whichever sequences at a time, and finishes
// the sequences. One that is cancelled before its last row drops out.
void Engine::MakeLogits(PassMembers* members) {
  struct Wanted {
    size_t member;
    uint64_t position;
  };
  std::array<Wanted, kMostLogitRows> wanted;
  std::array<size_t, kMostLogitRows> pass_rows;
  size_t n = 0;
  size_t left = 0;
  for (size_t i = 0; i < members->n; ++i) {
    const SequenceRows& rows = members->rows[i];
    if (members->sequences[i] != nullptr) left += rows.tokens.size() - rows.first_logits_row;
  }
  const auto make = [&] {
    left -= std::min(n, left);
    const float* logits = plan_.decoder.Logits({pass_rows.data(), n}, left == 0);
    for (size_t i = 0; i < n; ++i) {
      Sequence* const sequence = members->sequences[wanted[i].member];
      if (sequence == nullptr) continue;
      sequence->TakeLogits(wanted[i].position, logits + i * limits_.vocab_size);
    }
    n = 0;
  };
  size_t first_row = 0;
  for (size_t i = 0; i < members->n; ++i) {
    const SequenceRows& rows = members->rows[i];
    Sequence*& sequence = members->sequences[i];
    for (size_t r = rows.first_logits_row; r < rows.tokens.size(); ++r) {
      if (sequence != nullptr && sequence->cancelled()) {
        sequence->Abandon(Status::Error(StatusCode::kCancelled, "cancelled in the output head"));
        sequence = nullptr;
      }
      if (sequence == nullptr) break;
      wanted[n] = {i, rows.position + r};
      pass_rows[n++] = first_row + r;
      if (n == plan_.decoder.logit_rows()) make();
    }
    first_row += rows.tokens.size();
  }
  if (n > 0) make();
  for (size_t i = 0; i < members->n; ++i) {
    if (members->sequences[i] != nullptr) members->sequences[i]->Finish(members->rows[i]);
  }
}

}  // namespace rondo
