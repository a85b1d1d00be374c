// Chat in a build without it (CMake option RONDO_CHAT=OFF): compiled in place of chat.cc and
// calls/.
#include "runtime/chat/calls/chat_grammar.h"
#include "runtime/chat/calls/chat_parser.h"
#include "runtime/chat/chat.h"

namespace rondo {
namespace {

Status Unsupported() {
  return Status::Error(StatusCode::kUnsupported,
                       "this library was built without chat templates (CMake option RONDO_CHAT)");
}

}  // namespace

Status RenderChat(const ChatRequest&, ChatSink, bool*) { return Unsupported(); }

Status CheckChatTemplate(std::string_view) { return Unsupported(); }

bool HasChat() { return false; }

Result<std::unique_ptr<ChatParser>> ChatParser::Create(const ChatRequest&) { return Unsupported(); }

Status WriteChatGrammar(const ChatRequest&, ChatCalls, std::string_view, const ChatVocabulary&,
                        ChatGrammarSink) {
  return Unsupported();
}

Status ReadChatThinking(const ChatRequest&, ChatThinkingSink) { return Unsupported(); }

}  // namespace rondo
