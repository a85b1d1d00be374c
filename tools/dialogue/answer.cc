#include "tools/dialogue/answer.h"

#include <algorithm>
#include <iterator>

#include "tools/dialogue/json_text.h"

namespace rondo::tools {

nlohmann::ordered_json ParseArguments(const std::string& text) {
  nlohmann::ordered_json arguments = ParseJson(text);
  return arguments.is_discarded() ? nlohmann::ordered_json(text) : arguments;
}

nlohmann::ordered_json Answer::Message() const {
  nlohmann::ordered_json message = {{"role", "assistant"}, {"content", content}};
  if (!thinking.empty()) message["reasoning_content"] = thinking;
  for (const Call& call : WholeCalls()) {
    nlohmann::ordered_json made = {
        {"type", "function"},
        {"function", {{"name", call.name}, {"arguments", ParseArguments(call.arguments)}}}};
    if (!call.id.empty()) made["id"] = call.id;
    message["tool_calls"].push_back(made);
  }
  return message;
}

std::vector<Call> Answer::WholeCalls() const {
  std::vector<Call> whole;
  std::copy_if(calls.begin(), calls.end(), std::back_inserter(whole),
               [](const Call& call) { return call.whole; });
  return whole;
}

ThinkingMarks ThinkingMarksOf(const Model& model, const Chat& chat) {
  try {
    auto [begin, end] = model.ChatThinking(chat);
    return {std::move(begin), std::move(end)};
  } catch (const rondo::Error& error) {
    if (error.status() == RONDO_STATUS_OUT_OF_MEMORY) throw;
    return {};
  }
}

void AnswerReader::Begin() {
  parser_.Reset();
  characters_.Reset();
  answer_ = {};
}

std::vector<ChatPart> AnswerReader::Read(std::string_view bytes, bool last) {
  parser_.Push(characters_.Add(bytes), last);
  std::vector<ChatPart> parts = parser_.Parts();
  for (const ChatPart& part : parts) {
    switch (part.kind) {
      case RONDO_CHAT_PART_CONTENT:
        answer_.content += part.text;
        break;
      case RONDO_CHAT_PART_THINKING:
        answer_.thinking += part.text;
        break;
      case RONDO_CHAT_PART_CALL:
        answer_.calls.push_back({part.id, part.name, "", false});
        break;
      case RONDO_CHAT_PART_ARGUMENTS:
        answer_.calls.back().arguments += part.text;
        break;
      case RONDO_CHAT_PART_CALL_END:
        answer_.calls.back().whole = true;
        break;
      default:
        break;
    }
  }
  return parts;
}

}  // namespace rondo::tools
