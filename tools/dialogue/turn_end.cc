#include "tools/dialogue/turn_end.h"

#include <algorithm>
#include <string_view>

#include "tools/dialogue/rendering.h"

namespace rondo::tools {
namespace {

constexpr std::string_view kAnswer = "RondoAnswer";
constexpr std::string_view kMessages = R"([{"role": "user", "content": "Hello"},)"
                                       R"({"role": "assistant", "content": "RondoAnswer"}])";

// What stands behind the answer that ends a conversation, without the blanks in between; empty
// where the template refuses this conversation.
std::string BehindAnswer(const Model& model, const std::string& template_text) {
  Chat chat;
  chat.flags = 0;
  chat.messages = kMessages;
  chat.template_text = template_text;
  const std::string text = TryRendering(model, chat).value_or("");
  const size_t answer = text.rfind(kAnswer);
  if (answer == text.npos) return "";
  const size_t behind = text.find_first_not_of(" \t\r\n", answer + kAnswer.size());
  return behind == text.npos ? "" : text.substr(behind);
}

}  // namespace

std::string TurnEnd(const Model& model, const std::string& template_text) {
  const std::string behind = BehindAnswer(model, template_text);
  if (behind.empty()) return "";
  const std::vector<int32_t> ids = Tokenize(model, behind, /*add_special=*/false);
  if (ids.empty()) return "";
  const std::vector<int32_t> ends = model.EosTokens();
  if (std::find(ends.begin(), ends.end(), ids[0]) != ends.end()) return "";
  const Ids first = {ids.data(), 1};
  const std::string text = model.Detokenize(first);
  const bool is_special = model.Detokenize(first, RONDO_DETOKENIZE_SKIP_SPECIAL).empty();
  return is_special && behind.starts_with(text) ? text : "";
}

}  // namespace rondo::tools
