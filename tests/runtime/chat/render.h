// RenderedChat: a template's text for a test, or the sentence that it fails with.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/chat/chat.h"

namespace rondo::test {

// 2026-01-02 03:04:05, a Friday: the clock of the reference conversations.
inline constexpr int64_t kTestClock = 1767323045;

struct Rendered {
  Status status;
  std::string text;
  std::vector<uint8_t> outside;
  uint64_t steps = 0;
  size_t memory = 0;
};

inline Rendered Render(const ChatRequest& request) {
  Rendered rendered;
  rendered.status =
      RenderChat(request, {[](void* user, const ChatText& text) {
                             auto& out = *static_cast<Rendered*>(user);
                             out.text = text.text;
                             out.outside.assign(text.outside.begin(), text.outside.end());
                             out.steps = text.steps;
                             out.memory = text.memory;
                             return Status();
                           },
                           &rendered});
  return rendered;
}

// The template with these variables (a JSON object), one message and a clock: its text, or "!" and
// the failure.
inline std::string RenderText(std::string_view template_text, std::string_view variables = "{}") {
  ChatRequest request;
  request.template_text = template_text;
  request.messages = R"([{"role": "user", "content": "hi"}])";
  request.variables = variables;
  request.local_time = kTestClock;
  const Rendered rendered = Render(request);
  return rendered.status.ok() ? rendered.text : std::string("!") + rendered.status.message();
}

}  // namespace rondo::test
