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

ThinkingMarks ThinkingMarksOf(const rondo_model* model, const rondo_chat_options& options) {
  constexpr size_t kMost = 128;  // the library's marks are shorter
  char begin[kMost] = "", end[kMost] = "";
  size_t begin_length = 0, end_length = 0;
  const int32_t status = rondo_chat_thinking(model, &options, begin, sizeof begin, &begin_length,
                                             end, sizeof end, &end_length, nullptr, 0);
  RequireMemory(status);
  return status == RONDO_STATUS_OK ? ThinkingMarks{begin, end} : ThinkingMarks();
}

AnswerReader::AnswerReader(const rondo_model* model, const rondo_chat_options& options) {
  rondo_chat_parser* parser = nullptr;
  char why[256];
  const int32_t status = rondo_chat_parser_create(model, &options, &parser, why, sizeof why);
  if (status != RONDO_STATUS_OK) throw Error(why);
  parser_.reset(parser);
}

void AnswerReader::Begin() {
  rondo_chat_parser_reset(parser_.get());
  characters_.Reset();
  answer_ = {};
}

void AnswerReader::Push(std::string_view bytes, bool last) {
  const std::string whole = characters_.Add(bytes);
  const int32_t status =
      rondo_chat_parser_push(parser_.get(), whole.data(), whole.size(), last ? 1 : 0);
  if (status != RONDO_STATUS_OK) throw Error(rondo_status_string(status));
}

rondo_chat_part AnswerReader::Next() {
  rondo_chat_part part = {};
  part.struct_size = sizeof part;
  const int32_t status = rondo_chat_parser_next(parser_.get(), &part);
  if (status != RONDO_STATUS_OK) throw Error(rondo_status_string(status));
  const std::string_view text(part.text, part.text_bytes);
  switch (part.kind) {
    case RONDO_CHAT_PART_CONTENT:
      answer_.content += text;
      break;
    case RONDO_CHAT_PART_THINKING:
      answer_.thinking += text;
      break;
    case RONDO_CHAT_PART_CALL:
      answer_.calls.push_back({{part.id, part.id_bytes}, {part.name, part.name_bytes}, "", false});
      break;
    case RONDO_CHAT_PART_ARGUMENTS:
      answer_.calls.back().arguments += text;
      break;
    case RONDO_CHAT_PART_CALL_END:
      answer_.calls.back().whole = true;
      break;
    default:
      break;
  }
  return part;
}

}  // namespace rondo::tools
