#include "runtime/chat/calls/chat_grammar.h"

#include <algorithm>

#include "runtime/chat/calls/marked_text.h"
#include "runtime/chat/calls/rules.h"
#include "runtime/chat/calls/tool_table.h"

namespace rondo {
namespace calls {
namespace {

using jinja::Dict;
using jinja::Value;

constexpr size_t kMemory = size_t{64} << 20;
// As much as a grammar may have.
constexpr size_t kMaxText = size_t{4} << 20;

// Of what begins a call, the part by which content is told from it.
std::string_view Sign(const CallForm& call) {
  if (const size_t marker = MarkerSize(call.begin); marker > 0) return call.begin.substr(0, marker);
  constexpr std::string_view kStops = " \n\t\r{\x01\x02";
  return call.begin.substr(0, call.begin.find_first_of(kStops, 1));
}

class GrammarWriter {
 public:
  GrammarWriter(const AnswerForm& form, Value tools, Rules* rules)
      : form_(form), call_(form.call), tools_(tools), rules_(*rules) {}

  void Write(ChatCalls calls, std::string_view function) {
    rules_.Raw("root ::= ");
    if (calls != ChatCalls::kAuto) {
      rules_.Raw("space calls\n");
    } else {
      WriteAuto();
    }
    rules_.Raw("space ::= [ \\n]{0,2}\ncalls ::=");
    rules_.Pattern(call_.begin);
    rules_.Raw(" call");
    if (call_.several && calls != ChatCalls::kOne) {
      rules_.Raw(" (");
      rules_.Pattern(call_.between);
      rules_.Raw(" call)*");
    }
    rules_.Closing(call_.end);
    rules_.Raw("\n");
    WriteCalls(function);
    if (call_.kind == ArgumentsKind::kNotation) WriteNotation();
  }

 private:
  // Content, and calls behind it or none.
  void WriteAuto() {
    if (call_.bare) {
      rules_.Raw("space calls | ([^ \\n\\t\\r{\\[] .*)?\n");
    } else if (FirstMarkerEnd(form_.content_begin) > 0) {
      rules_.Pattern(form_.content_begin);
      rules_.Raw(" ");
      rules_.Without(Sign(call_));
      rules_.Closing(form_.content_end);
      rules_.Raw(" | space calls\n");
    } else {
      rules_.Without(Sign(call_));
      rules_.Raw(" calls?\n");
    }
  }

  void WriteCalls(std::string_view function) {
    jinja::Machine& machine = rules_.machine();
    bool any = false;
    rules_.Raw("call ::= ");
    for (size_t i = 0; i < tools_.sequence->count && !machine.failed(); ++i) {
      std::string_view name;
      const Dict* tool = FunctionOf(machine, tools_.sequence->items[i], &name);
      if (tool == nullptr || (!function.empty() && name != function)) continue;
      if (!std::all_of(name.begin(), name.end(), IsNameByte) || name.size() > kMaxName) {
        return machine.FailWith(
            Status::Error(StatusCode::kUnsupported,
                          "the function %s has a name that the chat template's form cannot hold",
                          machine.Clip(name)));
      }
      if (any) rules_.Raw(" | ");
      any = true;
      rules_.Quoted(name);
      rules_.Pattern(call_.name_end);
      rules_.Raw(" ");
      WriteArguments(call_, ParametersOf(machine, *tool), name, &rules_);
    }
    rules_.Raw("\n");
    if (any || machine.failed()) return;
    machine.FailWith(
        Status::Error(StatusCode::kInvalidArgument,
                      function.empty() ? "tools has no function" : "tools has no function named %s",
                      machine.Clip(function)));
  }

  // Values that no schema bounds.
  void WriteNotation() {
    rules_.Raw("string ::=");
    rules_.Pattern(call_.quote);
    rules_.Raw(" ");
    rules_.Without(call_.quote);
    rules_.Pattern(call_.quote);
    rules_.Raw("\nkey ::= ");
    rules_.Raw(call_.keys_quoted ? "string" : "[a-zA-Z0-9_.\\x2d]{1,64}");
    rules_.Raw("\nvalue ::= string | object | \"[\" (value (");
    rules_.Pattern(call_.comma);
    rules_.Raw(" value)*)? \"]\" | %json {\"type\": [\"number\", \"boolean\", \"null\"]}\n");
    rules_.Raw("object ::= \"{\" (member (");
    rules_.Pattern(call_.comma);
    rules_.Raw(" member)*)? \"}\"\nmember ::= key");
    rules_.Pattern(call_.colon);
    rules_.Raw(" value\n");
  }

  const AnswerForm& form_;
  const CallForm& call_;
  const Value tools_;
  Rules& rules_;
};

}  // namespace
}  // namespace calls

Status WriteChatGrammar(const ChatRequest& request, ChatCalls calls, std::string_view function,
                        const ChatVocabulary& vocabulary, ChatGrammarSink sink) {
  jinja::Limits limits;
  limits.memory = calls::kMemory;
  jinja::Machine machine(limits);
  calls::AnswerForm form;
  RONDO_RETURN_IF_ERROR(calls::ReadAnswerForm(request, machine, &form));
  const jinja::Value tools = request.tools.empty()
                                 ? jinja::Value::None()
                                 : jinja::ParseJson(machine, request.tools, "tools");
  RONDO_RETURN_IF_ERROR(machine.status());
  if (!tools.is(jinja::Kind::kList) || tools.sequence->count == 0) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "tools has no function; a grammar of calls needs one");
  }
  if (!form.has_calls) return form.no_calls;
  calls::Rules rules(machine, vocabulary);
  calls::GrammarWriter(form, tools, &rules).Write(calls, function);
  RONDO_RETURN_IF_ERROR(machine.status());
  if (rules.text().size() > calls::kMaxText) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "the grammar of these tools has %zu bytes, expected at most %zu",
                         rules.text().size(), calls::kMaxText);
  }
  return sink.call(sink.user, rules.text());
}

Status ReadChatThinking(const ChatRequest& request, ChatThinkingSink sink) {
  jinja::Machine machine{jinja::Limits()};
  calls::AnswerForm form;
  RONDO_RETURN_IF_ERROR(calls::ReadAnswerForm(request, machine, &form));
  return sink.call(sink.user, form.thinking_begin, form.thinking_end);
}

}  // namespace rondo
