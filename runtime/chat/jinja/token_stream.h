// TokenStream: the lexer's tokens with one of them looked at in advance.
#pragma once

#include "runtime/chat/jinja/lexer.h"

namespace rondo::jinja {

class TokenStream {
 public:
  TokenStream(Machine& machine, std::string_view source)
      : machine_(machine), lexer_(machine, source) {
    current_ = lexer_.Next();
    next_ = lexer_.Next();
    machine_.line = current_.line;
  }

  const Token& current() const { return current_; }
  const Token& next() const { return next_; }
  void Advance() {
    current_ = next_;
    next_ = lexer_.Next();
    // Messages name the line of what is parsed, not of what was read ahead.
    if (!machine_.failed()) machine_.line = current_.line;
  }

  bool SkipOperator(std::string_view op) {
    if (!current_.IsOperator(op)) return false;
    Advance();
    return true;
  }
  bool SkipName(std::string_view name) {
    if (!current_.IsName(name)) return false;
    Advance();
    return true;
  }
  bool Skip(TokenKind kind) {
    if (current_.kind != kind) return false;
    Advance();
    return true;
  }

  // Fails with what is there instead of `expected`.
  void Unexpected(const char* expected) {
    switch (current_.kind) {
      case TokenKind::kEnd:
        return machine_.Fail("the template ends early, expected %s", expected);
      case TokenKind::kVariableEnd:
      case TokenKind::kBlockEnd:
        return machine_.Fail("the tag ends early, expected %s", expected);
      default:
        return machine_.Fail("unexpected '%s', expected %s", machine_.Clip(current_.text),
                             expected);
    }
  }
  void ExpectOperator(std::string_view op, const char* expected) {
    if (!SkipOperator(op)) Unexpected(expected);
  }
  std::string_view ExpectName(const char* expected) {
    const std::string_view name = current_.text;
    if (!Skip(TokenKind::kName)) Unexpected(expected);
    return name;
  }

 private:
  Machine& machine_;
  Lexer lexer_;
  Token current_, next_;
};

}  // namespace rondo::jinja
