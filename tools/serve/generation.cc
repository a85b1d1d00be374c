#include "tools/serve/generation.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace rondo::tools::serve {
namespace {

double SecondsBetween(std::chrono::steady_clock::time_point a,
                      std::chrono::steady_clock::time_point b) {
  return std::chrono::duration<double>(b - a).count();
}

Finish FinishOf(int32_t reason, bool has_calls) {
  // A call that a limit has cut is none: "length" tells it.
  if (reason == RONDO_REASON_TOKEN_LIMIT || reason == RONDO_REASON_CONTEXT_FULL) {
    return Finish::kLength;
  }
  if (has_calls) return Finish::kCalls;
  return reason == RONDO_REASON_STOP_STRING ? Finish::kStopString : Finish::kStop;
}

ApiError AsApiError(const rondo::Error& error) {
  switch (error.status()) {
    case RONDO_STATUS_CONTEXT_FULL:
      return ApiError(400, error.what(), "", "context_length_exceeded");
    case RONDO_STATUS_INVALID_ARGUMENT:
    case RONDO_STATUS_UNSUPPORTED:
      return ApiError(400, error.what());
    case RONDO_STATUS_CONSTRAINT:
      return ApiError(400, error.what(), "", "constraint");
    case RONDO_STATUS_KV_POOL_FULL:
      return ApiError(503, error.what(), "", "memory_full").RetryAfter(1);
    default:
      return ApiError(500, error.what());
  }
}

// As they stand within a text: what begins one may lose the blank before it.
std::string BytesOf(const rondo::Model& model, int32_t token) {
  const int32_t twice[] = {token, token};
  const std::string both = model.Detokenize(twice);
  return both.substr(std::min(model.Detokenize({twice, 1}).size(), both.size()));
}

PieceKind KindOf(int32_t kind) {
  switch (kind) {
    case RONDO_CHAT_PART_THINKING:
      return PieceKind::kThinking;
    case RONDO_CHAT_PART_CALL:
      return PieceKind::kCall;
    case RONDO_CHAT_PART_ARGUMENTS:
      return PieceKind::kArguments;
    case RONDO_CHAT_PART_CALL_END:
      return PieceKind::kCallEnd;
    default:
      return PieceKind::kContent;
  }
}

}  // namespace

void Cancellable::Add(rondo_session* session) {
  const std::lock_guard lock(mutex_);
  sessions_.push_back(session);
  if (cancelled_) rondo_session_cancel(session);
}

void Cancellable::Cancel() {
  const std::lock_guard lock(mutex_);
  cancelled_ = true;
  for (rondo_session* const session : sessions_) rondo_session_cancel(session);
}

Generation::Generation(GenerationWish wish, std::shared_ptr<Exchange> exchange,
                       std::unique_ptr<Sink> sink)
    : wish_(std::move(wish)), exchange_(std::move(exchange)), sink_(std::move(sink)) {
  choices_.reserve(wish_.choices);
  for (size_t i = 0; i < wish_.choices; ++i) {
    Choice& choice = choices_.emplace_back(StopHold(wish_.stops));
    if (!wish_.chat) continue;
    choice.reader.emplace(wish_.model->model(), *wish_.chat);
    choice.reader->Begin();
  }
  tops_.resize(wish_.choices);
  usage_.prompt_tokens = wish_.positions;
}

void Generation::Fail(const ApiError& error) {
  if (over_) return;
  SetOver();
  sink_->Fail(error);
}

void Generation::SetOver() {
  over_ = true;
  was_left_ = exchange_->gone();  // a cancelled session ends, too
  choices_.clear();
}

// A failure of the library or the system is the request's own: others go on.
void Generation::Guard(void (Generation::*call)()) {
  if (over_) return;
  try {
    (this->*call)();
  } catch (const ApiError& error) {
    Fail(error);
  } catch (const rondo::Error& error) {
    Fail(AsApiError(error));
  } catch (const std::exception& error) {
    Fail(ApiError(500, error.what()));
  }
}

rondo::SessionOptions Generation::OptionsOf(size_t index) const {
  rondo::SessionOptions options = wish_.options;
  options.seed += index;
  return options;
}

