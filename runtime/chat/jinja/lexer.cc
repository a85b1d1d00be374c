#include "runtime/chat/jinja/lexer.h"

#include <algorithm>
#include <charconv>

#include "runtime/base/decimal.h"
#include "runtime/chat/jinja/text_form.h"
#include "runtime/chat/jinja/unicode_text.h"

namespace rondo::jinja {
namespace {

constexpr std::string_view kRaw = "raw", kEndRaw = "endraw";

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsNameStart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c & 0x80) != 0;
}

// Line breaks of all kinds become "\n"; the one at the very end goes.
std::string_view NormalizeLines(Machine& machine, std::string_view source) {
  char* out = static_cast<char*>(machine.Allocate(source.size()));
  if (out == nullptr) return {};
  size_t size = 0;
  for (size_t i = 0; i < source.size(); ++i) {
    if (source[i] == '\r') {
      if (i + 1 < source.size() && source[i + 1] == '\n') ++i;
      out[size++] = '\n';
    } else {
      out[size++] = source[i];
    }
  }
  if (size > 0 && out[size - 1] == '\n') --size;
  return {out, size};
}

}  // namespace

Lexer::Lexer(Machine& machine, std::string_view source)
    : machine_(machine), source_(NormalizeLines(machine, source)) {}

void Lexer::Advance(size_t bytes) {
  machine_.SpendBytes(bytes);
  const std::string_view taken = source_.substr(at_, bytes);
  line_ += static_cast<uint32_t>(std::count(taken.begin(), taken.end(), '\n'));
  if (!taken.empty()) line_starting_ = taken.back() == '\n';
  at_ += taken.size();
}

void Lexer::SkipSpace() { Advance(LeadingSpace(source_.substr(at_))); }

Token Lexer::Next() {
  Token token;
  while (!machine_.failed() && at_ <= source_.size()) {
    machine_.line = line_;
    if (state_ != State::kRoot) return NextInTag();
    if (at_ == source_.size()) break;
    if (NextInRoot(&token)) return token;
  }
  return Make(TokenKind::kEnd, {});
}

// ---- Between tags ----

bool Lexer::FindTag(size_t from, size_t* tag) const {
  for (size_t i = from; (i = source_.find('{', i)) != source_.npos; ++i) {
    const char c = i + 1 < source_.size() ? source_[i + 1] : ' ';
    if (c == '%' || c == '{' || c == '#') {
      *tag = i;
      return true;
    }
  }
  return false;
}

std::string_view Lexer::StripBefore(std::string_view text, char sign, bool is_variable) const {
  if (sign == '-') return text.substr(0, text.size() - TrailingSpace(text));
  if (sign == '+' || is_variable) return text;
  const size_t line = text.rfind('\n') + 1;  // 0 where there is none
  if (line == 0 && !line_starting_) return text;
  const std::string_view last = text.substr(line);
  return LeadingSpace(last) == last.size() ? text.substr(0, line) : text;
}

// Where the tag at `tag` ends, if it is {% name %}; else 0. `sign` is the one before its end.
size_t Lexer::RawTagEnd(size_t tag, std::string_view name, char* sign) const {
  size_t i = tag + 2;
  const auto has_sign = [&](bool plus) {
    return i < source_.size() && (source_[i] == '-' || (plus && source_[i] == '+'));
  };
  if (has_sign(true)) ++i;
  i = std::min(i, source_.size());
  i += LeadingSpace(source_.substr(i));
  if (source_.substr(i, name.size()) != name) return 0;
  i += name.size();
  i += LeadingSpace(source_.substr(i));
  *sign = ' ';
  if (has_sign(name == kEndRaw)) *sign = source_[i++];
  return source_.substr(i, 2) == "%}" ? i + 2 : 0;
}

// Goes past {% raw %}, which takes no line break with it, and to the end of {% endraw %}: what
// stands in between is text.
bool Lexer::ReadRaw(size_t begin_end, char sign, Token* token) {
  Advance(begin_end - at_);
  if (sign == '-') SkipSpace();
  if (at_ == source_.size()) return false;  // Jinja2 asks for no end then
  for (size_t tag = at_; (tag = source_.find("{%", tag)) != source_.npos; ++tag) {
    const size_t end = RawTagEnd(tag, kEndRaw, &sign);
    if (end == 0) continue;
    *token = Make(TokenKind::kData,
                  StripBefore(source_.substr(at_, tag - at_), source_[tag + 2], false));
    Advance(tag - at_);
    EndTag(end - at_, sign, false);
    return !token->text.empty();
  }
  machine_.Fail("a raw block has no end, expected {%% endraw %%}");
  return false;
}

