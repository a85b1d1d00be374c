// Chat: a conversation as the text that the model was trained on, by the model's own template.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "runtime/base/status.h"

namespace rondo {

// A name that templates read, with its text: bos_token and the like.
struct ChatToken {
  std::string_view name, text;
};

struct ChatRequest {
  std::string_view template_text;     // Jinja
  std::span<const ChatToken> tokens;  // the model's special tokens
  std::string_view messages;          // JSON: [{"role": ..., "content": ...}, ...]
  std::string_view tools;             // JSON: a list, or null; empty: none
  std::string_view variables;         // JSON: an object with more names; empty: none
  bool add_generation_prompt = false;
  // The text ends inside of the last message, which the model goes on with.
  bool continue_final_message = false;
  // The wall clock for strftime_now, in seconds since 1970-01-01 00:00; none: the template is told
  // that there is no clock.
  std::optional<int64_t> local_time;
};

// Receives the text, which is valid during the call only.
struct ChatSink {
  Status (*call)(void* user, std::string_view text);
  void* user;
};

// Renders the request and hands the text to `sink`, whose status becomes the result. Takes memory
// from the heap, bounded (jinja/machine.h), and gives all of it back; the stack that it needs is
// bounded, too. Any thread. Errors: kInvalidArgument (what is not JSON and where; the template's
// line and its error, or the sentence with which it refuses the conversation), kOutOfMemory,
// kUnsupported (this build has no chat templates, CMake option RONDO_CHAT).
Status RenderChat(const ChatRequest& request, ChatSink sink);

// Whether the text can be a template at all: UTF-8, not too long, and Jinja whose filters, tests
// and methods Rondo has (a rendering fails only where it comes to one that is unknown). Errors as
// above.
Status CheckChatTemplate(std::string_view template_text);

// Whether this build has chat templates.
bool HasChat();

}  // namespace rondo
