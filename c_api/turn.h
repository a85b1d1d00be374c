// The right to call a session or a parser, for the time of one call.
#pragma once

#include <array>
#include <optional>
#include <span>

#include "c_api/handles.h"

namespace rondo::c_api {

// Taken where the session is open and no other call has it.
class Turn {
 public:
  explicit Turn(const rondo_session* session) : Turn(session, Later()) { Take(); }
  ~Turn() {
    if (!taken_) return;
    if (computes_) session_->session->cancellation().EndCall();
    session_->busy.clear(std::memory_order_release);
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

  bool taken() const { return taken_; }
  // Why it was not.
  Status Why() const {
    if (!session_) return session_.Why("session");
    return Status::Error(StatusCode::kBusy, "the session is in use by another call");
  }

  // Where it was taken.
  rondo::Session& operator*() { return *session_->session; }
  rondo::Session* operator->() { return session_->session; }
  OpenEngine& engine() { return *session_->engine; }
  const OpenSession& session() const { return *session_; }

  // From here on this is the session's next numbered call.
  void Number() {
    computes_ = true;
    session_->session->cancellation().BeginCall();
  }
  void CountPrefilled(uint64_t tokens) {
    session_->tokens_prefilled += tokens;
    engine().tokens_prefilled.fetch_add(tokens, std::memory_order_relaxed);
  }
  void CountGenerated() {
    ++session_->tokens_generated;
    engine().tokens_generated.fetch_add(1, std::memory_order_relaxed);
  }

  // The code; the message stays with the session.
  int32_t Finish(const Status& status) {
    if (!status.ok()) session_->last_error = status;
    return Code(status);
  }

 protected:
  // Only holds the session.
  struct Later {};
  Turn(const rondo_session* session, Later) : session_(session) {}
  bool is_open() const { return static_cast<bool>(session_); }
  void Take() {
    if (!session_ || session_->engine->InCallback() || session_->engine->Inherited()) return;
    taken_ = !session_->busy.test_and_set(std::memory_order_acquire);
  }

 private:
  Held<rondo_session> session_;
  bool taken_ = false;
  bool computes_ = false;
};

// That of a call that computes, which has a number.
class ComputingTurn : public Turn {
 public:
  explicit ComputingTurn(const rondo_session* session) : Turn(session) {
    if (taken()) Number();
  }
};

// Those of several sessions, for one call that computes.
class Turns {
 public:
  // Different sessions of `engine`, at most kMaxSessions. Errors: kInvalidArgument, kInvalidHandle,
  // kBusy; which session is told.
  Status Take(const OpenEngine& engine, std::span<rondo_session* const> sessions);

  std::span<Session* const> sessions() const { return {sessions_.data(), n_}; }
  Turn& operator[](size_t i) { return *turns_[i]; }

 private:
  class LaterTurn : public Turn {
   public:
    explicit LaterTurn(const rondo_session* session) : Turn(session, Later()) {}
    using Turn::is_open;
    using Turn::Take;
  };
  std::array<std::optional<LaterTurn>, kMaxSessions> turns_;
  std::array<Session*, kMaxSessions> sessions_;
  size_t n_ = 0;
};

// Taken where the parser is open and no other call has it.
class ParserTurn {
 public:
  explicit ParserTurn(const rondo_chat_parser* parser) : parser_(parser) {
    taken_ = parser_ && !parser_->busy.test_and_set(std::memory_order_acquire);
  }
  ~ParserTurn() {
    if (taken_) parser_->busy.clear(std::memory_order_release);
  }
  ParserTurn(const ParserTurn&) = delete;
  ParserTurn& operator=(const ParserTurn&) = delete;

  bool taken() const { return taken_; }
  // Why it was not.
  int32_t code() const { return parser_ ? RONDO_STATUS_BUSY : parser_.code(); }
  ChatParser* operator->() { return parser_->parser.get(); }

 private:
  Held<rondo_chat_parser> parser_;
  bool taken_;
};

}  // namespace rondo::c_api
