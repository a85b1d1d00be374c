// AnswerForm: how a template writes what an assistant says: thoughts, content, calls.
#pragma once

#include <string_view>

#include "runtime/base/status.h"
#include "runtime/chat/chat.h"
#include "runtime/chat/jinja/machine.h"

namespace rondo::calls {

enum class ArgumentsKind : unsigned char {
  kJson,      // a JSON object
  kTagged,    // each argument between texts of its own, its value as it is
  kNotation,  // an object in a notation of the template's own: other quotes, bare keys
};

// A call is `begin`, a name, `name_end`, arguments, and then `between`, the next name and so on, or
// `end`. `begin` to `end` are patterns (marked_text.h).
struct CallForm {
  std::string_view space_before;  // between content and `begin`
  std::string_view begin;
  std::string_view name_end;
  std::string_view between;
  std::string_view end;
  bool several = false;  // an answer may have more than one
  bool bare = false;     // `begin` is no more than JSON: a call only where an answer begins so
  // Of the id that is written with the name and a number in one run (functions.NAME:0), what stands
  // before the name; `id_is_run` tells that it is so.
  std::string_view id_prefix;
  bool id_is_run = false;

  ArgumentsKind kind = ArgumentsKind::kJson;
  // kTagged: `open`, a key, one of the two, a value, `close`.
  std::string_view open;
  std::string_view string_value;  // between key and a string
  std::string_view other_value;   // between key and anything else; mostly the same
  std::string_view close;
  // kNotation: what is around keys and strings, behind a key, and between members.
  std::string_view quote, colon, comma;
  bool keys_quoted = false;
};

struct AnswerForm {
  std::string_view thinking_begin, thinking_end;  // empty: the template shows no thoughts
  std::string_view content_begin, content_end;    // around content alone; mostly empty
  std::string_view turn_end;                      // what ends the assistant's turn
  std::string_view turn_end_with_calls;           // where that is another; empty: it is not
  bool in_thought = false;                        // the prompt ends inside of a thought
  bool has_calls = false;
  CallForm call;
  Status no_calls;  // where it has none: what of the template was not understood
};

// Reads it off the request's template; the texts are in the machine's memory. Whether the prompt
// ends inside of a thought is the request's own; its tools and variables are what the template is
// given. Renders some fifty short conversations at most. Errors: as RenderChat for the request.
Status ReadAnswerForm(const ChatRequest& request, jinja::Machine& machine, AnswerForm* form);

}  // namespace rondo::calls
