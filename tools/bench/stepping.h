// Sessions as the tests of many of them drive them: prompts are queued, passes run, events taken.
#pragma once

#include <cstdint>
#include <vector>

#include "tools/common/library.h"

namespace rondo::tools {

// That never end by themselves, and take the most likely token.
SessionOptions Endless();
Session OpenEndless(const Engine& engine);

// One pass for all of them, then the event of each, in their order. Throws rondo::Error,
// Interrupted.
std::vector<Event> Step(Engine* engine, const std::vector<Session*>& sessions);

// Passes until `session` has a token, which comes with this event.
Event StepToToken(Engine* engine, Session* session);

// Back to `tokens` tokens, at least 1, of which the last is another and waits for its pass: as a
// session that decodes stands between two steps.
void GoBackTo(Session* session, uint64_t tokens);

// The first `count`.
std::vector<Session*> FirstOf(std::vector<Session>& sessions, size_t count);

}  // namespace rondo::tools
