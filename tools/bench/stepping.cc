#include "tools/bench/stepping.h"

#include "tools/common/interrupt.h"

namespace rondo::tools {

SessionOptions Endless() {
  SessionOptions options;
  options.recommended = false;
  options.ignore_eos = true;
  return options;
}

Session OpenEndless(const Engine& engine) { return Session(engine, Endless()); }

std::vector<Event> Step(Engine* engine, const std::vector<Session*>& sessions) {
  CheckInterrupt();
  engine->Step(sessions);
  std::vector<Event> events;
  for (Session* session : sessions) events.push_back(session->TakeEvent());
  return events;
}

Event StepToToken(Engine* engine, Session* session) {
  for (;;) {
    const Event event = Step(engine, {session}).front();
    if (event.token >= 0) return event;
    // Endless but for the context, which the tests plan large enough.
    if (event.reason != RONDO_REASON_NONE) throw Error("the session ended before its first token");
  }
}

void GoBackTo(Session* session, uint64_t tokens) {
  session->Undo(session->Position() - tokens + 1);
  session->Append(std::vector<int32_t>{0});
}

std::vector<Session*> FirstOf(std::vector<Session>& sessions, size_t count) {
  std::vector<Session*> first;
  for (size_t i = 0; i < count; ++i) first.push_back(&sessions[i]);
  return first;
}

}  // namespace rondo::tools
