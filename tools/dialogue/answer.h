// Answer: what a model says in one turn, taken apart as it comes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "tools/common/library.h"
#include "tools/common/utf8.h"

namespace rondo::tools {

struct Call {
  std::string id, name;
  std::string arguments;  // JSON
  bool whole = false;     // the answer did not end within it
};

// The arguments of a call. Of a model without a grammar they may be no JSON after all, or nested
// too deep for programs that call themselves for each level: then they are the text.
nlohmann::ordered_json ParseArguments(const std::string& text);

struct Answer {
  std::string content, thinking;
  std::vector<Call> calls;

  bool empty() const { return content.empty() && thinking.empty() && calls.empty(); }
  // As templates read it; of the calls those that are whole.
  nlohmann::ordered_json Message() const;
  std::vector<Call> WholeCalls() const;
};

enum class Part { kContent, kThinking };

// What a chat template puts around a thought.
struct ThinkingMarks {
  std::string begin, end;

  bool exist() const { return !begin.empty(); }
};
ThinkingMarks ThinkingMarksOf(const Model& model, const Chat& chat);

// Reads one answer after the other. What a model writes need not be UTF-8, and ends where it is
// cut, also within a character, whose bytes are then left out.
class AnswerReader {
 public:
  // By the conversation's template, to which tools belong. Throws rondo::Error.
  AnswerReader(const Model& model, const Chat& chat) : parser_(model, chat) {}

  void Begin();
  // Adds the answer's next bytes; `last`: there are no more. `take` gets each part.
  template <typename Take>
  void AddParts(std::string_view bytes, bool last, const Take& take) {
    for (const ChatPart& part : Read(bytes, last)) take(part);
  }
  // The same; `show` gets what people read.
  template <typename Show>
  void Add(std::string_view bytes, bool last, const Show& show) {
    AddParts(bytes, last, [&show](const ChatPart& part) {
      if (part.kind == RONDO_CHAT_PART_CONTENT) show(Part::kContent, part.text);
      if (part.kind == RONDO_CHAT_PART_THINKING) show(Part::kThinking, part.text);
    });
  }
  const Answer& answer() const { return answer_; }

 private:
  std::vector<ChatPart> Read(std::string_view bytes, bool last);

  ChatParser parser_;
  Utf8Pieces characters_;
  Answer answer_;
};

}  // namespace rondo::tools
