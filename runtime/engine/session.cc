#include "runtime/engine/session.h"

#include <algorithm>
#include <array>
#include <utility>

namespace rondo {

namespace {

Status NothingToPredictFrom() {
  return Status::Error(StatusCode::kNoLogits, "there are no logits before the first prefill");
}

bool IsEos(const ModelFile& file, int32_t token) {
  const auto* ids = file.model().eos_tokens();
  return ids != nullptr &&
         std::find(ids->begin(), ids->end(), static_cast<uint32_t>(token)) != ids->end();
}

}  // namespace

Session::Session(Engine* engine, const SessionRegions& regions)
    : engine_(engine),
      sequence_(
          engine->limits(), engine->runner().NewTable(engine->Memory(regions.block_table)),
          engine->runner().prefixes(), KeyHistory(engine->KeysIn(regions.keys, regions.shifts)),
          regions.logits == MemoryPlan::kNoRegion ? nullptr
                                                  : engine->Array<float>(regions.logits).data(),
          regions.hidden == MemoryPlan::kNoRegion ? std::span<float>()
                                                  : engine->Array<float>(regions.hidden)) {
  if (!engine->has_draft() || engine->has_assistant()) return;
  drafter_.emplace(engine->draft().limits,
                   engine->draft().NewTable(engine->Memory(regions.draft_block_table)),
                   KeyHistory(engine->KeysIn(regions.draft_keys, MemoryPlan::kNoRegion)));
  sequence_.set_drafter(&*drafter_);
}

Status Session::Init(const SessionOptions& options, const SessionRegions& regions) {
  const auto vocab_size = static_cast<uint32_t>(engine_->limits().vocab_size);
  RONDO_RETURN_IF_ERROR(
      sampler_.Init(options.sampler, vocab_size, engine_->Memory(regions.sampler)));
  RONDO_RETURN_IF_ERROR(
      text_.Init(engine_->tokenizer(), options.stop_strings,
                 {engine_->Memory(regions.stop_strings), engine_->Array<char>(regions.piece),
                  engine_->Array<char>(regions.text)}));
  sequence_.set_adapter(options.adapter);
  if (options.cancellation != nullptr) sequence_.set_cancellation(options.cancellation);
  max_tokens_ = options.max_tokens;
  ignore_eos_ = options.ignore_eos;
  speculation_ = options.speculation;
  if (speculation_ == Speculation::kDraftModel && !engine_->has_draft()) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "speculation is 2 (draft model), but the engine has no draft model");
  }
  if (speculation_ == Speculation::kDraftHead && !engine_->plan().options.draft_head) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "speculation is 3 (draft head), but engine option draft_head is 0");
  }
  max_drafts_ = std::min(TokenChoices::kMostDrafts, engine_->limits().max_rows - 1);
  if (options.max_drafts > max_drafts_) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "max_drafts is %u; a pass of %zu rows verifies at most %zu",
                         options.max_drafts, engine_->limits().max_rows, max_drafts_);
  }
  if (options.max_drafts > 0) max_drafts_ = options.max_drafts;
  max_drafts_ = std::min<size_t>(max_drafts_, engine_->plan().options.rows_per_step - 1);
  RONDO_RETURN_IF_ERROR(constraint_.Init(options.constraint, engine_->tokenizer(), vocab_size));
  choices_.Init(&sampler_, &constraint_, options.logprobs);
  return Status();
}

Status Session::CheckIds(std::span<const int32_t> ids) const {
  if (ids.empty()) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "the prompt holds no tokens; at least one is needed");
  }
  const size_t vocab_size = engine_->limits().vocab_size;
  for (size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] < 0 || static_cast<size_t>(ids[i]) >= vocab_size) {
      return Status::Error(StatusCode::kInvalidArgument,
                           "token id %d at index %zu is out of range: the vocabulary has %zu",
                           ids[i], i, vocab_size);
    }
  }
  return Status();
}

