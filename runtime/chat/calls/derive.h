// The steps of ReadAnswerForm (answer_form.h).
#pragma once

#include <string_view>

#include "runtime/chat/calls/answer_form.h"
#include "runtime/chat/calls/probe.h"

namespace rondo::calls {

// What the steps compare: renderings behind the user's word.
struct Shown {
  std::string_view prompt;       // for an answer
  std::string_view plain;        // an answer of content alone
  std::string_view call;         // of one call alone; empty where the template shows none
  std::string_view before_name;  // of that: the end of it up to the name, which begins a call
};

// Finds the form of calls, or sets form->no_calls. Leaves the probe's spelling as the template
// understands it. The patterns' memory is the machine's.
void ReadCalls(Probe& probe, jinja::Machine& machine, Shown* shown, AnswerForm* form);

// Finds what is around a thought, by any of the names that templates read one from, or by what
// prompts close and histories leave out.
void ReadThinking(Probe& probe, jinja::Machine& machine, const Shown& shown, AnswerForm* form);

// What stands around content alone, and behind an answer.
void ReadContent(const Shown& shown, AnswerForm* form);

}  // namespace rondo::calls
