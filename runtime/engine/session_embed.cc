// Session::Embed: texts to vectors.
#include <algorithm>
#include <array>
#include <cmath>

#include "runtime/engine/session.h"

namespace rondo {

namespace {

// Divides by the length, which is summed up in doubles in the order of the numbers: the same on all
// CPUs. A vector of zeros stays as it is.
void NormalizeVector(std::span<float> vector) {
  double squares = 0;
  for (const float x : vector) squares += double{x} * double{x};
  if (squares == 0) return;
  const double factor = 1 / std::sqrt(squares);
  for (float& x : vector) x = static_cast<float>(double{x} * factor);
}

}  // namespace

Status Session::CheckPredicts() const {
  if (!engine_->is_embedder()) return Status();
  return Status::Error(StatusCode::kUnsupported,
                       "the model makes vectors of texts and predicts no tokens: embed texts");
}

Status Session::CheckPrompt(std::span<const int32_t> ids) const {
  RONDO_RETURN_IF_ERROR(CheckPredicts());
  return CheckIds(ids);
}

uint64_t Session::MostTextTokens(const Engine& engine) {
  const uint32_t own = engine.model().model().embedder()->max_tokens();
  uint64_t most = engine.plan().context;
  if (own > 0) most = std::min<uint64_t>(most, own);
  return engine.limits().whole_texts ? std::min<uint64_t>(most, engine.limits().max_rows) : most;
}

Status Session::CheckTexts(const Texts& texts) const {
  const EmbedderSpec& embedder = engine_->plan().runner.decoder.spec().embedder;
  const size_t most = embedder.dimensions + (embedder.has_logit ? 1 : 0);
  if (texts.dimensions == 0 || texts.dimensions > most) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "dimensions is %zu; the model's vectors have %zu, of which the first 1 to "
                         "%zu can be had",
                         texts.dimensions, most, most);
  }
  const int32_t* ids = texts.ids;
  for (size_t i = 0; i < texts.counts.size(); ++i) {
    RONDO_RETURN_IF_ERROR(CheckText({ids, texts.counts[i]}, i));
    ids += texts.counts[i];
  }
  return Status();
}

Status Session::CheckText(std::span<const int32_t> ids, size_t index) const {
  const uint64_t most = MostTextTokens(*engine_);
  if (ids.size() > most) {
    const bool by_rows = engine_->limits().whole_texts && most == engine_->limits().max_rows;
    return Status::Error(StatusCode::kContextFull, "text %zu has %zu tokens; one may have %llu%s",
                         index, ids.size(), static_cast<unsigned long long>(most),
                         by_rows ? ", as many as a pass has rows (engine option max_rows): the "
                                   "model reads texts whole"
                                 : "");
  }
  if (ids.empty()) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "text %zu has no tokens; at least one is needed", index);
  }
  const Status status = CheckIds(ids);
  return status.ok() ? status
                     : Status::Error(status.code(), "text %zu: %s", index, status.message());
}

// Rows that the vector is not made of may come from the prefix cache.
void Session::BeginEmbedding(std::span<const int32_t> ids) {
  const format::Pooling pooling = engine_->plan().runner.decoder.spec().embedder.pooling;
  BeginPrompt(ids.size());
  sequence_.Append(ids, pooling == format::Pooling::kLast ? ids.size() - 1 : 0);
}

void Session::EndEmbedding(std::span<float> vector) {
  EndPrompt();
  std::copy_n(sequence_.pooled(), vector.size(), vector.begin());
  if (engine_->plan().runner.decoder.spec().embedder.normalize) NormalizeVector(vector);
  const MutexLock turn(engine_->turn());
  sequence_.Truncate(0);
}

Status Session::Embed(Engine* engine, std::span<Session* const> sessions, const Texts& texts) {
  if (!engine->is_embedder()) {
    return Status::Error(StatusCode::kUnsupported,
                         "the model predicts tokens: its file says nothing of vectors of texts");
  }
  if (texts.counts.empty()) {
    for (Session* session : sessions) RONDO_RETURN_IF_ERROR(session->EndIfCalledOff());
  }
  if (sessions.empty() || texts.counts.empty()) return Status();
  for (size_t i = 1; i < sessions.size(); ++i) {  // a text goes to whichever is free
    if (sessions[i]->sequence_.adapter() == sessions[0]->sequence_.adapter()) continue;
    return Status::Error(StatusCode::kInvalidArgument,
                         "session %zu has another adapter than session 0", i);
  }
  RONDO_RETURN_IF_ERROR(sessions.front()->CheckTexts(texts));
  std::array<float*, kMaxSessions> under_way = {};  // each one's vector; null: it is free
  std::array<Sequence*, kMaxSessions> waiting;
  const int32_t* ids = texts.ids;
  size_t next = 0;
  Status status;
  while (status.ok()) {
    size_t n = 0;
    for (size_t i = 0; i < sessions.size(); ++i) {
      if (under_way[i] == nullptr && next < texts.counts.size()) {
        under_way[i] = texts.vectors + next * texts.dimensions;
        sessions[i]->BeginEmbedding({ids, texts.counts[next]});
        ids += texts.counts[next++];
      }
      if (under_way[i] != nullptr) waiting[n++] = &sessions[i]->sequence_;
    }
    if (n == 0) return Status();
    // Passes look at those that have rows in them: whoever has no text is looked at here.
    for (size_t i = 0; i < sessions.size() && status.ok(); ++i) {
      if (under_way[i] != nullptr) continue;
      Sequence& idle = sessions[i]->sequence_;
      idle.BeginPass();
      idle.EndIfCancelled();
      status = idle.outcome();
    }
    if (status.ok()) status = engine->Step({waiting.data(), n});
    for (size_t i = 0; i < sessions.size() && status.ok(); ++i) {
      if (under_way[i] == nullptr) continue;
      status = sessions[i]->sequence_.outcome();
      if (!status.ok() || sessions[i]->sequence_.pending() > 0) continue;
      sessions[i]->EndEmbedding({under_way[i], texts.dimensions});
      under_way[i] = nullptr;
    }
  }
  const MutexLock turn(engine->turn());
  for (Session* session : sessions) {
    session->EndPrompt();
    session->sequence_.Truncate(0);
    // One call was cancelled, by however many of its sessions.
    if (status.code() == StatusCode::kCancelled) session->sequence_.ForgetCancel();
  }
  return status;
}

}  // namespace rondo