Status Session::CheckRoom(uint64_t n) const {
  if (n <= remaining()) return Status();
  return Status::Error(StatusCode::kContextFull,
                       "%llu tokens do not fit: %llu of the context's %u are left",
                       static_cast<unsigned long long>(n),
                       static_cast<unsigned long long>(remaining()), engine_->plan().context);
}

// What a prefix would have with `n` more is of one pass, and all seen.
Status Session::CheckPrefix(uint64_t n) const {
  const uint64_t prefix = sequence_.pending() + n;
  const size_t max_rows = engine_->limits().max_rows;
  const uint32_t context = engine_->plan().context;
  if (!sequence_.begins_prefix() || prefix <= std::min<uint64_t>(max_rows, context)) {
    return Status();
  }
  return Status::Error(StatusCode::kInvalidArgument,
                       "the %llu tokens that the session begins with see each other and are of "
                       "one pass, but engine options max_rows and context are %zu and %u",
                       static_cast<unsigned long long>(prefix), max_rows, context);
}

Status Session::Append(std::span<const int32_t> ids, const LogitsSink& sink) {
  EndPrompt();
  RONDO_RETURN_IF_ERROR(CheckPrompt(ids));
  RONDO_RETURN_IF_ERROR(CheckRoom(ids.size()));
  RONDO_RETURN_IF_ERROR(CheckPrefix(ids.size()));
  DropAhead();
  const uint64_t before = position();
  const bool undoable = CanUndo(before, engine_->limits().max_rows);
  BeginPrompt(ids.size());
  Status status = Reserve(before + ids.size());
  if (status.ok()) status = Evaluate(ids, sink);
  engine_->EndReserve(&sequence_);
  if (!status.ok()) {
    EndPrompt();
    GoBack(before, undoable);
    return status;
  }
  LeaveText(before);
  EndGeneration();
  return Status();
}

// Under SLIDE a ring that has turned does not turn back: only where the blocks for tokens up to
// position `end` are promised, some of them are evaluated. An empty session can always go back.
Status Session::Reserve(uint64_t end) {
  const bool turns = sequence_.kv().window().slides && position() > 0;
  return turns ? engine_->Reserve(&sequence_, end) : Status();
}

Status Session::Evaluate(std::span<const int32_t> ids, const LogitsSink& sink) {
  for (std::span<const int32_t> rest = ids; !rest.empty();) {
    if (sequence_.room() == 0) RONDO_RETURN_IF_ERROR(EvaluatePending());
    const auto piece = rest.first(std::min<uint64_t>(rest.size(), sequence_.room()));
    rest = rest.subspan(piece.size());
    const size_t last = rest.empty() ? piece.size() - 1 : piece.size();
    sequence_.Append(piece, sink.row != nullptr ? 0 : last);
    sequence_.set_sink(sink);
    const Status status = EvaluatePending();
    sequence_.set_sink({});
    RONDO_RETURN_IF_ERROR(status);
  }
  return Status();
}

Status Session::EvaluatePending() {
  Sequence* const sequence = &sequence_;
  while (sequence_.pending() > 0) {
    RONDO_RETURN_IF_ERROR(engine_->Step({&sequence, 1}));
    RONDO_RETURN_IF_ERROR(sequence_.outcome());
  }
  return Status();
}

// Of a call that may have nothing to evaluate: the number that it has is cancelled.
Status Session::EndIfCalledOff() {
  if (!cancellation().called_off()) return Status();
  sequence_.EndIfCancelled();
  return sequence_.outcome();
}

Result<std::span<const float>> Session::Logits() {
  RONDO_RETURN_IF_ERROR(EndIfCalledOff());
  if (position() == 0) return NothingToPredictFrom();
  DropAhead();
  RONDO_RETURN_IF_ERROR(WantLogits());
  RONDO_RETURN_IF_ERROR(EvaluatePending());
  return sequence_.logits();
}

