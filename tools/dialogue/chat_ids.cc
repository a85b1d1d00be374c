#include "tools/dialogue/chat_ids.h"

#include <algorithm>
#include <string>

#include "tools/dialogue/content_form.h"

namespace rondo::tools {

MessageForm MessageFormOf(const Model& model, const Chat& chat, bool with_calls) {
  MessageForm form;
  form.parts_alone = ReadsPartsAlone(model, chat);
  if (with_calls) form.spelling = ReadCallSpelling(model, chat);
  return form;
}

bool HasCalls(const nlohmann::ordered_json& messages) {
  return std::any_of(messages.begin(), messages.end(),
                     [](const auto& message) { return message.contains("tool_calls"); });
}

std::vector<int32_t> ChatIds(const Model& model, Chat chat, const MessageForm& form,
                             const nlohmann::ordered_json& messages) {
  nlohmann::ordered_json spelled = HasCalls(messages) ? Spelled(messages, form.spelling) : messages;
  if (form.parts_alone) spelled = InParts(std::move(spelled));
  chat.messages = spelled.dump();
  std::vector<int32_t> ids = model.ChatIds(chat);
  if (ids.empty()) throw Error("the chat template makes nothing of the conversation");
  return ids;
}

}  // namespace rondo::tools
