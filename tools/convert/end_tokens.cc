#include "tools/convert/end_tokens.h"

#include <algorithm>
#include <map>
#include <optional>

#include "runtime/chat/chat.h"
#include "tools/convert/common/fail.h"

namespace rondo::convert {
namespace {

using nlohmann::json;

// Ends of a text, of a turn or of a message, as model families write them.
constexpr const char* kEndTexts[] = {"</s>",
                                     "<eos>",
                                     "<|eos|>",
                                     "<|endoftext|>",
                                     "<|end_of_text|>",
                                     "<|im_end|>",
                                     "<|eot_id|>",
                                     "<|eom_id|>",
                                     "<|eot|>",
                                     "<|eom|>",
                                     "<|end|>",
                                     "<|return|>",
                                     "<|call|>",
                                     "<end_of_turn>",
                                     "<turn|>",
                                     "<|end_of_turn|>",
                                     "<|END_OF_TURN_TOKEN|>",
                                     "<end_of_utterance>",
                                     "<|end_of_sentence|>",
                                     "<|assistant_end|>",
                                     "[|endofturn|]"};

// The tokens of a tokenizer.json by their text.
class TokensByText {
 public:
  // `tokenizer` was compiled, or is null.
  TokensByText(const json& tokenizer, uint32_t vocab_size) : vocab_size_(vocab_size) {
    if (tokenizer.is_null()) return;
    vocab_ = &tokenizer.at("model").at("vocab");
    const auto added = tokenizer.find("added_tokens");
    if (added == tokenizer.end()) return;
    for (const json& token : *added) {
      const auto id = token.at("id").get<uint64_t>();
      if (id >= vocab_size) continue;
      added_[token.at("content").get<std::string>()] = {static_cast<uint32_t>(id),
                                                        token.at("special").get<bool>()};
    }
  }

  // Any token.
  std::optional<uint32_t> Find(const std::string& text) const {
    if (const auto added = added_.find(text); added != added_.end()) return added->second.id;
    if (vocab_ == nullptr || !vocab_->is_object()) return {};
    const auto found = vocab_->find(text);
    if (found == vocab_->end() || *found >= vocab_size_) return {};
    return found->get<uint32_t>();
  }
  std::optional<uint32_t> FindSpecial(const std::string& text) const {
    const auto found = added_.find(text);
    if (found == added_.end() || !found->second.special) return {};
    return found->second.id;
  }
  // The longest added token that the text begins with; empty: none.
  std::string AddedAtBegin(std::string_view text) const {
    std::string longest;
    for (const auto& [content, token] : added_) {
      if (text.starts_with(content) && content.size() > longest.size()) longest = content;
    }
    return longest;
  }

 private:
  struct Added {
    uint32_t id;
    bool special;
  };
  std::map<std::string, Added> added_;
  const json* vocab_ = nullptr;
  const uint32_t vocab_size_;
};

std::string EosText(const ChatSource& chat) {
  const auto found = std::ranges::find(chat.tokens, "eos_token", &NamedTexts::value_type::first);
  return found == chat.tokens.end() ? "" : found->second;
}

// What the chat template writes behind the answer that ends a conversation, without the blanks in
// between; empty where that cannot be known.
std::string BehindAnswer(const ChatSource& chat) {
  if (chat.templates.empty()) return "";
  constexpr std::string_view kAnswer = "RondoAnswer";
  const std::string messages = R"([{"role": "user", "content": "Hello"},)"
                               R"({"role": "assistant", "content": "RondoAnswer"}])";
  std::vector<ChatToken> tokens;
  for (const auto& [name, text] : chat.tokens) tokens.push_back({name, text});
  ChatRequest request;
  request.template_text = chat.templates.front().second;
  request.tokens = tokens;
  request.messages = messages;
  std::string text;
  const auto take = [](void* user, const ChatText& rendered) {
    *static_cast<std::string*>(user) = rendered.text;
    return Status();
  };
  const Status status = RenderChat(request, {take, &text});
  if (status.code() == StatusCode::kOutOfMemory) Fail(status.message());
  if (!status.ok()) return "";
  const size_t answer = text.rfind(kAnswer);
  if (answer == std::string::npos) return "";
  const size_t behind = text.find_first_not_of(" \t\r\n", answer + kAnswer.size());
  return behind == std::string::npos ? "" : text.substr(behind);
}

}  // namespace

void AddEndTokens(const SourceText& source, DecoderSpec& spec, std::vector<std::string>& notes) {
  const TokensByText tokens(source.tokenizer, spec.vocab_size);
  std::string added;
  const auto add = [&](std::optional<uint32_t> id, const std::string& text, const char* why) {
    if (!id || std::ranges::find(spec.eos_tokens, *id) != spec.eos_tokens.end()) return;
    spec.eos_tokens.push_back(*id);
    added += (added.empty() ? "" : ", ") + text + " (" + std::to_string(*id) + ", " + why + ")";
  };
  const std::string eos = EosText(source.chat);
  if (!eos.empty()) add(tokens.Find(eos), eos, "the tokenizer's eos_token");
  const std::string turn_end = tokens.AddedAtBegin(BehindAnswer(source.chat));
  if (!turn_end.empty()) add(tokens.Find(turn_end), turn_end, "the chat template's end of a turn");
  // OpenAI's harmony ends with it each of the messages that make up one answer.
  const bool is_harmony = tokens.FindSpecial("<|return|>") && tokens.FindSpecial("<|channel|>");
  for (const std::string text : kEndTexts) {
    if (text == "<|end|>" && is_harmony) continue;
    // These two are also HTML, and words of other languages.
    const bool is_plain = text == "</s>" || text == "<eos>";
    add(is_plain ? tokens.FindSpecial(text) : tokens.Find(text), text, "by its text");
  }
  if (!added.empty()) notes.push_back("end tokens that no eos_token_id names: " + added);
  if (spec.eos_tokens.empty() && !source.tokenizer.is_null()) {
    notes.push_back("no end token is known: a text ends at --max-tokens or --stop only");
  }
}

}  // namespace rondo::convert
