// What a session's options say of its grammar and of thoughts.
#pragma once

#include <array>

#include "c_api/handles.h"

namespace rondo::c_api {

// The marks of the model's chat template, which the options may view.
struct TemplateMarks {
  std::array<char, kMaxThinkingMarkBytes> begin;
  std::array<char, 2 * kMaxThinkingMarkBytes> end;
};

// Views the options' texts and `marks`. `grammar`: what the options name, or null. Errors:
// kInvalidArgument (which option, its range), kUnsupported (the template shows no thoughts).
Result<ConstraintOptions> ReadConstraint(const rondo_session_options& options,
                                         const OpenModel& model, const OpenGrammar* grammar,
                                         TemplateMarks* marks);

}  // namespace rondo::c_api
