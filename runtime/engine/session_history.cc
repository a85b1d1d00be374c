// What a session was before: undone, dropped, forked, saved and restored.
#include <algorithm>

#include "runtime/engine/scheduler.h"
#include "runtime/engine/session.h"
#include "runtime/model/adapter_file.h"

namespace rondo {

// From `position` the last n tokens, or all that there are, can be dropped.
bool Session::CanUndo(uint64_t position, uint64_t n) const {
  return sequence_.CanTruncate(position) && sequence_.CanTruncate(position - std::min(position, n));
}

// Back to `position`, where a call began that appended tokens and failed, with as much to
// undo as there was (`undoable`: max_rows); else to the last token that was evaluated, where
// max_rows can be undone, too.
void Session::GoBack(uint64_t position, bool undoable) {
  const MutexLock turn(engine_->turn());
  if (CanUndo(position, undoable ? engine_->limits().max_rows : 0)) {
    sequence_.Truncate(position);
    return;
  }
  const uint64_t kept = sequence_.evaluated();
  sequence_.Truncate(kept);
  if (kept <= position) return GoBackInText(position - kept);
  LeaveText(position);
  EndGeneration();
}

// Becomes what `other` is, but for its options, as if it had been fed the same tokens.
void Session::CopyFrom(const Session& other) {
  sequence_.CopyFrom(other.sequence_);
  if (drafter_) drafter_->CopyFrom(*other.drafter_);
  sequence_.CountEvictionsFromHere();
  past_texts_.Clear();
  EndGeneration();
}

// How many tokens can be undone, fewer than `n`, which cannot.
uint64_t Session::MostUndone(uint64_t n) const {
  uint64_t possible = 0;
  while (n - possible > 1) {
    const uint64_t middle = possible + (n - possible) / 2;
    (sequence_.CanTruncate(position() - middle) ? possible : n) = middle;
  }
  return possible;
}

Status Session::Undo(uint64_t n) {
  if (n > position()) {
    return Status::Error(
        StatusCode::kInvalidArgument, "cannot undo %llu tokens: the session has %llu",
        static_cast<unsigned long long>(n), static_cast<unsigned long long>(position()));
  }
  if (keys().CutsPrefix(position() - n)) {
    return Status::Error(
        StatusCode::kInvalidArgument,
        "cannot undo %llu tokens: the first %llu, which see each other, would be cut; the last "
        "%llu can be undone, or all",
        static_cast<unsigned long long>(n), static_cast<unsigned long long>(keys().prefix()),
        static_cast<unsigned long long>(MostUndone(n)));
  }
  if (keys().PartsSpan(position() - n)) {
    uint64_t begin, end;
    keys().SpanOf(position() - n, &begin, &end);
    return Status::Error(
        StatusCode::kInvalidArgument,
        "cannot undo %llu tokens: an input at positions [%llu, %llu) would be cut, "
        "whose rows see each other or have coordinates",
        static_cast<unsigned long long>(n), static_cast<unsigned long long>(begin),
        static_cast<unsigned long long>(end));
  }
  if (!sequence_.CanTruncate(position() - n)) {
    const bool gone = keys().HasGone(keys().begin(), position());
    return Status::Error(
        StatusCode::kInvalidArgument,
        "cannot undo %llu tokens: %s; the last %llu can be undone, or all",
        static_cast<unsigned long long>(n),
        gone ? "rows would run again that a snapshot did not have" : "the ring has turned since",
        static_cast<unsigned long long>(MostUndone(n)));
  }
  ProposeReady();
  const MutexLock turn(engine_->turn());
  EndPrompt();
  sequence_.Truncate(position() - n);  // drops what is ahead, too
  GoBackInText(n);
  return Status();
}

// The text is as before the last n tokens, which were dropped.
void Session::GoBackInText(uint64_t n) {
  const TextState state = past_texts_.BackTo(
      position(),
      {position() + n, {generated_, LastingEnd(), text_begin_, told_, text_.continues()}});
  constraint_.BackTo(position());
  if (n > 0) n_proposed_ = 0;
  generated_ = state.generated;
  finished_ = state.finished;
  end_is_drawn_ = false;
  DropEvents();
  if (position() >= state.text_begin) {
    text_begin_ = state.text_begin;
    told_ = std::min(state.told, position());
    // Texts that ended come first, as far as no event told them.
    text_.BeginEvent();
    for (const PastText& past : past_texts_.all()) {
      if (past.position <= told_) continue;
      const bool ended =
          text_.Resume(keys(), past.state.text_begin, past.position, told_, past.state.continues);
      if (!ended) text_.Flush();
    }
    ResumeText(state.continues);
  } else {
    EndGeneration();
  }
}

// The text of the generation is that of its tokens. What an end held back no more was told with it.
void Session::ResumeText(bool continues) {
  const bool stops = text_.Resume(keys(), text_begin_, position(), told_, continues);
  if (finished_ == FinishReason::kNone) {
    finished_ = EndOf(stops, /*whole=*/false);  // BeginStep reads the grammar's text
  } else if (!stops) {
    text_.Flush();
  }
}

// The caller has the turn.
void Session::GiveBlocksBack() {
  sequence_.Truncate(0);
  if (drafter_) drafter_->Clear();
}

// Another text begins behind `position`. One without tokens begins there again by itself.
void Session::LeaveText(uint64_t position) {
  if (position <= text_begin_ && generated_ == 0 && LastingEnd() == FinishReason::kNone) return;
  past_texts_.Leave(position, {generated_, LastingEnd(), text_begin_, told_, text_.continues()});
}

void Session::Reset() {
  choices_.Begin({});
  const MutexLock turn(engine_->turn());
  EndPrompt();
  GiveBlocksBack();
  sequence_.cancellation().ForgetAll();
  past_texts_.Clear();
  constraint_.Forget();
  EndGeneration();
}

SnapshotBinding Session::Binding() const {
  const EnginePlan& plan = engine_->plan();
  const AdapterFile* const adapter = sequence_.adapter();
  return {engine_->model(),
          plan.runner.kv,
          plan.options.kv_format,
          engine_->limits(),
          adapter == nullptr ? nullptr : &adapter->digest(),
          &engine_->inputs()};
}

Status Session::Save(std::span<uint8_t> out, size_t* bytes) const {
  const GenerationState generation = {generated_, text_begin_, static_cast<uint32_t>(LastingEnd()),
                                      text_.continues()};
  return WriteSnapshot(Binding(), sequence_, generation, constraint_, out, bytes);
}

Status Session::Restore(std::span<const uint8_t> bytes) {
  RONDO_RETURN_IF_ERROR(CheckPredicts());
  RONDO_ASSIGN(const Snapshot snapshot, Snapshot::Open(Binding(), bytes));
  RONDO_RETURN_IF_ERROR(snapshot.CheckPlaces(constraint_));
  RONDO_RETURN_IF_ERROR(snapshot.HoldInputs());
  bool enough;
  {
    const MutexLock turn(engine_->turn());
    enough = snapshot.TakeBlocks(&sequence_);
  }
  if (!enough) {
    snapshot.ReleaseInputs();
    return KvPoolFull("this snapshot");
  }
  choices_.Begin({});
  n_proposed_ = 0;
  EndPrompt();
  snapshot.CopyTo(&sequence_);
  snapshot.ReleaseInputs();
  sequence_.CountEvictionsFromHere();
  const GenerationState generation = snapshot.generation();
  generated_ = generation.generated;
  finished_ = static_cast<FinishReason>(generation.finished);
  past_texts_.Clear();
  text_begin_ = generation.text_begin;
  snapshot.LoadPlaces(&constraint_);
  DropEvents();
  told_ = position();
  end_is_drawn_ = false;
  ResumeText(generation.continues);
  return Status();
}

}  // namespace rondo
