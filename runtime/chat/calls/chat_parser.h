// ChatParser: the text of an answer, taken apart as it comes: content, thoughts, calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "runtime/base/status.h"
#include "runtime/chat/chat.h"

namespace rondo {

// What a part is; the values are RONDO_CHAT_PART_ of rondo.h.
enum class ChatPartKind : int32_t {
  kNone = 0,
  kContent = 1,
  kThinking = 2,
  kCall = 3,
  kArguments = 4,
  kCallEnd = 5
};

struct ChatPart {
  ChatPartKind kind = ChatPartKind::kNone;
  uint64_t call = 0;
  std::string_view text;      // kContent, kThinking, kArguments
  std::string_view name, id;  // kCall
};

// In the form that the request's template shows (answer_form.h); where no tools are given nothing
// is a call. Takes time linear in the text. A call is told when its name is whole: where what
// follows is no call any more, that is content, and the call has no end.
class ChatParser {
 public:
  // What is pushed and not yet handed out, at most.
  static constexpr size_t kMaxHeldBytes = size_t{8} << 20;

  // The request is forgotten. Errors: as RenderChat; kUnsupported where tools are given and the
  // template shows no form for calls.
  static Result<std::unique_ptr<ChatParser>> Create(const ChatRequest& request);
  virtual ~ChatParser() = default;

  // Errors, which change nothing: kInvalidArgument (behind the last bytes), kOutOfMemory (more than
  // kMaxHeldBytes wait, or the system refused memory).
  virtual Status Push(std::string_view bytes, bool last) = 0;
  // The texts are valid until the next call.
  virtual ChatPart Next() = 0;
  virtual void Reset() = 0;

 protected:
  ChatParser() = default;
};

}  // namespace rondo
