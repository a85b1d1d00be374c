#include "runtime/engine/session.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "runtime/engine/engine_core.h"
#include "runtime/sampling/log_probability.h"
#include "runtime/text/tokenizer.h"

namespace rondo {

namespace {

bool IsEos(const ModelFile& file, int32_t token) {
  const auto* ids = file.model().eos_tokens();
  return ids != nullptr &&
         std::find(ids->begin(), ids->end(), static_cast<uint32_t>(token)) != ids->end();
}

}  // namespace

Status Session::Init(const SessionOptions& options, const SessionBlocks& blocks) {
  const auto memory = [&](MemoryPlan::BlockId id) {
    return std::span(core_->At<std::byte>(id), core_->Bytes(id));
  };
  const auto vocab_size = static_cast<uint32_t>(core_->blueprint.decoder.spec().vocab_size);
  RONDO_RETURN_IF_ERROR(sampler_.Init(options.sampler, vocab_size, memory(blocks.sampler)));
  RONDO_RETURN_IF_ERROR(stop_strings_.Init(options.stop_strings, memory(blocks.stop_strings)));
  max_tokens_ = options.max_tokens;
  ignore_eos_ = options.ignore_eos;
  logprobs_ = options.logprobs;
  tokens_ = core_->At<int32_t>(blocks.tokens);
  logits_ = core_->At<float>(blocks.logits);
  long_ = ring_.window().slides &&
          core_->blueprint.plan.context > core_->blueprint.decoder.spec().short_context;
  text_ = {core_->At<char>(blocks.text), core_->Bytes(blocks.text)};
  piece_ = {core_->At<char>(blocks.piece), core_->Bytes(blocks.piece)};
  EndGeneration();
  return Status();
}

uint64_t Session::remaining() const {
  if (ring_.window().slides) return std::numeric_limits<uint64_t>::max();
  return core_->blueprint.plan.context - position_;
}

void Session::Evicted(uint64_t* begin, uint64_t* end) const {
  *begin = *end = 0;
  if (position_ == 0) return;
  const ContextWindow& window = ring_.window();
  const uint64_t first = window.FirstRecentBlock(position_ - 1);
  if (!window.slides || first <= window.sink_blocks) return;
  *begin = window.sink_blocks * kKvBlockTokens;
  *end = first * kKvBlockTokens;
}

Status Session::CheckIds(std::span<const int32_t> ids) const {
  if (ids.empty()) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "the prompt holds no tokens; at least one is needed");
  }
  const size_t vocab_size = core_->blueprint.decoder.spec().vocab_size;
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
                       static_cast<unsigned long long>(remaining()), core_->blueprint.plan.context);
}

Status Session::Prefill(std::span<const int32_t> ids) { return Append(ids, nullptr); }

Status Session::PrefillLogits(std::span<const int32_t> ids, const LogitsSink& sink) {
  return Append(ids, &sink);
}

Status Session::Append(std::span<const int32_t> ids, const LogitsSink* sink) {
  RONDO_RETURN_IF_ERROR(CheckIds(ids));
  RONDO_RETURN_IF_ERROR(CheckRoom(ids.size()));
  const std::lock_guard turn(core_->turn);
  const uint64_t before = position_;
  // A ring's worth at a time: under SLIDE a prompt may be longer than all that is remembered.
  const uint64_t capacity = core_->blueprint.ring_tokens();
  for (size_t done = 0; done < ids.size();) {
    const size_t n = std::min<uint64_t>(ids.size() - done, capacity - (position_ - evaluated_));
    for (size_t i = 0; i < n; ++i) tokens_[(position_ + i) % capacity] = ids[done + i];
    position_ += n;
    done += n;
    const bool last = done == ids.size();
    struct Shifted {
      const LogitsSink* sink;
      uint64_t first;  // row of the first id
      static void Row(void* user, size_t row, std::span<const float> logits) {
        const auto* s = static_cast<const Shifted*>(user);
        s->sink->row(s->sink->user, row - s->first, logits);
      }
    } shifted = {sink, before};
    const LogitsSink rows = {Shifted::Row, &shifted};
    const uint64_t first_logits = sink != nullptr ? before : last ? position_ - 1 : position_;
    const Status status = Evaluate(position_, first_logits, sink != nullptr ? &rows : nullptr);
    if (!status.ok()) {
      const bool restorable =
          !ring_.window().slides || before == 0 || ring_.CanReturnTo(before - 1);
      CutBack(restorable ? before : evaluated_);
      if (logits_at_ > position_) logits_at_ = 0;
      if (!restorable) {
        const std::span<const int32_t> kept = ids.first(position_ - before);
        for (const int32_t id : kept) sampler_.Accept(id);
        NoteText(kept);
        EndGeneration();
      }
      return status;
    }
  }
  for (const int32_t id : ids) sampler_.Accept(id);
  NoteText(ids);
  EndGeneration();
  return Status();
}

