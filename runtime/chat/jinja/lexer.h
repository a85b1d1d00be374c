// Lexer: a template's text to tokens. Whitespace is handled as chat templates expect it: a block's
// line break and the indentation before it go (trim_blocks, lstrip_blocks), `-` strips more, `+`
// keeps.
#pragma once

#include <cstdint>
#include <string_view>

#include "runtime/chat/jinja/value.h"

namespace rondo::jinja {

enum class TokenKind : uint8_t {
  kEnd,
  kData,           // text between tags, whitespace already stripped
  kVariableBegin,  // {{
  kVariableEnd,
  kBlockBegin,  // {%
  kBlockEnd,
  kName,
  kString,  // `text` has its escapes resolved
  kInteger,
  kFloat,
  kOperator,  // `text` is it
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  uint32_t line = 0;
  std::string_view text;
  int64_t integer = 0;
  double number = 0;

  bool IsOperator(std::string_view op) const { return kind == TokenKind::kOperator && text == op; }
  bool IsName(std::string_view name) const { return kind == TokenKind::kName && text == name; }
};

class Lexer {
 public:
  // The text must be UTF-8.
  Lexer(Machine& machine, std::string_view source);

  // kEnd at the end and after a failure.
  Token Next();

 private:
  enum class State : uint8_t { kRoot, kVariable, kBlock };
  static constexpr size_t kMaxBrackets = 200;

  bool At(std::string_view text) const { return source_.substr(at_, text.size()) == text; }
  void Advance(size_t bytes);
  void SkipSpace();
  Token Make(TokenKind kind, std::string_view text) const { return {kind, line_, text, 0, 0}; }
  bool NextInRoot(Token* token);
  bool FindTag(size_t from, size_t* tag) const;
  size_t RawTagEnd(size_t tag, std::string_view name, char* sign) const;
  bool ReadRaw(size_t begin_end, char sign, Token* token);
  std::string_view StripBefore(std::string_view text, char sign, bool is_variable) const;
  void EndTag(size_t bytes, char sign, bool is_variable);
  void SkipComment();
  Token NextInTag();
  bool EndsTag(Token* token);
  Token ReadNumber();
  Token ReadString();
  Token ReadOperator();
  uint32_t ReadEscapedCode(std::string_view body, size_t* i, size_t digits);
  Value Unescape(std::string_view body);

  Machine& machine_;
  std::string_view source_;  // with "\n" for every line break
  size_t at_ = 0;
  uint32_t line_ = 1;
  State state_ = State::kRoot;
  bool line_starting_ = true;         // the token before ended a line
  char brackets_[kMaxBrackets] = {};  // those open in this tag
  size_t n_brackets_ = 0;
};

}  // namespace rondo::jinja
