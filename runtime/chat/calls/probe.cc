#include "runtime/chat/calls/probe.h"

#include <algorithm>

#include "runtime/chat/calls/marked_text.h"
#include "runtime/chat/calls/text_builder.h"

namespace rondo::calls {
namespace {

// Of a rendering behind the user's word: what an answer's form takes is far below.
constexpr size_t kMaxTail = size_t{32} << 10;

constexpr std::string_view kEarlier =
    R"({"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Hi"}, )";

struct Tail {
  jinja::Machine& machine;
  std::string_view text;
};

Status KeepTail(void* user, const ChatText& rendered) {
  Tail& tail = *static_cast<Tail*>(user);
  std::string_view text = rendered.text;
  const size_t at = text.rfind(kUser);
  if (at == text.npos) {
    return Status::Error(StatusCode::kUnsupported, "the chat template leaves out what a user says");
  }
  text.remove_prefix(at + kUser.size());
  if (text.size() > kMaxTail) {
    return Status::Error(
        StatusCode::kUnsupported,
        "the chat template writes %zu bytes behind a message, expected at most %zu", text.size(),
        kMaxTail);
  }
  for (const char c : text) {
    if (c == kIdSlot || c == kIndexSlot) {
      return Status::Error(StatusCode::kUnsupported, "the chat template writes control characters");
    }
  }
  tail.text = KeepText(tail.machine, text);
  return tail.machine.status();
}

// An object of two arguments, or the same as the text of a JSON string.
void AppendArguments(TextBuilder* out, Values values, bool as_text) {
  const std::string_view quote = as_text ? "\\\"" : "\"";
  if (as_text) out->Append('"');
  out->Append('{');
  for (size_t i = 0; i < 2 && values != Values::kNone; ++i) {
    out->Append({i == 0 ? "" : ", ", quote, kKeys[i], quote, ": "});
    if (values == Values::kNumbers) {
      out->Append(kNumbers[i]);
    } else {
      out->Append({quote, kTexts[i], quote});
    }
  }
  out->Append('}');
  if (as_text) out->Append('"');
}

}  // namespace

void Probe::AppendCalls(TextBuilder* json, const AssistantMessage& message) const {
  json->Append(R"(, "tool_calls": [)");
  for (size_t i = 0; i < message.calls; ++i) {
    json->Append({i == 0 ? "" : ", ", R"({"id": ")", kIds[i], R"(", "type": "function", )",
                  spelling.flat ? "" : R"("function": {)", R"("name": ")", kNames[i],
                  R"(", "arguments": )"});
    AppendArguments(json, message.values, spelling.as_text);
    json->Append(spelling.flat ? "}" : "}}");
  }
  json->Append(']');
}

std::string_view Probe::Question(bool prompt) {
  TextBuilder json(machine_);
  json.Append({R"([{"role": "user", "content": ")", kUser, "\"}]"});
  return Render(json.view(), prompt);
}

std::string_view Probe::Prompt() {
  const std::string_view prompt = Question(/*prompt=*/true);
  if (last_closing_ == closing_ || !prompt.starts_with(last_closing_)) return prompt;
  TextBuilder fitted(machine_);
  fitted.Append({closing_, prompt.substr(last_closing_.size())});
  return fitted.view();
}

bool Probe::FitPrompts(std::string_view plain) {
  const std::string_view prompt = Question(/*prompt=*/true);
  const std::string_view alone = Question(/*prompt=*/false);
  if (machine_.failed()) return false;
  last_closing_ = prompt.substr(0, CommonPrefix(prompt, alone));
  closing_ = last_closing_;
  const std::string_view before = plain.substr(0, std::min(plain.find(kContent), plain.size()));
  const std::string_view common = prompt.substr(0, CommonPrefix(prompt, plain));
  const std::string_view header = Trim(prompt.substr(last_closing_.size()));
  // What writes nothing behind the last one is taken to write nothing behind earlier ones.
  if (prompt.empty()) return true;
  if (last_closing_.empty()) {
    const size_t same = CommonSuffix(prompt, before);
    return !Trim(common).empty() || Trim(before).empty() ||
           FirstMarkerEnd(before.substr(before.size() - same)) > 0;
  }
  if (plain.starts_with(closing_)) return true;
  if (header.empty() && !Trim(common).empty()) {  // it asks for an answer in any case
    closing_ = last_closing_ = common;
    return true;
  }
  // A prompt that adds nothing leaves an answer nothing of its own to begin with.
  const size_t marker = FirstMarkerEnd(header);
  const size_t end =
      header.empty() ? before.size() : before.find(marker > 0 ? header.substr(0, marker) : header);
  if (end == before.npos) return false;
  closing_ = before.substr(0, end);
  return true;
}

std::string_view Probe::Answer(const AssistantMessage& message) {
  TextBuilder json(machine_);
  json.Append({"[", message.later ? kEarlier : "", R"({"role": "user", "content": ")", kUser,
               R"("}, {"role": "assistant")"});
  if (message.thought.find("\"content\"") == message.thought.npos) {
    json.Append(R"(, "content": )");
    if (message.content.empty() && spelling.null_content) {
      json.Append("null");
    } else {
      json.Append({"\"", message.content, "\""});
    }
  }
  if (!message.thought.empty()) json.Append({", ", message.thought});
  if (message.calls > 0) AppendCalls(&json, message);
  json.Append(message.followed ? R"(}, {"role": "user", "content": "Go on"},)"
                                 R"( {"role": "assistant", "content": "Fine"}])"
                               : "}]");
  return Render(json.view(), /*prompt=*/false);
}

std::string_view Probe::Variables(std::string_view members) {
  std::string_view own = Trim(request_.variables);
  TextBuilder json(machine_);
  if (own.size() < 2 || own.back() != '}') {
    json.Append('{');
  } else {
    own.remove_suffix(1);
    json.Append(own);
    if (Trim(own).size() > 1) json.Append(", ");
  }
  json.Append({members, "}"});
  return json.view();
}

std::string_view Probe::Render(std::string_view messages, bool prompt) {
  if (machine_.failed()) {  // also where `messages` or the variables are cut short
    last_error_ = machine_.status();
    return {};
  }
  ChatRequest request = request_;
  request.messages = messages;
  request.variables = variables_;
  request.add_generation_prompt = prompt;
  request.continue_final_message = false;
  Tail tail{machine_, {}};
  bool exhausted = false;
  last_error_ = RenderChat(request, {KeepTail, &tail}, &exhausted);
  if (exhausted) machine_.FailWith(last_error_);
  return last_error_.ok() ? tail.text : std::string_view();
}

}  // namespace rondo::calls
