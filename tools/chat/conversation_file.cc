#include "tools/chat/conversation_file.h"

#include <algorithm>

#include "tools/chat/chat_picture.h"
#include "tools/common/error.h"
#include "tools/common/text_io.h"
#include "tools/common/utf8.h"
#include "tools/dialogue/json_text.h"

namespace rondo::tools {
namespace {

// As dump(2) begins and ends it; within texts JSON has no line breaks.
constexpr FileKind kConversationFile = {"a saved conversation", "[\n  {\n    \"role\": \"", ""};
// What a snapshot begins with.
constexpr std::string_view kSnapshot = "\nRNDOSNAP";

constexpr std::string_view kSpace = " \t\r\n";

bool IsMessage(const nlohmann::ordered_json& message) {
  return message.is_object() && message.contains("role") && message["role"].is_string() &&
         message.contains("content") && IsContent(message["content"]);
}

void Write(const std::string& path, const FileKind& kind, Replace replace,
           const Conversation& conversation) {
  OutputFile file(path, kind, replace);
  if (!conversation.messages().empty()) {
    file.Write(conversation.messages().dump(2) + "\n");
    file.Write(conversation.Snapshot());
  }
  file.Commit();
}

}  // namespace

void CheckConversationFile(const std::string& path) {
  const OutputFile file(path, kConversationFile, Replace::kSameKind);
}

void KeepConversation(const std::string& path, const Conversation& conversation) {
  Write(path, kConversationFile, Replace::kSameKind, conversation);
}

void SaveConversation(const std::string& path, Replace replace, const Conversation& conversation) {
  FileKind kind = kConversationFile;
  kind.force = "/save --force FILE";
  Write(path, kind, replace, conversation);
}

bool ReadConversation(const std::string& path, Conversation* conversation) {
  std::string bytes = ReadFile("the conversation", path);
  DropByteOrderMark(&bytes);
  if (bytes.empty()) return true;
  const size_t begin = bytes.find_first_not_of(kSpace);
  if (begin == bytes.npos || bytes[begin] != '[') Fail(path, " is not ", kConversationFile.name);
  const size_t end = std::min(bytes.find(kSnapshot), bytes.size());
  if (bytes[bytes.find_last_not_of(kSpace, end - 1)] != ']') {
    Fail(path, " was truncated: its messages do not end");
  }
  nlohmann::ordered_json messages = ParseJson(bytes.substr(0, end));
  if (!messages.is_array() || !std::all_of(messages.begin(), messages.end(), IsMessage)) {
    Fail(path,
         " was damaged: its messages are not a list of {\"role\": ..., "
         "\"content\": ...}");
  }
  const std::string snapshot = bytes.substr(std::min(end + 1, bytes.size()));
  try {
    Explained([&] { conversation->Load(std::move(messages), snapshot); });
  } catch (const Error& error) {
    Fail(path, ": ", error.what());
  }
  return !snapshot.empty();
}

}  // namespace rondo::tools