Status Session::WantLogits() {
  if (!sequence_.row_runs_again()) return sequence_.WantLogits();
  const MutexLock turn(engine_->turn());
  return sequence_.WantLogits();
}

Status Session::Accept(int32_t token) {
  RONDO_RETURN_IF_ERROR(CheckPrompt({&token, 1}));
  RONDO_RETURN_IF_ERROR(CheckRoom(1));
  DropAhead();
  // Tokens wait for evaluation, but no more of them than one forward pass takes, and than are
  // remembered beside those that undo needs.
  if (sequence_.pending() >= engine_->limits().max_rows || sequence_.room() == 0) {
    RONDO_RETURN_IF_ERROR(EvaluatePending());
  }
  if (finished_ != FinishReason::kNone) {  // the one before has ended
    LeaveText(position());
    BeginText();
  }
  finished_ = FinishReason::kNone;
  BeginEvent();
  end_is_drawn_ = false;
  event_ = Take(token, /*chosen=*/true);
  step_event_ = false;
  accept_event_ = true;
  return Status();
}

// `n` may wait for passes.
Status Session::CheckQueue(uint64_t n) const {
  RONDO_RETURN_IF_ERROR(CheckRoom(n));
  RONDO_RETURN_IF_ERROR(CheckPrefix(n));
  if (n <= sequence_.room()) return Status();
  return Status::Error(StatusCode::kContextFull,
                       "%llu tokens are more than may wait: %llu now, before a step takes some",
                       static_cast<unsigned long long>(n),
                       static_cast<unsigned long long>(sequence_.room()));
}

Status Session::Queue(std::span<const int32_t> ids) {
  EndPrompt();
  RONDO_RETURN_IF_ERROR(CheckPrompt(ids));
  RONDO_RETURN_IF_ERROR(CheckQueue(ids.size()));
  DropAhead();
  BeginPrompt(ids.size());
  LeaveText(position());
  sequence_.Append(ids, ids.size() - 1);
  EndGeneration();
  return Status();
}

Status Session::Step(Engine* engine, std::span<Session* const> sessions) {
  for (size_t i = 0; i < sessions.size(); ++i) {
    if (!sessions[i]->step_event_) continue;
    return Status::Error(StatusCode::kInvalidArgument,
                         "session %zu has an event of the last step that was not taken", i);
  }
  std::array<Sequence*, kMaxSessions> waiting;
  size_t n = 0;
  for (Session* session : sessions) {
    if (session->BeginStep()) waiting[n++] = &session->sequence_;
  }
  const Status status = n > 0 ? engine->Step({waiting.data(), n}) : Status();
  for (Session* session : sessions) {
    session->sequence_.set_choices(nullptr);
    if (status.ok()) {
      session->EndStep();
    } else {
      session->EndRefusedStep();
    }
  }
  return status;
}

// True where the session needs a pass before it can go on.
bool Session::BeginStep() {
  sequence_.BeginPass();
  gate_told_ = nullptr;
  if (cancellation().called_off()) {  // also where no pass is needed
    sequence_.EndIfCancelled();
    return false;
  }
  if (finished_ != FinishReason::kNone || remaining() == 0 || position() == 0) return false;
  if (choices_.ready() > 0) {
    sequence_.EndIfCancelled();
    return false;
  }
  choices_.Begin({});
  if (!PrepareConstraint()) return false;
  // Where it fails the choice does, too, and says so.
  if (constraint_.exists() && constraint_.Follow(keys(), text_begin_).ok()) {
    finished_ = EndOf(/*stops=*/false, constraint_.IsComplete());
  }
  if (finished_ != FinishReason::kNone || sequence_.has_logits()) return false;
  if (const Status status = WantLogits(); !status.ok()) {
    sequence_.Refuse(status);
    return false;
  }
  if (sequence_.pending() == 1) BeginDrafts();
  sequence_.set_choices(&choices_);
  return true;
}

