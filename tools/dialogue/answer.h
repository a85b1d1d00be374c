// Answer: what a model says in one turn, taken apart as it comes.
#pragma once

#include <memory>
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
ThinkingMarks ThinkingMarksOf(const rondo_model* model, const rondo_chat_options& options);

struct ParserCloser {
  void operator()(rondo_chat_parser* parser) const { rondo_chat_parser_close(parser); }
};

// Reads one answer after the other. What a model writes need not be UTF-8, and ends where it is
// cut, also within a character, whose bytes are then left out.
class AnswerReader {
 public:
  // By the options' template, to which tools belong. Throws Error.
  AnswerReader(const rondo_model* model, const rondo_chat_options& options);

  void Begin();
  // Adds the answer's next bytes; `last`: there are no more. `take` gets each part.
  template <typename Take>
  void AddParts(std::string_view bytes, bool last, const Take& take) {
    Push(bytes, last);
    for (rondo_chat_part part = Next(); part.kind != RONDO_CHAT_PART_NONE; part = Next()) {
      take(part);
    }
  }
  // The same; `show` gets what people read.
  template <typename Show>
  void Add(std::string_view bytes, bool last, const Show& show) {
    AddParts(bytes, last, [&show](const rondo_chat_part& part) {
      const std::string_view text(part.text, part.text_bytes);
      if (part.kind == RONDO_CHAT_PART_CONTENT) show(Part::kContent, text);
      if (part.kind == RONDO_CHAT_PART_THINKING) show(Part::kThinking, text);
    });
  }
  const Answer& answer() const { return answer_; }

 private:
  void Push(std::string_view bytes, bool last);
  rondo_chat_part Next();

  std::unique_ptr<rondo_chat_parser, ParserCloser> parser_;
  Utf8Pieces characters_;
  Answer answer_;
};

}  // namespace rondo::tools
