#include "tools/dialogue/call_spelling.h"

#include <optional>
#include <string>
#include <string_view>

#include "tools/dialogue/answer.h"
#include "tools/dialogue/rendering.h"

namespace rondo::tools {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kQuestion = "RondoQuestion";
constexpr const char* kTools =
    R"([{"type": "function", "function": {"name": "rondo_look", "description": "Looks",)"
    R"( "parameters": {"type": "object", "properties": {"where": {"type": "string",)"
    R"( "description": "A place"}, "far": {"type": "integer", "description": "How far"}},)"
    R"( "required": ["where"]}}}])";

// As templates write it.
std::string JsonText(const Json& value) {
  if (!value.is_structured() || value.empty()) return value.dump();
  std::string text;
  for (const auto& [key, member] : value.items()) {
    if (!text.empty()) text += ", ";
    if (value.is_object()) text += Json(key).dump() + ": ";
    text += JsonText(member);
  }
  return value.is_object() ? "{" + text + "}" : "[" + text + "]";
}

Json SpelledCall(Json call, const CallSpelling& spelling) {
  if (!call.is_object() || !call.contains("function") || !call["function"].is_object()) return call;
  Json& function = call["function"];
  if (function.contains("arguments")) {
    Json& arguments = function["arguments"];
    if (spelling.as_text && !arguments.is_string()) {
      arguments = JsonText(arguments);
    } else if (!spelling.as_text && arguments.is_string()) {  // as other programs keep it
      Json read = ParseArguments(arguments.get_ref<const std::string&>());
      if (read.is_object()) arguments = std::move(read);
    }
  }
  if (spelling.flat) {
    const Json inner = std::move(function);
    call.erase("function");
    call.update(inner);
  }
  return call;
}

class SpellingProbe {
 public:
  SpellingProbe(const Model& model, const Chat& chat)
      : model_(model),
        chat_(chat),
        reader_(model, WithTools(chat)),
        thinking_end_(ThinkingMarksOf(model, chat).end),
        prompt_(BehindQuestion(Json::array({Question()}), /*prompt=*/true).value_or("")) {}

  // What the template writes of a call beside `content`, in this spelling, is read as this call.
  bool ReadsBack(const CallSpelling& spelling, const std::string& content) {
    const Json call = {{"type", "function"},
                       {"id", "rondo0001"},
                       {"function", {{"name", "rondo_look"}, {"arguments", Arguments()}}}};
    Json messages = Json::array(
        {Question(),
         {{"role", "assistant"}, {"content", content}, {"tool_calls", Json::array({call})}}});
    messages = Spelled(std::move(messages), spelling);
    const std::optional<std::string> answer = BehindQuestion(messages, /*prompt=*/false);
    if (!answer) return false;
    messages.push_back({{"role", "tool"},
                        {"name", "rondo_look"},
                        {"tool_call_id", "rondo0001"},
                        {"content", "Seen."}});
    if (!BehindQuestion(messages, /*prompt=*/true)) return false;
    return (answer->starts_with(prompt_) && IsCall(answer->substr(prompt_.size()))) ||
           IsCall(*answer) || IsCall(thinking_end_ + *answer);
  }

 private:
  static Chat WithTools(Chat chat) {
    chat.tools = kTools;
    return chat;
  }
  static Json Question() { return {{"role", "user"}, {"content", kQuestion}}; }
  static Json Arguments() { return {{"where", "Rome"}, {"far", 30}}; }

  // Nothing where the template refuses the messages.
  std::optional<std::string> BehindQuestion(const Json& messages, bool prompt) {
    chat_.flags = prompt ? RONDO_CHAT_ADD_GENERATION_PROMPT : 0;
    chat_.messages = messages.dump();
    const std::optional<std::string> text = TryRendering(model_, chat_);
    if (!text) return std::nullopt;
    const size_t at = text->rfind(kQuestion);
    return at == text->npos ? "" : text->substr(at + kQuestion.size());
  }

  bool IsCall(const std::string& answer) {
    reader_.Begin();
    reader_.Add(answer, /*last=*/true, [](Part, std::string_view) {});
    const std::vector<Call> calls = reader_.answer().WholeCalls();
    return calls.size() == 1 && calls[0].name == "rondo_look" &&
           ParseArguments(calls[0].arguments) == Arguments();
  }

  const Model& model_;
  Chat chat_;
  AnswerReader reader_;
  const std::string thinking_end_;
  const std::string prompt_;
};

}  // namespace

CallSpelling ReadCallSpelling(const Model& model, Chat chat) {
  // What they are is of no account, but templates look at it.
  if (!chat.tools.empty()) chat.tools = kTools;
  try {
    SpellingProbe probe(model, chat);
    for (const bool flat : {false, true}) {
      for (const bool as_text : {false, true}) {
        for (const bool null_content : {false, true}) {
          CallSpelling spelling = {as_text, flat, null_content, false};
          if (!probe.ReadsBack(spelling, "")) continue;
          spelling.no_content = !probe.ReadsBack(spelling, "Let me look.");
          return spelling;
        }
      }
    }
  } catch (const rondo::Error&) {  // the template has no form for calls
  }
  return {};
}

Json Spelled(Json messages, const CallSpelling& spelling) {
  for (Json& message : messages) {
    if (!message.contains("tool_calls") || !message["tool_calls"].is_array()) continue;
    for (Json& call : message["tool_calls"]) call = SpelledCall(std::move(call), spelling);
    if (spelling.no_content) message["content"] = "";
    if (!spelling.null_content) continue;
    const auto* const text = message["content"].get_ptr<const std::string*>();
    if (text != nullptr && text->empty()) message["content"] = nullptr;
  }
  return messages;
}

}  // namespace rondo::tools
