// Generation: tokens in, passes, events out.
#include "c_api/turn.h"

namespace {

using rondo::Status;
using rondo::StatusCode;
using rondo::c_api::CheckOutput;
using rondo::c_api::Clear;
using rondo::c_api::Code;
using rondo::c_api::ComputingTurn;
using rondo::c_api::Fill;
using rondo::c_api::Held;
using rondo::c_api::NullArgument;
using rondo::c_api::OpenEngine;
using rondo::c_api::Report;
using rondo::c_api::Turn;
using rondo::c_api::Turns;

// The tokens of a prompt; without them the call that should append them fails.
bool HasIds(Turn& turn, const int32_t* ids, size_t count) {
  if (ids != nullptr || count == 0) return true;
  turn->EndPrompt();
  return false;
}

// Passes rows on to a C callback, and marks the time that the caller spends in it.
struct RowForwarder {
  OpenEngine* engine;
  uint64_t position;  // of row 0
  rondo_logits_row row;
  void* user;

  static void Row(void* self, uint64_t position, std::span<const float> logits) {
    const auto* forwarder = static_cast<const RowForwarder*>(self);
    forwarder->engine->callback_thread = rondo::ThisThread();
    forwarder->row(forwarder->user, position - forwarder->position, logits.data(), logits.size());
    forwarder->engine->callback_thread = 0;
  }
};

// Passes an event on to the caller.
int32_t Deliver(Turn& turn, const rondo::Result<rondo::TokenEvent>& event, rondo_event* out) {
  if (!event.ok()) return turn.Finish(event.status());
  rondo_event e = {};
  e.token = event->token;
  e.logprob = event->logprob;
  e.reason = static_cast<int32_t>(event->reason);
  e.bytes = event->bytes.empty() ? "" : event->bytes.data();  // never NULL
  e.bytes_count = event->bytes.size();
  e.text = event->text.empty() ? "" : event->text.data();
  e.text_bytes = event->text.size();
  e.pending = event->pending;
  e.taken_over = event->taken_over;
  e.channel = event->is_thought ? RONDO_CHANNEL_THINKING : RONDO_CHANNEL_TEXT;
  Fill(out, e);
  if (event->token >= 0 && !event->chosen) turn.CountGenerated();  // else accept did
  return RONDO_STATUS_OK;
}

Status Step(const rondo_engine* handle, rondo_session* const* sessions, size_t count) {
  const Held engine(handle);
  if (!engine) return engine.Why("engine");
  if (sessions == nullptr && count > 0) return NullArgument("sessions");
  if (count > rondo::kMaxSessions) {
    return Status::Error(StatusCode::kInvalidArgument, "%zu sessions; at most %u are possible",
                         count, rondo::kMaxSessions);
  }
  Turns turns;
  RONDO_RETURN_IF_ERROR(turns.Take(*engine, {sessions, count}));
  return rondo::Session::Step(engine->engine.get(), turns.sessions());
}

}  // namespace

extern "C" {

int32_t rondo_session_prefill(rondo_session* session, const int32_t* ids, size_t count) {
  ComputingTurn turn(session);
  if (!turn.taken()) return Code(turn.Why());
  if (!HasIds(turn, ids, count)) return turn.Finish(NullArgument("ids"));
  const Status status = turn->Prefill({ids, count});
  if (status.ok()) turn.CountPrefilled(count);
  return turn.Finish(status);
}

int32_t rondo_session_prefill_logits(rondo_session* session, const int32_t* ids, size_t count,
                                     rondo_logits_row row, void* user) {
  ComputingTurn turn(session);
  if (!turn.taken()) return Code(turn.Why());
  if (!HasIds(turn, ids, count)) return turn.Finish(NullArgument("ids"));
  if (row == nullptr) {
    turn->EndPrompt();
    return turn.Finish(NullArgument("row"));
  }
  RowForwarder forwarder = {&turn.engine(), turn->position(), row, user};
  const Status status = turn->PrefillLogits({ids, count}, {RowForwarder::Row, &forwarder});
  if (status.ok()) turn.CountPrefilled(count);
  return turn.Finish(status);
}

int32_t rondo_session_next(rondo_session* session, rondo_event* event) {
  Clear(event);
  ComputingTurn turn(session);
  if (!turn.taken()) return Code(turn.Why());
  if (const Status status = CheckOutput(event, "event"); !status.ok()) return turn.Finish(status);
  return Deliver(turn, turn->Next(), event);
}

int32_t rondo_session_append(rondo_session* session, const int32_t* ids, size_t count) {
  Turn turn(session);
  if (!turn.taken()) return Code(turn.Why());
  if (!HasIds(turn, ids, count)) return turn.Finish(NullArgument("ids"));
  const Status status = turn->Queue({ids, count});
  if (status.ok()) turn.CountPrefilled(count);
  return turn.Finish(status);
}

int32_t rondo_engine_step(rondo_engine* engine, rondo_session* const* sessions, size_t count,
                          char* message, size_t message_bytes) {
  return Report(Step(engine, sessions, count), message, message_bytes);
}

int32_t rondo_session_event(rondo_session* session, rondo_event* event) {
  Clear(event);
  Turn turn(session);
  if (!turn.taken()) return Code(turn.Why());
  if (const Status status = CheckOutput(event, "event"); !status.ok()) return turn.Finish(status);
  return Deliver(turn, turn->TakeEvent(), event);
}

int32_t rondo_session_logits(rondo_session* session, const float** logits, size_t* count) {
  if (logits != nullptr) *logits = nullptr;
  if (count != nullptr) *count = 0;
  ComputingTurn turn(session);
  if (!turn.taken()) return Code(turn.Why());
  if (logits == nullptr || count == nullptr) return turn.Finish(NullArgument("an output"));
  const auto current = turn->Logits();
  if (!current.ok()) return turn.Finish(current.status());
  *logits = current->data();
  *count = current->size();
  return RONDO_STATUS_OK;
}

int32_t rondo_session_propose(rondo_session* session, const int32_t* ids, size_t count) {
  Turn turn(session);
  if (!turn.taken()) return Code(turn.Why());
  if (ids == nullptr && count > 0) return turn.Finish(NullArgument("ids"));
  return turn.Finish(turn->Propose({ids, count}));
}

int32_t rondo_session_accept(rondo_session* session, int32_t token) {
  Turn turn(session);
  if (!turn.taken()) return Code(turn.Why());
  const Status status = turn->Accept(token);
  if (status.ok()) turn.CountGenerated();
  return turn.Finish(status);
}

}  // extern "C"
