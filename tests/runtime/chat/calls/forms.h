// Small templates, one for each form of calls.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "runtime/chat/calls/chat_parser.h"

namespace rondo::test {

// An assistant's message is the last one; before it the user's, and before that the tools.
#define RONDO_FORM(answer)                                                             \
  "{% for m in messages %}{% if m.role == 'assistant' %}<|bot|>" answer                \
  "<|end|>\n{% else %}<|{{ m.role }}|>{{ m.content }}<|end|>\n{% endif %}{% endfor %}" \
  "{% if add_generation_prompt %}<|bot|>{% if think %}<think>\n{% endif %}{% endif %}"
#define RONDO_THOUGHT \
  "{% if m.reasoning_content %}<think>\n{{ m.reasoning_content }}\n</think>\n\n{% endif %}"

// JSON in tags, thoughts before.
inline constexpr const char* kJsonForm = RONDO_FORM(
    RONDO_THOUGHT
    "{{ m.content }}{% for c in m.tool_calls %}{{ '\\n' }}<call>\n"
    "{\"name\": \"{{ c.function.name }}\", \"arguments\": {{ c.function.arguments|tojson }}}\n"
    "</call>{% endfor %}");
// A list with ids behind the arguments.
inline constexpr const char* kIdBehindForm = RONDO_FORM(
    "{{ m.content }}{% if m.tool_calls %}[CALLS][{% for c in m.tool_calls %}"
    "{\"name\": \"{{ c.function.name }}\", \"arguments\": {{ c.function.arguments|tojson }}, "
    "\"id\": \"{{ c.id }}\"}{% if not loop.last %}, {% endif %}{% endfor %}]{% endif %}");
// A list with numbers before the names.
inline constexpr const char* kNumberForm = RONDO_FORM(
    "{{ m.content }}{% if m.tool_calls %}<|act|>[{% for c in m.tool_calls %}"
    "{\"id\": \"{{ loop.index0 }}\", \"tool\": \"{{ c.function.name }}\", \"with\": "
    "{{ c.function.arguments|tojson }}}{% if not loop.last %}, {% endif %}{% endfor %}]<|/act|>"
    "{% endif %}");
// The name in an id with a number.
inline constexpr const char* kRunForm = RONDO_FORM(
    "{{ m.content }}{% for c in m.tool_calls %}<|call|>functions.{{ c.function.name }}:"
    "{{ loop.index0 }}<|with|>{{ c.function.arguments|tojson }}<|done|>{% endfor %}");
inline constexpr const char* kTagForm = RONDO_FORM(
    "{{ m.content }}{% for c in m.tool_calls %}{{ '\\n' }}<call>\n<function={{ c.function.name "
    "}}>\n"
    "{% for k, v in c.function.arguments|items %}<parameter={{ k }}>\n"
    "{{ v if v is string else v|tojson }}\n</parameter>\n{% endfor %}</function>\n</call>"
    "{% endfor %}");
// Tags that tell strings from the rest.
inline constexpr const char* kTypedTagForm = RONDO_FORM(
    "{{ m.content }}{% if m.tool_calls %}<calls>{% for c in m.tool_calls %}"
    "<invoke name=\"{{ c.function.name }}\">{% for k, v in c.function.arguments|items %}"
    "<parameter name=\"{{ k }}\" string=\"{{ 'true' if v is string else 'false' }}\">"
    "{{ v if v is string else v|tojson }}</parameter>{% endfor %}</invoke>{% endfor %}</calls>"
    "{% endif %}");
// Values as Python shows them.
inline constexpr const char* kPythonForm = RONDO_FORM(
    "{{ m.content }}{% for c in m.tool_calls %}{% if c.function.arguments is string %}"
    "{{ raise_exception('no texts') }}{% endif %}<|py|>{{ c.function.name }}"
    "({{ c.function.arguments }})<|/py|>{% endfor %}");
inline constexpr const char* kQuoteForm = RONDO_FORM(
    "{{ m.content }}{% for c in m.tool_calls %}<|call|>{{ c.function.name ~ '{' }}"
    "{% for k, v in c.function.arguments|items %}{{ k }}:"
    "{% if v is string %}<|q|>{{ v }}<|q|>{% else %}{{ v|tojson }}{% endif %}"
    "{% if not loop.last %},{% endif %}{% endfor %}}<|/call|>{% endfor %}");
// Nothing but JSON, and one call alone.
inline constexpr const char* kBareForm = RONDO_FORM(
    "{% if m.tool_calls %}{% if m.tool_calls|length > 1 %}{{ raise_exception('one call only') }}"
    "{% endif %}{% set f = m.tool_calls[0].function %}"
    "{\"name\": \"{{ f.name }}\", \"parameters\": {{ f.arguments|tojson }}}"
    "{% else %}{{ m.content }}{% endif %}");
// Channels, which a prompt does not begin.
inline constexpr const char* kChannelForm =
    "{% for m in messages %}{% if m.role == 'assistant' %}"
    "{% if m.thinking %}<|start|>bot<|channel|>thought<|message|>{{ m.thinking }}<|end|>{% endif %}"
    "{% if m.tool_calls %}{% set f = m.tool_calls[0].function %}<|start|>bot to={{ f.name }}"
    "<|channel|>json<|message|>{{ f.arguments|tojson }}<|call|>"
    "{% else %}<|start|>bot<|channel|>final<|message|>{{ m.content }}<|return|>{% endif %}"
    "{% else %}<|start|>{{ m.role }}<|message|>{{ m.content }}<|end|>{% endif %}{% endfor %}"
    "{% if add_generation_prompt %}<|start|>bot{% endif %}";

inline constexpr const char* kForms[] = {kJsonForm, kIdBehindForm, kNumberForm, kRunForm,
                                         kTagForm,  kTypedTagForm, kPythonForm, kQuoteForm,
                                         kBareForm, kChannelForm};

inline constexpr const char* kFormTools = R"([
  {"type": "function", "function": {"name": "find", "parameters": {"type": "object", "properties": {
     "what": {"type": "string"}, "most": {"type": "integer"}, "deep": {"type": "boolean"},
     "more": {"type": "object"}, "any": {}}, "required": ["what"]}}},
  {"type": "function", "function": {"name": "stop"}}])";

inline ChatRequest FormRequest(const char* form, std::string_view tools = kFormTools) {
  ChatRequest request;
  request.template_text = form;
  request.messages = R"([{"role": "user", "content": "Go"}])";
  request.tools = tools;
  request.add_generation_prompt = true;
  return request;
}

}  // namespace rondo::test
