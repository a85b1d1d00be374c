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
  // Tells the sink what came from outside; takes a little longer.
  bool mark_outside = false;
  // The wall clock for strftime_now, in seconds since 1970-01-01 00:00; none: the template is told
  // that there is no clock.
  std::optional<int64_t> local_time;
};

// A rendered conversation.
struct ChatText {
  std::string_view text;
  // Where it was asked for and there is any: 1 for each byte that comes from messages, tools or
  // variables, 0 for those that the template wrote; else empty. What a filter or an operator makes
  // of both is marked byte by byte or, where a byte of it is neither's, as from outside; a number
  // that comes of one from outside, or is read off such a text, is from outside, too. The role of a
  // message is the template's where it is a known one ("user"): templates put marks around it that
  // are special only together with it.
  std::span<const uint8_t> outside;
  // What it took (jinja/machine.h).
  uint64_t steps = 0;
  size_t memory = 0;
};

// Receives the text, which is valid during the call only.
struct ChatSink {
  Status (*call)(void* user, const ChatText& text);
  void* user;
};

// Renders the request and hands the text to `sink`, whose status becomes the result. Takes memory
// from the heap, bounded (jinja/machine.h), and gives all of it back; the stack that it needs is
// bounded, too. Any thread. Errors: kInvalidArgument (what is not JSON and where; the template's
// line and its error, or the sentence with which it refuses the conversation), kOutOfMemory,
// kUnsupported (this build has no chat templates, CMake option RONDO_CHAT). `*exhausted`, where
// given: memory, steps or depth ran out, so that the template has not answered.
Status RenderChat(const ChatRequest& request, ChatSink sink, bool* exhausted = nullptr);

// Whether the text can be a template at all: UTF-8, not too long, and Jinja whose filters, tests
// and methods Rondo has (a rendering fails only where it comes to one that is unknown). Errors as
// above.
Status CheckChatTemplate(std::string_view template_text);

// Whether this build has chat templates.
bool HasChat();

}  // namespace rondo