// True with a token; false where the tag was a comment, or raw without text.
bool Lexer::NextInRoot(Token* token) {
  size_t tag = 0;
  if (!FindTag(at_, &tag)) {
    *token = Make(TokenKind::kData, source_.substr(at_));
    Advance(source_.size() - at_);
    return true;
  }
  const char type = source_[tag + 1];
  const char sign = tag + 2 < source_.size() ? source_[tag + 2] : ' ';
  const std::string_view text = StripBefore(source_.substr(at_, tag - at_), sign, type == '{');
  if (tag > at_) {
    *token = Make(TokenKind::kData, text);
    Advance(tag - at_);
    // line_starting_ now tells of the text, as the tag's own beginning would not: looked at again
    // only after a whole tag.
    if (!text.empty()) return true;
  }
  if (type == '#') {
    SkipComment();
    return false;
  }
  char end_sign = ' ';
  const size_t raw_end = type == '%' ? RawTagEnd(tag, kRaw, &end_sign) : 0;
  if (raw_end > 0) return ReadRaw(raw_end, end_sign, token);
  *token = Make(type == '{' ? TokenKind::kVariableBegin : TokenKind::kBlockBegin, {});
  state_ = type == '{' ? State::kVariable : State::kBlock;
  n_brackets_ = 0;
  Advance(sign == '-' || sign == '+' ? 3 : 2);
  return true;
}

// Goes past the tag's last bytes and the whitespace that its `sign` and its kind take with them.
void Lexer::EndTag(size_t bytes, char sign, bool is_variable) {
  Advance(bytes);
  if (sign == '-') {
    SkipSpace();
  } else if (!is_variable && sign != '+' && At("\n")) {
    Advance(1);
  }
}

void Lexer::SkipComment() {
  size_t begin = at_ + 2;
  if (source_.substr(begin, 1) == "-" || source_.substr(begin, 1) == "+") ++begin;
  const size_t end = source_.find("#}", begin);
  if (end == source_.npos) {
    machine_.Fail("a comment has no end, expected #}");
    return;
  }
  EndTag(end + 2 - at_, end > begin ? source_[end - 1] : ' ', false);
}

// ---- Inside of tags ----

bool Lexer::EndsTag(Token* token) {
  if (n_brackets_ > 0) return false;
  const bool is_variable = state_ == State::kVariable;
  const bool sign = At("-") || (!is_variable && At("+"));
  if (source_.substr(at_ + (sign ? 1 : 0), 2) != (is_variable ? "}}" : "%}")) return false;
  *token = Make(is_variable ? TokenKind::kVariableEnd : TokenKind::kBlockEnd, {});
  state_ = State::kRoot;
  EndTag(sign ? 3 : 2, sign ? source_[at_] : ' ', is_variable);
  return true;
}

Token Lexer::NextInTag() {
  SkipSpace();
  machine_.line = line_;
  Token token;
  if (at_ >= source_.size()) return Make(TokenKind::kEnd, {});
  if (EndsTag(&token)) return token;
  const char c = source_[at_];
  if (IsDigit(c)) return ReadNumber();
  if (c == '"' || c == '\'') return ReadString();
  if (!IsNameStart(c)) return ReadOperator();
  size_t end = at_;
  while (end < source_.size() && (IsNameStart(source_[end]) || IsDigit(source_[end]))) ++end;
  token = Make(TokenKind::kName, source_.substr(at_, end - at_));
  Advance(end - at_);
  return token;
}