GenerationFacts Generation::Facts() const {
  GenerationFacts facts;
  facts.model = wish_.model->name();
  facts.prompt_tokens = usage_.prompt_tokens;
  facts.cached_tokens = usage_.cached_tokens;
  facts.completion_tokens = usage_.completion_tokens;
  facts.queue_seconds = usage_.queue_seconds;
  facts.first_seconds = seconds_to_first_;
  facts.whole_seconds = SecondsBetween(asked_, Clock::now());
  facts.was_left = over_ ? was_left_ : exchange_->gone();
  facts.between = between_;
  return facts;
}

void Generation::Open() { Guard(&Generation::OpenFirst); }

void Generation::OpenFirst() {
  opened_ = Clock::now();
  usage_.queue_seconds = SecondsBetween(asked_, opened_);
  rondo::Session& session = choices_[0].session.emplace(wish_.model->engine(), OptionsOf(0));
  cancellable_->Add(session.get());
  exchange_->OnGone([cancellable = cancellable_] { cancellable->Cancel(); });
  session.AppendMedia(wish_.ids, wish_.media);
}

void Generation::AddWaiting(std::vector<rondo::Session*>* sessions) {
  if (over_ || !exchange_->has_room()) return;
  Guard(&Generation::LookAhead);
  for (Choice& choice : choices_) {
    choice.waits = choice.session && !choice.over;
    if (choice.waits) sessions->push_back(&*choice.session);
  }
}

// What is to be asked of sessions before their next token is chosen.
void Generation::LookAhead() {
  for (size_t i = 0; i < choices_.size(); ++i) {
    Choice& choice = choices_[i];
    if (!choice.session || choice.over || !choice.begun) continue;
    if (i == 0) Propose(&choice);
    if (wish_.top_logprobs > 0) tops_[i] = TopOf(&choice);
  }
}

// The tokens behind those that the answer had last, where the prediction has these.
void Generation::Propose(Choice* choice) {
  constexpr size_t kMatch = 4, kMost = 16;
  const std::vector<int32_t>& text = wish_.prediction;
  if (text.empty()) return;
  const auto behind = [&](size_t at) {
    const size_t count = std::min(kMost, text.size() - at);
    choice->session->Propose({text.data() + at, count});
  };
  if (answered_.empty()) return behind(0);
  const size_t match = std::min(kMatch, answered_.size());
  const auto last = answered_.end() - static_cast<std::ptrdiff_t>(match);
  const auto found = std::find_end(text.begin(), text.end(), last, answered_.end());
  if (found == text.end()) return;
  const auto at = static_cast<size_t>(found - text.begin()) + match;
  if (at < text.size()) behind(at);
}

std::vector<std::pair<int32_t, float>> Generation::TopOf(Choice* choice) const {
  const std::vector<float> logits = choice->session->Logits();
  std::vector<int32_t> order(logits.size());
  std::iota(order.begin(), order.end(), 0);
  const auto count = static_cast<std::ptrdiff_t>(std::min(wish_.top_logprobs, order.size()));
  std::partial_sort(order.begin(), order.begin() + count, order.end(), [&](int32_t a, int32_t b) {
    return logits[a] != logits[b] ? logits[a] > logits[b] : a < b;
  });
  const double largest = logits[order[0]];
  double sum = 0;
  for (const float logit : logits) sum += std::exp(logit - largest);
  std::vector<std::pair<int32_t, float>> top;
  for (std::ptrdiff_t i = 0; i < count; ++i) {
    top.emplace_back(order[i], static_cast<float>(logits[order[i]] - largest - std::log(sum)));
  }
  return top;
}

void Generation::Collect() { Guard(&Generation::CollectAll); }

void Generation::CollectAll() {
  for (size_t i = 0; i < choices_.size(); ++i) {
    if (choices_[i].waits) CollectOne(i);
  }
  const bool all = std::all_of(choices_.begin(), choices_.end(),
                               [](const Choice& choice) { return choice.over; });
  if (!all) return;
  usage_.decode_seconds = SecondsBetween(first_, Clock::now());
  SetOver();
  sink_->End(usage_);
}

