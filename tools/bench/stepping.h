// Sessions as the tests of many of them drive them: prompts are queued, passes run, events taken.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tools/common/library.h"

namespace rondo::tools {

// That never end by themselves.
SessionSetup EndlessSetup();
Session OpenEndless(rondo_engine* engine);
Session ForkEndless(rondo_session* session);

void Append(rondo_session* session, const std::vector<int32_t>& tokens);

// One pass for all of them, then the event of each, in their order. Throws Error, Interrupted.
std::vector<rondo_event> Step(rondo_engine* engine, std::span<rondo_session* const> sessions);

// Passes until `session` has a token, which comes with this event.
rondo_event StepToToken(rondo_engine* engine, rondo_session* session);

// Back to `tokens` tokens, at least 1, of which the last is another and waits for its pass: as a
// session that decodes stands between two steps.
void GoBackTo(rondo_session* session, uint64_t tokens);

// The handles of the first `count`.
std::vector<rondo_session*> Handles(const std::vector<Session>& sessions, size_t count);

}  // namespace rondo::tools