// Runs the tokens [evaluated_, end) through the decoder, at most max_rows at a time. Rows from
// position first_logits on make logits: the last one's are kept, and all go to `sink` (row =
// position) if there is one.
Status Session::Evaluate(uint64_t end, uint64_t first_logits, const LogitsSink* sink) {
  struct Keeper {
    Session* session;
    const LogitsSink* sink;
    uint64_t position;  // of the chunk's first row
    static void Row(void* user, size_t row, std::span<const float> logits) {
      const auto* k = static_cast<const Keeper*>(user);
      std::memcpy(k->session->logits_, logits.data(), logits.size_bytes());
      k->session->logits_at_ = k->position + row + 1;
      if (k->sink != nullptr) k->sink->row(k->sink->user, k->position + row, logits);
    }
  };
  const uint64_t capacity = core_->blueprint.ring_tokens();
  int32_t* chunk = core_->At<int32_t>(core_->blueprint.chunk_tokens);
  while (evaluated_ < end) {
    const size_t rows = NextChunk(end, &first_logits);
    for (size_t r = 0; r < rows; ++r) chunk[r] = tokens_[(evaluated_ + r) % capacity];
    const uint64_t logits_from = std::clamp(first_logits, evaluated_, evaluated_ + rows);
    Keeper keeper = {this, sink, evaluated_};
    const RowBatch batch = {&ring_, evaluated_, {chunk, rows}, logits_from - evaluated_,
                            long_,  &cancel_};
    const Status status = core_->blueprint.decoder.Forward(batch, {Keeper::Row, &keeper});
    if (!status.ok()) {
      cancel_.store(false, std::memory_order_relaxed);
      return status;
    }
    evaluated_ += rows;
  }
  return Status();
}

// How many rows to evaluate next. A model with frequencies for long sequences turns every position
// by them once there are more than short_context tokens: what is in the ring is then made anew.
uint64_t Session::NextChunk(uint64_t end, uint64_t* first_logits) {
  const uint64_t rows =
      std::min<uint64_t>(core_->blueprint.plan.options.max_rows, end - evaluated_);
  const uint64_t short_context = core_->blueprint.decoder.spec().short_context;
  if (short_context == 0 || ring_.window().slides) return rows;
  const bool is_long =
      evaluated_ >= short_context || (*first_logits >= short_context && end > short_context);
  if (is_long) *first_logits = std::max(*first_logits, short_context);
  if (is_long != long_) {
    long_ = is_long;
    evaluated_ = 0;
    return NextChunk(end, first_logits);
  }
  return is_long ? rows : std::min(rows, short_context - evaluated_);
}

// Drops the tokens from `position` on. What a row there sees may have been given up by the rings of
// layers with a window: then everything is evaluated again when it is asked for, to the same bits.
void Session::CutBack(uint64_t position) {
  position_ = position;
  evaluated_ = std::min(evaluated_, position);
  if (position > 0 && ring_.CanReturnTo(position - 1)) return;
  evaluated_ = 0;
  ring_.Reset();
}

// Makes logits_ those after the last token.
Status Session::EvaluatePending() {
  if (position_ == 0) {
    return Status::Error(StatusCode::kNoLogits, "there are no logits before the first prefill");
  }
  if (logits_at_ == position_) return Status();
  // After an undo everything is evaluated, but the logits are of a later token: once more the
  // last row, which gives the same bits.
  evaluated_ = std::min(evaluated_, position_ - 1);
  return Evaluate(position_, position_ - 1, nullptr);
}

Result<std::span<const float>> Session::Logits() {
  const std::lock_guard turn(core_->turn);
  RONDO_RETURN_IF_ERROR(EvaluatePending());
  return std::span<const float>(logits_, core_->blueprint.decoder.spec().vocab_size);
}

void Session::Push(int32_t token) {
  tokens_[position_ % core_->blueprint.ring_tokens()] = token;
  ++position_;
  ++generated_;
  sampler_.Accept(token);
}

Status Session::Accept(int32_t token) {
  RONDO_RETURN_IF_ERROR(CheckIds({&token, 1}));
  RONDO_RETURN_IF_ERROR(CheckRoom(1));
  const std::lock_guard turn(core_->turn);
  // Tokens wait for evaluation, but no more of them than one forward pass takes.
  if (position_ - evaluated_ >= core_->blueprint.plan.options.max_rows) {
    RONDO_RETURN_IF_ERROR(Evaluate(position_, position_, nullptr));
  }
  finished_ = FinishReason::kNone;
  Push(token);
  TokenEvent unused;
  text_size_ = 0;
  AddText(token, &unused);
  return Status();
}

