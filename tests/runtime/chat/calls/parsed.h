// Parsed: what a parser made of an answer, put together again for a test.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/chat/calls/chat_parser.h"

namespace rondo::test {

struct ParsedCall {
  std::string name, id, arguments;
  bool whole = false;
  bool operator==(const ParsedCall&) const = default;
};

struct Parsed {
  std::string content, thinking;
  std::vector<ParsedCall> calls;
  std::string order;  // a letter for each stretch of parts: c, t, f
  bool operator==(const Parsed&) const = default;
};

inline void PrintTo(const Parsed& parsed, std::ostream* out) {
  *out << "content [" << parsed.content << "] thinking [" << parsed.thinking << "]";
  for (const ParsedCall& call : parsed.calls) {
    *out << " " << call.name << " (" << call.id << ") " << call.arguments
         << (call.whole ? "" : " ...");
  }
}

// Takes what there is.
inline void Drain(ChatParser& parser, Parsed* parsed) {
  const auto came = [parsed](char what) {
    if (parsed->order.empty() || parsed->order.back() != what) parsed->order += what;
  };
  for (;;) {
    const ChatPart part = parser.Next();
    switch (part.kind) {
      case ChatPartKind::kNone:
        return;
      case ChatPartKind::kContent:
        EXPECT_FALSE(part.text.empty());
        parsed->content += part.text;
        came('c');
        break;
      case ChatPartKind::kThinking:
        EXPECT_FALSE(part.text.empty());
        parsed->thinking += part.text;
        came('t');
        break;
      case ChatPartKind::kCall:
        EXPECT_EQ(part.call, parsed->calls.size());
        parsed->calls.push_back({std::string(part.name), std::string(part.id), "", false});
        came('f');
        break;
      case ChatPartKind::kArguments:
      case ChatPartKind::kCallEnd: {
        ASSERT_EQ(part.call + 1, parsed->calls.size());
        ParsedCall& call = parsed->calls.back();
        EXPECT_FALSE(call.whole);
        call.arguments += part.text;
        call.whole = part.kind == ChatPartKind::kCallEnd;
        break;
      }
    }
  }
}

// The answer in pieces of `piece` bytes, the first of `first`.
inline Parsed Parse(ChatParser& parser, std::string_view answer, size_t first, size_t piece) {
  parser.Reset();
  Parsed parsed;
  size_t at = 0, next = first;
  do {
    const std::string_view text = answer.substr(at, next);
    // A copy with nothing behind it, so that a look too far is found.
    const std::vector<char> bytes(text.begin(), text.end());
    at += text.size();
    const Status status = parser.Push({bytes.data(), bytes.size()}, at == answer.size());
    EXPECT_TRUE(status.ok()) << status.message();
    Drain(parser, &parsed);
    next = piece;
  } while (at < answer.size());
  return parsed;
}

inline Parsed Parse(ChatParser& parser, std::string_view answer) {
  return Parse(parser, answer, answer.size(), answer.size());
}

// The same whatever the cut.
inline void ExpectSameForEveryCut(ChatParser& parser, std::string_view answer,
                                  const Parsed& expected) {
  EXPECT_EQ(Parse(parser, answer, 1, 1), expected) << "byte by byte: " << answer;
  for (size_t cut = 0; cut < answer.size(); ++cut) {
    const Parsed parsed = Parse(parser, answer, cut, answer.size());
    EXPECT_EQ(parsed, expected) << "cut at byte " << cut << " of: " << answer;
    if (!(parsed == expected)) return;
  }
}

}  // namespace rondo::test