// Before the pass, as what may follow can take long to find, and a pass serves others, too. False
// where the session was cancelled meanwhile.
bool Session::PrepareConstraint() {
  if (!constraint_.exists()) return true;
  const Status status = constraint_.Prepare(keys(), text_begin_, &sequence_.cancellation());
  if (status.code() != StatusCode::kCancelled) return true;
  sequence_.EndIfCancelled();
  return false;
}

void Session::EndStep() {
  const bool waits = finished_ == FinishReason::kNone && remaining() > 0 && position() > 0 &&
                     sequence_.outcome().ok() && choices_.ready() == 0 && !sequence_.has_logits();
  TellGate();
  if (!waits) MakeEvent();
}

// Nothing has happened: a cancellation of no number waits for the next call.
void Session::EndRefusedStep() {
  if (sequence_.has_forgotten_cancel()) Cancel();
}

void Session::MakeEvent() {
  BeginEvent();
  const Result<TokenEvent> event = StepEvent();
  event_status_ = event.status();
  step_event_ = true;
  if (!event.ok()) return;
  event_ = *event;
  accept_event_ = false;
}

// What the step brought a session that waits for no further pass.
Result<TokenEvent> Session::StepEvent() {
  RONDO_RETURN_IF_ERROR(sequence_.outcome());
  if (finished_ == FinishReason::kStopString) return EndEvent(finished_);
  if (finished_ != FinishReason::kNone) return Finished(finished_);
  if (remaining() == 0) {
    end_is_drawn_ = true;
    return Finished(FinishReason::kContextFull);
  }
  if (position() == 0) return NothingToPredictFrom();
  if (choices_.ready() == 0) ChooseOfLogits();
  return TakeChoice();
}

// The text of tokens that no event told yet comes with the next one.
void Session::BeginEvent() {
  if (told_ >= position() && !end_is_drawn_) text_.BeginEvent();
}

Result<TokenEvent> Session::TakeEvent() {
  TokenEvent event;
  event.reason = finished_;
  if (!step_event_ && !accept_event_ && finished_ == FinishReason::kNone && choices_.ready() > 0 &&
      sequence_.outcome().ok()) {
    MakeEvent();
  }
  if (std::exchange(step_event_, false)) {
    RONDO_RETURN_IF_ERROR(event_status_);
    accept_event_ = true;
  }
  if (std::exchange(accept_event_, false)) {
    event = event_;
    told_ = position();
    end_is_drawn_ = false;
  }
  if (event.token < 0 && event.reason == FinishReason::kNone) event.pending = sequence_.pending();
  event.taken_over = sequence_.taken_over();
  return event;
}

Result<TokenEvent> Session::Next() {
  RONDO_RETURN_IF_ERROR(EndIfCalledOff());  // also where an event waits: it waits on
  Session* const self = this;
  while (!step_event_) RONDO_RETURN_IF_ERROR(Step(engine_, {&self, 1}));
  return TakeEvent();
}

// The logits are current: an earlier call made them.
void Session::ChooseOfLogits() {
  const MutexLock sampling(engine_->sampling());
  const ProfileSpan span(engine_->profile(), "sample");
  const StatsClock clock;
  choices_.Choose(0, sequence_.logits(), keys(), engine_->sampler_scratch(engine_->threads()));
  choices_.Accept();
  const uint64_t took = clock.nanoseconds();
  sequence_.stats().sample_ns += took;
  EngineStats::Add(&engine_->stats().sample_ns, took);
}

