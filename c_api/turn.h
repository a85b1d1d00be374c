// The right to call a session, for the time of one call.
#pragma once

#include "c_api/handles.h"

namespace rondo::c_api {

// The right to call the session. Holds a reference, so that closing from another thread while the
// call runs takes effect when it is over.
class Turn {
 public:
  explicit Turn(rondo_session* session) {
    if (!Is(session)) return;
    if (session->engine->InCallback() || session->engine->Inherited()) return;
    if (session->busy.test_and_set(std::memory_order_acquire)) return;
    Retain(session);
    session_ = session;
  }
  ~Turn() {
    if (session_ == nullptr) return;
    if (computes_) session_->session->cancellation().EndCall();
    session_->busy.clear(std::memory_order_release);
    Release(session_);
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

  bool taken() const { return session_ != nullptr; }
  // From here on this is the session's next numbered call. Where the turn was taken.
  void Number() {
    computes_ = true;
    session_->session->cancellation().BeginCall();
  }
  rondo::Session& operator*() { return *session_->session; }
  rondo::Session* operator->() { return session_->session; }
  rondo_engine& engine() { return *session_->engine; }
  const rondo_session& handle() const { return *session_; }

  void CountPrefilled(uint64_t tokens) {
    session_->tokens_prefilled += tokens;
    engine().tokens_prefilled.fetch_add(tokens, std::memory_order_relaxed);
  }
  void CountGenerated() {
    ++session_->tokens_generated;
    engine().tokens_generated.fetch_add(1, std::memory_order_relaxed);
  }

  // The code; the message stays with the handle.
  int32_t Finish(const Status& status) {
    if (!status.ok()) session_->last_error = status;
    return Code(status);
  }

 private:
  rondo_session* session_ = nullptr;
  bool computes_ = false;
};

// That of a call that computes, which has a number.
class ComputingTurn : public Turn {
 public:
  explicit ComputingTurn(rondo_session* session) : Turn(session) {
    if (taken()) Number();
  }
};

inline Status WhyNoTurn(const rondo_session* session) {
  if (!Is(session)) return NoHandle("session");
  return Status::Error(StatusCode::kBusy, "the session is in use by another call");
}

}  // namespace rondo::c_api
