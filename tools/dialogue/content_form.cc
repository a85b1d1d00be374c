#include "tools/dialogue/content_form.h"

#include <string>
#include <string_view>

#include "tools/common/library.h"

namespace rondo::tools {
namespace {

constexpr std::string_view kSaid = "RondoSays";

bool Shows(const rondo_model* model, rondo_chat_options options,
           const nlohmann::ordered_json& messages) {
  const std::string json = messages.dump();
  options.messages = json.data();
  options.messages_bytes = json.size();
  const std::string text = TextOutput([&](char* buffer, size_t capacity, size_t* length) {
    return rondo_chat_render(model, &options, buffer, capacity, length, nullptr, 0, nullptr,
                             nullptr, 0);
  });
  return text.find(kSaid) != text.npos;
}

}  // namespace

bool ReadsPartsAlone(const rondo_model* model, const rondo_chat_options& options) {
  const nlohmann::ordered_json said = {{{"role", "user"}, {"content", kSaid}}};
  return !Shows(model, options, said) && Shows(model, options, InParts(said));
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
