#include "tools/dialogue/turn_end.h"

#include <string_view>

namespace rondo::tools {
namespace {

constexpr std::string_view kAnswer = "RondoAnswer";
constexpr std::string_view kMessages = R"([{"role": "user", "content": "Hello"},)"
                                       R"({"role": "assistant", "content": "RondoAnswer"}])";

// What stands behind the answer that ends a conversation, without the blanks in between; empty
// where the template refuses this conversation.
std::string BehindAnswer(const rondo_model* model, const std::string& template_text) {
  rondo_chat_options options;
  rondo_chat_options_init(&options, sizeof options);
  options.flags = 0;
  options.messages = kMessages.data();
  options.messages_bytes = kMessages.size();
  options.template_text = template_text.data();
  options.template_bytes = template_text.size();
  const std::string text = TextOutput([&](char* buffer, size_t capacity, size_t* length) {
    return rondo_chat_render(model, &options, buffer, capacity, length, nullptr, 0, nullptr,
                             nullptr, 0);
  });
  const size_t answer = text.rfind(kAnswer);
  if (answer == text.npos) return "";
  const size_t behind = text.find_first_not_of(" \t\r\n", answer + kAnswer.size());
  return behind == text.npos ? "" : text.substr(behind);
}

std::string TokenText(const rondo_model* model, int32_t token, uint32_t flags) {
  return TextOutput([&](char* buffer, size_t capacity, size_t* length) {
    return rondo_detokenize(model, &token, 1, flags, buffer, capacity, length);
  });
}

bool IsEndToken(const rondo_model* model, int32_t token) {
  int32_t end = 0;
  for (uint32_t i = 0; rondo_model_eos_token(model, i, &end) == RONDO_STATUS_OK; ++i) {
    if (end == token) return true;
  }
  return false;
}

}  // namespace

std::string TurnEnd(const rondo_model* model, const std::string& template_text) {
  const std::string behind = BehindAnswer(model, template_text);
  if (behind.empty()) return "";
  const std::vector<int32_t> ids = Tokenize(model, behind, /*add_special=*/false);
  if (ids.empty() || IsEndToken(model, ids[0])) return "";
  const std::string text = TokenText(model, ids[0], 0);
  const bool is_special = TokenText(model, ids[0], RONDO_DETOKENIZE_SKIP_SPECIAL).empty();
  return is_special && behind.starts_with(text) ? text : "";
}

}  // namespace rondo::tools
