#include "runtime/chat/chat.h"

#include "runtime/base/utf8.h"
#include "runtime/chat/jinja/builtins.h"
#include "runtime/chat/jinja/interpreter.h"
#include "runtime/chat/jinja/parser.h"
#include "runtime/chat/jinja/unicode_text.h"
#include "runtime/model/limits.h"

namespace rondo {
namespace {

using jinja::Dict;
using jinja::Kind;
using jinja::Machine;
using jinja::TextView;
using jinja::Value;

// Put behind a message's text, it shows where that ends in the rendering. The space tells whether
// the template has trimmed the message.
constexpr std::string_view kEndMark = "<|rondo: the message goes on here|> ";

bool CheckTemplateText(Machine& machine, std::string_view text) {
  if (text.size() > kMaxTemplateBytes) {
    machine.Fail("it has %zu bytes, expected at most %zu", text.size(),
                 static_cast<size_t>(kMaxTemplateBytes));
    return false;
  }
  const auto* begin = reinterpret_cast<const uint8_t*>(text.data());
  const uint8_t* end = begin + text.size();
  for (const uint8_t* at = begin; at < end;) {
    const Utf8Step step = DecodeUtf8(at, end);
    if (step.kind != Utf8Kind::kValid) {
      machine.Fail("byte %zu is not UTF-8", static_cast<size_t>(at - begin));
      return false;
    }
    at += step.length;
  }
  return true;
}

// A role that every template knows is no text of strangers.
void TrustKnownRole(Machine& machine, Dict* message) {
  static constexpr std::string_view kRoles[] = {"system",    "developer", "user",
                                                "assistant", "tool",      "function"};
  const Value* role = jinja::Find(machine, *message, "role");
  if (role == nullptr || !role->is_string()) return;
  for (const std::string_view known : kRoles) {
    if (role->str() == known) jinja::Put(machine, message, "role", ViewString(machine, known));
  }
}

Value ReadMessages(Machine& machine, std::string_view json, bool outside) {
  const Value messages = jinja::ParseJson(machine, json, "messages", outside);
  if (machine.failed()) return Value();
  if (!messages.is(Kind::kList)) {
    machine.Fail("messages is not a JSON list, expected [{\"role\": ..., \"content\": ...}, ...]");
    return Value();
  }
  for (size_t i = 0; i < messages.sequence->count; ++i) {
    const Value message = messages.sequence->items[i];
    if (!message.is(Kind::kDict)) {
      machine.Fail("messages[%zu] is not a JSON object, expected {\"role\": ..., \"content\": ...}",
                   i);
      return Value();
    }
    if (outside) TrustKnownRole(machine, message.dict);
  }
  return messages;
}

Value ReadTools(Machine& machine, std::string_view json, bool outside) {
  if (json.empty()) return Value::None();
  const Value tools = jinja::ParseJson(machine, json, "tools", outside);
  if (!machine.failed() && !tools.is(Kind::kList) && !tools.is_none()) {
    machine.Fail("tools is not a JSON list");
  }
  return tools;
}

// The dict that holds the text which ends the message, under `*key`; nullptr for none.
Dict* FindFinalText(Machine& machine, Value messages, std::string_view* key) {
  if (messages.sequence->count == 0) return nullptr;
  Dict* message = messages.sequence->items[messages.sequence->count - 1].dict;
  const Value* content = jinja::Find(machine, *message, "content");
  *key = "content";
  if (content == nullptr) return nullptr;
  if (content->is_string()) return message;
  if (!content->is(Kind::kList)) return nullptr;
  *key = "text";
  for (size_t i = content->sequence->count; i > 0; --i) {
    const Value part = content->sequence->items[i - 1];
    if (!part.is(Kind::kDict)) continue;
    const Value* text = jinja::Find(machine, *part.dict, "text");
    if (text != nullptr && text->is_string()) return part.dict;
  }
  return nullptr;
}

void MarkFinalText(Machine& machine, Value messages) {
  std::string_view key;
  Dict* holder = FindFinalText(machine, messages, &key);
  if (holder == nullptr) {
    machine.Fail("the last message has no text to continue");
    return;
  }
  const Value text = *jinja::Find(machine, *holder, key);
  const TextView mark = {kEndMark, text.text->outside};
  jinja::Put(machine, holder, key, jinja::Concatenate(machine, *text.text, mark));
}

TextView CutAtMark(Machine& machine, TextView text) {
  const std::string_view trimmed = kEndMark.substr(0, kEndMark.size() - 1);
  const size_t at = jinja::FindLast(machine, text, trimmed);
  if (at == std::string_view::npos) {
    machine.Fail("the message to continue does not appear in what the template makes of it");
    return {};
  }
  const bool kept = text.bytes.substr(at).starts_with(kEndMark);
  text = text.substr(0, at);
  return kept ? text : text.substr(0, at - jinja::TrailingSpace(text));
}

// The marks of a text as those of its bytes, one by one.
ChatText WithMarks(Machine& machine, TextView text) {
  if (text.outside == nullptr) return {.text = text, .outside = {}};
  if (!text.uniform()) return {.text = text, .outside = {text.outside, text.size()}};
  const std::span<uint8_t> marks = machine.NewArray<uint8_t>(text.size());
  if (!marks.empty()) text.CopyMarks(marks.data());
  return {.text = text, .outside = marks};
}

// The names that the template reads; nullptr after a failure.
const Dict* MakeVariables(Machine& machine, const ChatRequest& request) {
  Dict* names = jinja::NewDict(machine);
  for (const ChatToken& token : request.tokens) {
    jinja::Put(machine, names, token.name, jinja::ViewString(machine, token.text));
  }
  jinja::Put(machine, names, "documents", Value::None());
  if (request.local_time.has_value()) {
    jinja::Put(machine, names, "strftime_now",
               jinja::MakeFunction(machine, &jinja::kStrftimeNow, Value::Int(*request.local_time)));
  }
  if (!request.variables.empty()) {
    const Value more =
        jinja::ParseJson(machine, request.variables, "variables", request.mark_outside);
    if (!machine.failed() && !more.is(Kind::kDict)) {
      machine.Fail("variables is not a JSON object, expected {\"name\": value, ...}");
    }
    if (machine.failed()) return nullptr;
    for (const Dict::Entry& entry : more.dict->all()) {
      jinja::Put(machine, names, entry.key, entry.value);
    }
  }
  const bool outside = request.mark_outside;
  const Value messages = ReadMessages(machine, request.messages, outside);
  const Value tools = machine.failed() ? Value() : ReadTools(machine, request.tools, outside);
  if (machine.failed()) return nullptr;
  if (request.continue_final_message) MarkFinalText(machine, messages);
  jinja::Put(machine, names, "messages", messages);
  jinja::Put(machine, names, "tools", tools);
  jinja::Put(machine, names, "add_generation_prompt", Value::Bool(request.add_generation_prompt));
  return machine.failed() ? nullptr : names;
}

Status Render(Machine& machine, const ChatRequest& request, ChatSink sink) {
  if (request.add_generation_prompt && request.continue_final_message) {
    machine.Fail("a message to continue and a prompt for a new one exclude each other");
  }
  if (!CheckTemplateText(machine, request.template_text)) return machine.status();
  const jinja::Statement* statements = jinja::ParseTemplate(machine, request.template_text);
  if (machine.failed()) return machine.status();
  const Dict* variables = MakeVariables(machine, request);
  if (variables == nullptr) return machine.status();
  TextView text = jinja::Interpreter(machine, *variables).Run(statements);
  if (!machine.failed() && request.continue_final_message) text = CutAtMark(machine, text);
  ChatText result = WithMarks(machine, text);
  result.steps = machine.steps();
  result.memory = machine.most_memory();
  if (machine.failed()) return machine.status();
  return sink.call(sink.user, result);
}

}  // namespace

Status RenderChat(const ChatRequest& request, ChatSink sink, bool* exhausted) {
  Machine machine{jinja::Limits::For(request.messages.size() + request.tools.size() +
                                     request.variables.size())};
  const Status status = Render(machine, request, sink);
  if (exhausted != nullptr) *exhausted = machine.exhausted();
  return status;
}

Status CheckChatTemplate(std::string_view template_text) {
  Machine machine{jinja::Limits()};
  if (CheckTemplateText(machine, template_text)) {
    jinja::ParseTemplate(machine, template_text, /*check_names=*/true);
  }
  return machine.status();
}

bool HasChat() { return true; }

}  // namespace rondo