Token Lexer::ReadNumber() {
  const auto digits = [this](size_t i) {
    while (i < source_.size() && IsDigit(source_[i])) ++i;
    return i;
  };
  size_t end = digits(at_);
  const size_t integer_end = end;
  const bool after_dot = at_ > 0 && source_[at_ - 1] == '.';  // x.0.1 is not a fraction
  if (!after_dot && end + 1 < source_.size() && source_[end] == '.' && IsDigit(source_[end + 1])) {
    end = digits(end + 1);
  }
  if (!after_dot && end < source_.size() && (source_[end] == 'e' || source_[end] == 'E')) {
    size_t i = end + 1;
    if (i < source_.size() && (source_[i] == '+' || source_[i] == '-')) ++i;
    if (i < source_.size() && IsDigit(source_[i])) end = digits(i);
  }
  const bool integral = end == integer_end;
  Token token =
      Make(integral ? TokenKind::kInteger : TokenKind::kFloat, source_.substr(at_, end - at_));
  const char *first = token.text.data(), *last = first + token.text.size();
  const std::errc error = integral ? std::from_chars(first, last, token.integer).ec
                                   : ReadDecimal(first, last, token.number).ec;
  if (error != std::errc()) machine_.Fail("a number is out of range");
  Advance(end - at_);
  if (At("_")) machine_.Fail("unexpected '_' in a number");
  return token;
}

Token Lexer::ReadString() {
  const char quote = source_[at_];
  size_t end = at_ + 1;
  while (end < source_.size() && source_[end] != quote) end += source_[end] == '\\' ? 2 : 1;
  if (end >= source_.size()) {
    machine_.Fail("a string has no end, expected %c", quote);
    return Make(TokenKind::kEnd, {});
  }
  const std::string_view body = source_.substr(at_ + 1, end - at_ - 1);
  Token token = Make(TokenKind::kString, body);
  if (body.find('\\') != body.npos) {
    const Value value = Unescape(body);
    if (value.is_string()) token.text = value.str();
  }
  Advance(end + 1 - at_);
  return token;
}

// `digits` hexadecimal digits from body[*i] on.
uint32_t Lexer::ReadEscapedCode(std::string_view body, size_t* i, size_t digits) {
  const std::string_view text = body.substr(std::min(*i, body.size()), digits);
  uint32_t code = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), code, 16);
  if (text.size() < digits || error != std::errc() || end != text.data() + digits ||
      code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) {
    machine_.Fail("a string has an escape that names no character");
    return 0;
  }
  *i += digits;
  return code;
}

// As Python's own string literals; unknown escapes stay as they are.
Value Lexer::Unescape(std::string_view body) {
  Buffer out(machine_);
  for (size_t i = 0; i < body.size() && !machine_.failed();) {
    const char c = body[i++];
    if (c != '\\' || i == body.size()) {
      out.Append(c);
      continue;
    }
    const char e = body[i++];
    static constexpr std::string_view kNames = "\\'\"abfnrtv", kMeanings = "\\'\"\a\b\f\n\r\t\v";
    if (const size_t name = kNames.find(e); name != kNames.npos) {
      out.Append(kMeanings[name]);
    } else if (e == 'x' || e == 'u' || e == 'U') {
      out.AppendCodePoint(ReadEscapedCode(body, &i, e == 'x' ? 2 : e == 'u' ? 4 : 8));
    } else if (e >= '0' && e <= '7') {
      machine_.Fail("unknown escape \\%c in a string", e);
    } else if (e != '\n') {
      out.Append('\\');
      out.Append(e);
    }
  }
  return out.Finish();
}

Token Lexer::ReadOperator() {
  static constexpr std::string_view kOperators[] = {
      "**", "//", "==", "!=", ">=", "<=", "+", "-", "/", "*", "%", "~", "[",
      "]",  "(",  ")",  "{",  "}",  ">",  "<", "=", ".", ":", "|", ",", ";"};
  for (std::string_view op : kOperators) {
    if (!At(op)) continue;
    const char c = op[0];
    if (c == '(' || c == '[' || c == '{') {
      if (n_brackets_ == kMaxBrackets) {
        machine_.Fail("more than %zu brackets are open at once", kMaxBrackets);
        return Make(TokenKind::kEnd, {});
      }
      brackets_[n_brackets_++] = c == '(' ? ')' : c == '[' ? ']' : '}';
    } else if (c == ')' || c == ']' || c == '}') {
      if (n_brackets_ == 0 || brackets_[n_brackets_ - 1] != c) {
        machine_.Fail("unexpected '%c'", c);
        return Make(TokenKind::kEnd, {});
      }
      --n_brackets_;
    }
    const Token token = Make(TokenKind::kOperator, source_.substr(at_, op.size()));
    Advance(op.size());
    return token;
  }
  machine_.Fail("unexpected character '%c'", source_[at_]);
  return Make(TokenKind::kEnd, {});
}

}  // namespace rondo::jinja
