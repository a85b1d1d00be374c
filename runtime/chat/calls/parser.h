// The parser behind ChatParser.
#pragma once

#include "runtime/base/heap_array.h"
#include "runtime/base/json_scanner.h"
#include "runtime/chat/calls/answer_form.h"
#include "runtime/chat/calls/chat_parser.h"
#include "runtime/chat/calls/marked_text.h"
#include "runtime/chat/calls/notation_scanner.h"
#include "runtime/chat/calls/output.h"
#include "runtime/chat/calls/tool_table.h"

namespace rondo::calls {

// Text waits in a buffer until it is clear what it is. A step looks at its beginning, takes what is
// clear and puts parts into a queue; their texts are views of the buffer, or of `out_`.
class Parser final : public ChatParser {
 public:
  Parser();
  // Once, before anything else.
  Status Prepare(const ChatRequest& request);

  Status Push(std::string_view bytes, bool last) override;
  ChatPart Next() override;
  void Reset() override;

 private:
  enum class State : uint8_t {
    kStart,     // of the answer, or behind a thought or a call: anything may begin
    kContent,   // only a call may begin
    kThinking,  // up to what ends a thought
    kJson,
    kNotation,
    kNextArgument,  // in tags
    kStringValue,
    kOtherValue,
    kWholeValue,  // that was found whole, and is written piece by piece
    kCallEnd,
    kHeld  // a call whose id stands behind its arguments
  };

  // What begins a call, in the text that waits.
  struct Head {
    Match::Kind kind = Match::kNo;
    size_t name = 0, name_end = 0;
    size_t id = 0, id_size = 0;
    size_t arguments = 0;  // where they begin

    // Counted from `at` on.
    Head From(size_t at) const {
      return {kind, name - at, name_end - at, id - at, id_size, arguments - at};
    }
  };

  std::string_view Rest() const { return {text_.data() + begin_, whole_ - begin_}; }
  void Consume(size_t bytes) { begin_ += bytes; }
  // Whether to wait for more text before `match` counts.
  bool Waits(Match::Kind kind) const { return kind == Match::kPartial && !last_; }
  Match At(std::string_view pattern, size_t at) const {
    return MatchPattern(pattern, Rest().substr(at));
  }

  static constexpr size_t kPiece = 4096;  // of a text that is written otherwise
  // White space that an answer may begin with before a thought or a call.
  static constexpr size_t kMaxLead = 64;

  // The beginning of `text` that has `limit` bytes at most and ends between characters.
  static std::string_view Piece(std::string_view text, size_t limit);

  // Each returns false where more text is needed.
  bool Step();
  bool StepStart();
  bool StepContent();
  bool StepThinking();
  bool StepJson();
  bool StepNotation();
  bool StepNextArgument();
  bool StepStringValue();
  bool StepOtherValue();
  bool StepWholeValue();
  bool StepCallEnd();
  bool StepHeld();

  Head FindHead(std::string_view begin, size_t at) const;
  Head FindName(size_t at) const;
  Match ArgumentsAt(size_t at) const;
  void BeginCall(const Head& head);
  void BeginArguments();
  // Behind a call's arguments: another call, or the end. True where either was taken or is missing;
  // `*ended` tells which.
  bool TakeEnd(bool* ended);
  void BreakCall();
  size_t FindValueEnd(size_t from, size_t* certain) const;
  void EndValue(size_t end);
  bool HasTurnEnd(std::string_view rest, bool whole) const;

  void Emit(ChatPartKind kind, std::string_view text);
  void EmitOutput(size_t from) { Emit(ChatPartKind::kArguments, out_.From(from)); }
  void EmitCall(std::string_view name, std::string_view id);

  jinja::Machine memory_;  // has the form's and the tools' texts
  AnswerForm form_;
  ToolTable tools_;
  bool id_behind_ = false;

  HeapArray<char> text_;
  // Up to whole_ it is looked at: a character that has only begun waits for the rest of it.
  size_t begin_ = 0, whole_ = 0, end_ = 0;
  bool last_ = false;
  HeapArray<char> out_memory_;
  Output out_;
  ChatPart parts_[8];
  size_t next_part_ = 0, n_parts_ = 0;

  State state_ = State::kStart;
  std::string_view dropped_space_;  // of the template's, if it comes next
  size_t seen_ = 0;                 // bytes of the rest in which nothing begins
  uint64_t n_calls_ = 0;
  const Tool* tool_ = nullptr;
  Head head_;  // kHeld
  JsonScanner json_;
  NotationScanner notation_;
  bool has_arguments_ = false;
  ValueType type_ = ValueType::kUnknown;
  size_t value_size_ = 0, value_left_ = 0;  // kWholeValue: to its end, and to the close's
  bool value_is_string_ = false;
};

}  // namespace rondo::calls