Result<TokenEvent> Session::TakeChoice() {
  const TokenChoices::Choice choice = choices_.Take();
  if (constraint_.status().code() == StatusCode::kConstraint) return constraint_.status();
  if (choice.is_whole) {
    end_is_drawn_ = true;
    return Finished(FinishReason::kGrammar);
  }
  if (choice.token == Sampler::kNoToken && constraint_.has_grammar()) {
    return Status::Error(StatusCode::kConstraint,
                         choice.constrained ? "the grammar ran out of memory or steps"
                                            : "no token of the vocabulary goes on with the text "
                                              "as the grammar has it");
  }
  if (choice.token == Sampler::kNoToken) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "no token can be sampled: every logit is minus infinity or not a number");
  }
  if (choices_.saved_pass()) {
    ++sequence_.stats().drafts_accepted;
    EngineStats::Add(&engine_->stats().drafts_accepted, 1);
  }
  TokenEvent event = Take(choice.token, /*chosen=*/false);
  event.logprob = choice.logprob;
  return event;
}

// Appends a token that was sampled, unless it is an end token, or one that the caller chose.
TokenEvent Session::Take(int32_t token, bool chosen) {
  const bool eos = !ignore_eos_ && IsEos(engine_->model(), token);
  TokenEvent event;
  n_proposed_ = 0;
  if (eos && !chosen) {
    end_is_drawn_ = true;
    event = Finished(FinishReason::kEos);
    event.token = token;
    return event;
  }
  sequence_.Append({&token, 1}, 1);
  ++generated_;
  const bool stops = text_.Add(token);
  // Where it fails the next choice does, too, and says so.
  const bool followed =
      constraint_.exists() && !eos && constraint_.Follow(keys(), text_begin_).ok();
  const FinishReason reason = EndOf(stops, followed && constraint_.IsComplete());
  const bool holds_back = reason == FinishReason::kNone || reason == FinishReason::kStopString;
  event = holds_back ? EndEvent(reason) : Finished(reason);
  event.token = token;
  event.is_thought = followed && constraint_.is_thought();
  event.chosen = chosen;
  event.bytes = text_.BytesOf(token);
  return event;
}

// Why the generation ends with the last token; `stops` and `whole`: so its text and its grammar
// say. Beside it stand only ends that are drawn: an end token, the context's, and that of a
// grammar's text behind which no token may come.
FinishReason Session::EndOf(bool stops, bool whole) const {
  if (position() > text_begin_) {
    const int32_t last = keys()[position() - 1];
    if (!ignore_eos_ && IsEos(engine_->model(), last)) return FinishReason::kEos;
    if (stops) return FinishReason::kStopString;
    if (whole) return FinishReason::kGrammar;
  }
  const bool enough = max_tokens_ != 0 && generated_ >= max_tokens_;
  return enough ? FinishReason::kTokenLimit : FinishReason::kNone;
}

// The event that ends a generation: with the text that was held back.
TokenEvent Session::Finished(FinishReason reason) {
  text_.Flush();
  return EndEvent(reason);
}

TokenEvent Session::EndEvent(FinishReason reason) {
  finished_ = reason;
  TokenEvent event;
  event.reason = reason;
  event.text = text_.text();
  return event;
}

// The tokens that are appended next.
void Session::BeginPrompt(uint64_t tokens) {
  prompt_tokens_.store(0, std::memory_order_relaxed);
  prompt_begin_.store(position(), std::memory_order_relaxed);
  prompt_tokens_.store(tokens, std::memory_order_relaxed);
}

void Session::Progress(uint64_t* done, uint64_t* total) const {
  const uint64_t begin = prompt_begin_.load(std::memory_order_relaxed);
  const uint64_t evaluated = std::max(sequence_.evaluated_so_far(), begin);
  *total = prompt_tokens_.load(std::memory_order_relaxed);
  *done = std::min(evaluated - begin, *total);
}

void Session::EndGeneration() {
  generated_ = 0;
  finished_ = FinishReason::kNone;
  end_is_drawn_ = false;
  n_proposed_ = 0;
  DropEvents();
  told_ = position();
  BeginText();
}

void Session::BeginText() {
  text_begin_ = position();
  constraint_.Restart();
  text_.BeginGeneration(keys());
}

}  // namespace rondo
