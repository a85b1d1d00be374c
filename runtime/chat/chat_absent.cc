// Chat in a build without it (CMake option RONDO_CHAT=OFF): compiled in place of chat.cc.
#include "runtime/chat/chat.h"

namespace rondo {
namespace {

Status Unsupported() {
  return Status::Error(StatusCode::kUnsupported,
                       "this library was built without chat templates (CMake option RONDO_CHAT)");
}

}  // namespace

Status RenderChat(const ChatRequest&, ChatSink) { return Unsupported(); }

Status CheckChatTemplate(std::string_view) { return Unsupported(); }

bool HasChat() { return false; }

}  // namespace rondo
