// ChatGrammar: the answers whose calls always parse, as rules in GBNF's notation.
#pragma once

#include <cstdint>
#include <string_view>

#include "runtime/base/status.h"
#include "runtime/chat/chat.h"

namespace rondo {

// The values are RONDO_CALLS_ of rondo.h.
enum class ChatCalls : int32_t { kAuto = 0, kRequired = 1, kOne = 2 };

// What a model has special tokens for.
struct ChatVocabulary {
  enum class Is : uint8_t { kText, kSpecial, kEnd };  // kEnd: special, and ends a generation
  Is (*look)(const void* context, std::string_view text);
  const void* context;
};

struct ChatGrammarSink {
  Status (*call)(void* user, std::string_view text);
  void* user;
};

// `function`: the only one that may be called; empty: any. The text goes to `sink`. Errors: as
// ChatParser::Create; kInvalidArgument (no tools, no such function); kUnsupported (what of a
// function's schema cannot be held in the template's form, and where).
Status WriteChatGrammar(const ChatRequest& request, ChatCalls calls, std::string_view function,
                        const ChatVocabulary& vocabulary, ChatGrammarSink sink);

// What the template puts around a thought, with its white space; empty where it shows none. Errors:
// as RenderChat.
struct ChatThinkingSink {
  Status (*call)(void* user, std::string_view begin, std::string_view end);
  void* user;
};
Status ReadChatThinking(const ChatRequest& request, ChatThinkingSink sink);

}  // namespace rondo
