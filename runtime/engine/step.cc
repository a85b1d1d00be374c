// Engine::Step: one pass for several sequences.
#include <algorithm>
#include <array>

#include "runtime/engine/engine.h"

namespace rondo {

Status Engine::Step(std::span<Sequence* const> sequences) {
  const std::lock_guard turn(turn_);
  std::array<SequenceRows, kMaxSessions> all_rows;
  std::array<Sequence*, kMaxSessions> all_chosen;
  size_t n = 0;
  size_t left = limits_.max_rows;
  for (const bool one_row : {true, false}) {
    for (Sequence* sequence : sequences) {
      if ((sequence->pending() == 1) != one_row || left == 0 || n == kMaxSessions) continue;
      all_rows[n] = sequence->NextRows(left);
      all_chosen[n] = sequence;
      left -= all_rows[n++].tokens.size();
    }
  }
  const std::span<const SequenceRows> rows(all_rows.data(), n);
  const std::span<Sequence*> chosen(all_chosen.data(), n);
  for (size_t i = 0; i < n; ++i) {
    if (chosen[i]->Prepare(rows[i])) continue;
    const Status full =
        Status::Error(StatusCode::kInternal, "the pool of KV blocks has too few of them");
    for (size_t j = 0; j < i; ++j) chosen[j]->Abandon(full);
    return full;
  }

  const Status forward = plan_.decoder.Forward(rows);
  for (size_t i = 0; i < n; ++i) {
    if (forward.ok() && !chosen[i]->cancelled()) continue;
    chosen[i]->Abandon(
        forward.ok() ? Status::Error(StatusCode::kCancelled, "cancelled before the output head")
                     : forward);
    chosen[i] = nullptr;
  }
  if (forward.ok()) StepLogits(rows, chosen);
  return Status();
}

// Makes the logits that were asked for, a few rows of whichever sequences at a time, and finishes
// the sequences. One that is cancelled before its last row drops out.
void Engine::StepLogits(std::span<const SequenceRows> rows, std::span<Sequence*> chosen) {
  struct Wanted {
    size_t sequence;
    uint64_t position;
  };
  std::array<Wanted, kLogitRows> wanted;
  std::array<size_t, kLogitRows> pass_rows;
  size_t n = 0;
  size_t left = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (chosen[i] != nullptr) left += rows[i].tokens.size() - rows[i].first_logits_row;
  }
  const auto make = [&] {
    left -= std::min(n, left);
    const float* logits = plan_.decoder.Logits({pass_rows.data(), n}, left == 0);
    for (size_t i = 0; i < n; ++i) {
      Sequence* sequence = chosen[wanted[i].sequence];
      if (sequence == nullptr) continue;
      sequence->TakeLogits(wanted[i].position, logits + i * limits_.vocab_size);
    }
    n = 0;
  };
  size_t first_row = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    for (size_t r = rows[i].first_logits_row; r < rows[i].tokens.size(); ++r) {
      if (chosen[i] != nullptr && chosen[i]->cancelled()) {
        chosen[i]->Abandon(Status::Error(StatusCode::kCancelled, "cancelled in the output head"));
        chosen[i] = nullptr;
      }
      if (chosen[i] == nullptr) break;
      wanted[n] = {i, rows[i].position + r};
      pass_rows[n++] = first_row + r;
      if (n == kLogitRows) make();
    }
    first_row += rows[i].tokens.size();
  }
  if (n > 0) make();
  for (size_t i = 0; i < rows.size(); ++i) {
    if (chosen[i] != nullptr) chosen[i]->Finish(rows[i]);
  }
}

}  // namespace rondo
