#include "tools/dialogue/content_form.h"

#include <optional>
#include <string>
#include <string_view>

#include "tools/dialogue/rendering.h"

namespace rondo::tools {
namespace {

constexpr std::string_view kSaid = "RondoSays";

bool Shows(const Model& model, Chat chat, const nlohmann::ordered_json& messages) {
  chat.messages = messages.dump();
  const std::optional<std::string> text = TryRendering(model, chat);
  return text && text->find(kSaid) != text->npos;
}

}  // namespace

bool ReadsPartsAlone(const Model& model, const Chat& chat) {
  const nlohmann::ordered_json said = {{{"role", "user"}, {"content", kSaid}}};
  return !Shows(model, chat, said) && Shows(model, chat, InParts(said));
}

nlohmann::ordered_json InParts(nlohmann::ordered_json messages) {
  for (nlohmann::ordered_json& message : messages) {
    nlohmann::ordered_json& content = message["content"];
    if (!content.is_string()) continue;
    nlohmann::ordered_json part = {{"type", "text"}, {"text", std::move(content)}};
    content = nlohmann::ordered_json::array({std::move(part)});
  }
  return messages;
}

}  // namespace rondo::tools
