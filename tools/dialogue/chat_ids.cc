#include "tools/dialogue/chat_ids.h"

#include <algorithm>
#include <string>

#include "tools/dialogue/content_form.h"

namespace rondo::tools {

MessageForm MessageFormOf(const rondo_model* model, const rondo_chat_options& options,
                          bool with_calls) {
  MessageForm form;
  form.parts_alone = ReadsPartsAlone(model, options);
  if (with_calls) form.spelling = ReadCallSpelling(model, options);
  return form;
}

bool HasCalls(const nlohmann::ordered_json& messages) {
  return std::any_of(messages.begin(), messages.end(),
                     [](const auto& message) { return message.contains("tool_calls"); });
}

std::vector<int32_t> ChatIds(const rondo_model* model, rondo_chat_options options,
                             const MessageForm& form, const nlohmann::ordered_json& messages) {
  nlohmann::ordered_json spelled = HasCalls(messages) ? Spelled(messages, form.spelling) : messages;
  if (form.parts_alone) spelled = InParts(std::move(spelled));
  const std::string json = spelled.dump();
  options.messages = json.data();
  options.messages_bytes = json.size();
  std::vector<int32_t> ids(json.size() + 1024);
  size_t count = 0;
  char message[256];
  const auto render = [&] {
    return rondo_chat_render(model, &options, nullptr, 0, nullptr, ids.data(), ids.size(), &count,
                             message, sizeof message);
  };
  int32_t status = render();
  if (status == RONDO_STATUS_BUFFER_TOO_SMALL) {
    ids.resize(count);
    status = render();
  }
  if (status != RONDO_STATUS_OK) throw Error(message);
  ids.resize(count);
  if (ids.empty()) throw Error("the chat template makes nothing of the conversation");
  return ids;
}

}  // namespace rondo::tools