Result<TokenEvent> Session::Next() {
  const std::lock_guard turn(core_->turn);
  TokenEvent event;
  text_size_ = 0;
  if (finished_ != FinishReason::kNone) {
    event.reason = finished_;
    return event;
  }
  RONDO_RETURN_IF_ERROR(EvaluatePending());
  if (remaining() == 0) {
    event.reason = finished_ = FinishReason::kContextFull;
    FlushText(&event);
    return event;
  }
  const std::span<const float> logits(logits_, core_->blueprint.decoder.spec().vocab_size);
  const MemoryPlan::BlockId scratch = core_->blueprint.sampler_scratch;
  event.token = sampler_.Sample(logits, {core_->At<std::byte>(scratch), core_->Bytes(scratch)});
  if (event.token == Sampler::kNoToken) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "no token can be sampled: every logit is minus infinity or not a number");
  }
  if (logprobs_) event.logprob = LogProbability(logits, event.token);
  if (!ignore_eos_ && IsEos(*core_->model, event.token)) {
    event.reason = finished_ = FinishReason::kEos;
    FlushText(&event);
    return event;
  }
  Push(event.token);
  AddText(event.token, &event);
  if (event.reason == FinishReason::kNone && max_tokens_ != 0 && generated_ >= max_tokens_) {
    event.reason = FinishReason::kTokenLimit;
    FlushText(&event);
  }
  finished_ = event.reason;
  return event;
}

void Session::NoteText(std::span<const int32_t> ids) {
  for (size_t i = 0; i < ids.size() && !has_text_ && core_->tokenizer != nullptr; ++i) {
    has_text_ = !core_->tokenizer->IsSpecial(ids[i]);
  }
}

void Session::AddText(int32_t token, TokenEvent* event) {
  if (core_->tokenizer == nullptr) return;
  const std::span<const uint8_t> bytes = core_->tokenizer->TokenBytes(token);
  event->bytes = {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  NoteText({&token, 1});
  TextSink sink{piece_};
  stream_.Append(*core_->tokenizer, token, sink);
  const StopStrings::Released released = stop_strings_.Feed({piece_.data(), sink.size});
  PutText(released.text);
  if (released.matched) event->reason = FinishReason::kStopString;
  event->text = {text_.data(), text_size_};
}

void Session::FlushText(TokenEvent* event) {
  if (core_->tokenizer == nullptr) return;
  TextSink sink{piece_};
  stream_.Flush(sink);
  const StopStrings::Released released = stop_strings_.Feed({piece_.data(), sink.size});
  PutText(released.text);
  if (!released.matched) PutText(stop_strings_.Flush());
  event->text = {text_.data(), text_size_};
}

void Session::PutText(std::string_view text) {
  text_size_ += text.copy(text_.data() + text_size_, text_.size() - text_size_);
}

void Session::EndGeneration() {
  generated_ = 0;
  finished_ = FinishReason::kNone;
  stop_strings_.Reset();
  if (core_->tokenizer == nullptr) return;
  stream_.Begin(*core_->tokenizer, /*skip_special=*/true,
                has_text_ ? StreamDecoder::Start::kContinuation : StreamDecoder::Start::kText);
}

Status Session::Undo(uint64_t n) {
  if (n > position_) {
    return Status::Error(
        StatusCode::kInvalidArgument, "cannot undo %llu tokens: the session has %llu",
        static_cast<unsigned long long>(n), static_cast<unsigned long long>(position_));
  }
  const uint64_t target = position_ - n;
  if (target > 0 && ring_.window().slides && !ring_.CanReturnTo(target - 1)) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "cannot undo %llu tokens: the ring has turned since; the last %u are "
                         "always possible",
                         static_cast<unsigned long long>(n),
                         core_->blueprint.plan.options.max_rows);
  }
  const std::lock_guard turn(core_->turn);
  CutBack(target);
  // Logits of dropped tokens must not be taken for those of others appended later.
  if (logits_at_ > target) logits_at_ = 0;
  sampler_.Undo(n);
  const uint64_t generated = generated_ - std::min(n, generated_);
  EndGeneration();
  generated_ = generated;
  return Status();
}

void Session::Reset() {
  const std::lock_guard turn(core_->turn);
  position_ = evaluated_ = logits_at_ = 0;
  ring_.Reset();
  sampler_.Reset();
  has_text_ = false;
  EndGeneration();
  cancel_.store(false, std::memory_order_relaxed);
}

}  // namespace rondo
