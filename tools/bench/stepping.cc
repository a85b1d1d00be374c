#include "tools/bench/stepping.h"

#include "tools/common/interrupt.h"

namespace rondo::tools {

SessionSetup EndlessSetup() {
  SessionSetup setup;
  setup.options.ignore_eos = 1;
  return setup;
}

Session OpenEndless(rondo_engine* engine) { return OpenSession(engine, EndlessSetup()); }

Session ForkEndless(rondo_session* session) {
  const SessionSetup setup = EndlessSetup();
  rondo_session* fork = nullptr;
  char message[256];
  Require(rondo_session_fork(session, &setup.options, &fork, message, sizeof message), message);
  return Session(fork);
}

void Append(rondo_session* session, const std::vector<int32_t>& tokens) {
  Check(session, rondo_session_append(session, tokens.data(), tokens.size()));
}

std::vector<rondo_event> Step(rondo_engine* engine, std::span<rondo_session* const> sessions) {
  CheckInterrupt();
  char message[256];
  Require(rondo_engine_step(engine, sessions.data(), sessions.size(), message, sizeof message),
          message);
  std::vector<rondo_event> events(sessions.size());
  for (size_t i = 0; i < sessions.size(); ++i) {
    events[i].struct_size = sizeof events[i];
    Check(sessions[i], rondo_session_event(sessions[i], &events[i]));
  }
  return events;
}

rondo_event StepToToken(rondo_engine* engine, rondo_session* session) {
  for (;;) {
    const rondo_event event = Step(engine, {&session, 1}).front();
    if (event.token >= 0) return event;
    // Endless but for the context, which the tests plan large enough.
    if (event.reason != RONDO_REASON_NONE) throw Error("the session ended before its first token");
  }
}

void GoBackTo(rondo_session* session, uint64_t tokens) {
  uint64_t position = 0;
  Check(session, rondo_session_position(session, &position));
  Check(session, rondo_session_undo(session, position - tokens + 1));
  Append(session, {0});
}

std::vector<rondo_session*> Handles(const std::vector<Session>& sessions, size_t count) {
  std::vector<rondo_session*> handles;
  for (size_t i = 0; i < count; ++i) handles.push_back(sessions[i].get());
  return handles;
}

}  // namespace rondo::tools