// Of a step that verified drafts there are several events.
void Generation::CollectOne(size_t index) {
  Choice& choice = choices_[index];
  choice.waits = false;
  while (!choice.over) {
    const rondo::Event event = choice.session->TakeEvent();
    if (event.token < 0 && event.reason == RONDO_REASON_NONE) return;
    TakeEvent(index, event);
    if (wish_.top_logprobs > 0) return;  // its logits come first
  }
}

void Generation::TakeEvent(size_t index, const rondo::Event& event) {
  Choice& choice = choices_[index];
  const bool last = event.reason != RONDO_REASON_NONE;
  const bool is_text = event.token >= 0 && event.reason != RONDO_REASON_EOS;
  const std::string bytes(is_text ? event.bytes : std::string_view());  // forks end its view
  if (index == 0 && !choice.begun && Begin(event)) return;
  if (event.token >= 0) {
    ++usage_.completion_tokens;
    if (event.channel == RONDO_CHANNEL_THINKING) ++usage_.reasoning_tokens;
  }
  if (index == 0) {
    const Clock::time_point now = Clock::now();
    if (last_ != Clock::time_point()) between_.Observe(SecondsBetween(last_, now));
    last_ = now;
  }
  if (is_text && index == 0 && !wish_.prediction.empty()) answered_.push_back(event.token);
  if (is_text && wish_.options.logprobs) {
    TokenNote note = {bytes, event.logprob, {}};
    for (const auto& [token, logprob] : tops_[index]) {
      note.top.emplace_back(BytesOf(wish_.model->model(), token), logprob);
    }
    sink_->Note(index, std::move(note));
  }
  std::string shown = choice.hold.Add(bytes);
  if (last) shown += choice.hold.End(event.reason == RONDO_REASON_STOP_STRING);
  // What waits for its end in a call that a limit has cut is none of the content.
  const bool is_cut = FinishOf(event.reason, false) == Finish::kLength;
  Give(index, shown, last && !(is_cut && wish_.chat && !wish_.chat->tools.empty()));
  const bool called = wish_.one_call && choice.has_calls;
  if (!last && !called) return;
  choice.over = true;
  choice.session.reset();  // its place is another's
  sink_->EndChoice(index, called ? Finish::kCalls : FinishOf(event.reason, choice.has_calls),
                   choice.hold.found());
}

// The prompt is evaluated, and the first choice has its first token. True: that will come again.
bool Generation::Begin(const rondo::Event& event) {
  first_ = Clock::now();
  seconds_to_first_ = SecondsBetween(asked_, first_);
  usage_.prefill_seconds = SecondsBetween(opened_, first_);
  usage_.cached_tokens = event.taken_over;
  rondo::Session& session = *choices_[0].session;
  const uint64_t generated = session.Position() - wish_.positions;
  // The other choices go on from where the prompt ends: its blocks are shared.
  for (size_t i = 1; i < choices_.size(); ++i) {
    rondo::Session& fork = choices_[i].session.emplace(session.Fork(OptionsOf(i)));
    fork.Undo(generated);
    cancellable_->Add(fork.get());
  }
  for (Choice& choice : choices_) choice.begun = true;
  // The logits that it was chosen from are to be had only while it is not there.
  if (wish_.top_logprobs == 0 || generated == 0) return false;
  session.Undo(generated);
  return true;
}

void Generation::Give(size_t index, std::string_view bytes, bool last) {
  Choice& choice = choices_[index];
  if (!choice.reader) {
    const std::string text = choice.characters.Add(bytes);
    if (!text.empty()) sink_->Take(index, {PieceKind::kContent, text, 0, {}, {}});
    return;
  }
  choice.reader->AddParts(bytes, last, [&](const rondo::ChatPart& part) {
    if (wish_.one_call && choice.has_calls) return;
    Piece piece;
    piece.kind = KindOf(part.kind);
    piece.text = part.text;
    piece.call = part.call;
    piece.name = part.name;
    piece.id = part.id;
    choice.has_calls = choice.has_calls || piece.kind == PieceKind::kCallEnd;
    sink_->Take(index, piece);
  });
}

}  // namespace rondo::tools::serve
