#include "runtime/chat/jinja/lexer.h"

#include <algorithm>
#include <charconv>

#include "runtime/chat/jinja/text_form.h"
#include "runtime/chat/jinja/unicode_text.h"

namespace rondo::jinja {
namespace {

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
    if (raw_) {
      if (EndRaw(&token)) return token;
    } else if (state_ == State::kRoot) {
      if (at_ == source_.size()) break;
      if (NextInRoot(&token)) return token;
    } else {
      return NextInTag();
    }
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

// True with a token; false where the tag was a comment or raw began with no text before it.
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
  if (type == '%' && EnterRaw()) return false;
  *token = Make(type == '{' ? TokenKind::kVariableBegin : TokenKind::kBlockBegin, {});
  state_ = type == '{' ? State::kVariable : State::kBlock;
  n_brackets_ = 0;
  Advance(sign == '-' || sign == '+' ? 3 : 2);
  return true;
}

void Lexer::SkipComment() {
  const size_t sign = at_ + 2 < source_.size()
                          ? static_cast<size_t>(source_[at_ + 2] == '-' || source_[at_ + 2] == '+')
                          : 0;
  size_t end = source_.find("#}", at_ + 2 + sign);
  if (end == source_.npos) {
    machine_.Fail("a comment has no end, expected #}");
    return;
  }
  const char last = end > at_ + 2 + sign ? source_[end - 1] : ' ';
  Advance(end + 2 - at_);
  if (last == '-') {
    SkipSpace();
  } else if (last != '+' && At("\n")) {
    Advance(1);
  }
}

// Whether a raw block begins here; then goes into it.
bool Lexer::EnterRaw() {
  const size_t begin = at_;
  size_t i = at_ + 2;
  if (i < source_.size() && (source_[i] == '-' || source_[i] == '+')) ++i;
  i += LeadingSpace(source_.substr(std::min(i, source_.size())));
  if (source_.substr(std::min(i, source_.size()), 3) != "raw") return false;
  i += 3;
  i += LeadingSpace(source_.substr(i));
  const bool strip = source_.substr(i, 1) == "-";
  if (strip) ++i;
  if (source_.substr(i, 2) != "%}") return false;
  Advance(i + 2 - begin);
  if (strip) SkipSpace();
  raw_ = true;
  return true;
}

// At the text of a raw block: true with all of it.
bool Lexer::EndRaw(Token* token) {
  for (size_t i = at_; (i = source_.find("{%", i)) != source_.npos; ++i) {
    size_t j = i + 2;
    const char sign = j < source_.size() ? source_[j] : ' ';
    if (sign == '-' || sign == '+') ++j;
    j += LeadingSpace(source_.substr(std::min(j, source_.size())));
    if (source_.substr(std::min(j, source_.size()), 6) != "endraw") continue;
    j += 6;
    j += LeadingSpace(source_.substr(j));
    const char end_sign = j < source_.size() ? source_[j] : ' ';
    if (end_sign == '-' || end_sign == '+') ++j;
    if (source_.substr(j, 2) != "%}") continue;
    *token = Make(TokenKind::kData, StripBefore(source_.substr(at_, i - at_), sign, false));
    Advance(j + 2 - at_);
    if (end_sign == '-') {
      SkipSpace();
    } else if (end_sign != '+' && At("\n")) {
      Advance(1);
    }
    raw_ = false;
    return !token->text.empty();
  }
  machine_.Fail("a raw block has no end, expected {%% endraw %%}");
  return false;
}

// ---- Inside of tags ----

bool Lexer::EndsTag(Token* token) {
  if (n_brackets_ > 0) return false;
  const bool block = state_ == State::kBlock;
  const std::string_view close = block ? "%}" : "}}";
  const bool sign = At("-") || (block && At("+"));
  if (source_.substr(std::min(at_ + (sign ? 1 : 0), source_.size()), 2) != close) return false;
  const char c = sign ? source_[at_] : ' ';
  *token = Make(block ? TokenKind::kBlockEnd : TokenKind::kVariableEnd, {});
  state_ = State::kRoot;
  Advance(sign ? 3 : 2);
  if (c == '-') {
    SkipSpace();
  } else if (block && c != '+' && At("\n")) {
    Advance(1);
  }
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
  const auto digits = [this](size_t i) {  // with single underscores between
    while (i < source_.size() &&
           (IsDigit(source_[i]) || (source_[i] == '_' && i + 1 < source_.size() &&
                                    IsDigit(source_[i + 1]) && IsDigit(source_[i - 1])))) {
      ++i;
    }
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
  char plain[64];
  size_t size = 0;
  for (char c : source_.substr(at_, end - at_)) {
    if (c != '_' && size < sizeof plain) plain[size++] = c;
  }
  Token token = Make(end == integer_end ? TokenKind::kInteger : TokenKind::kFloat,
                     source_.substr(at_, end - at_));
  const std::errc error = end == integer_end
                              ? std::from_chars(plain, plain + size, token.integer).ec
                              : std::from_chars(plain, plain + size, token.number).ec;
  if (error != std::errc() || size == sizeof plain) machine_.Fail("a number is out of range");
  Advance(end - at_);
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
      uint32_t code = static_cast<uint32_t>(e - '0');
      for (int n = 0; n < 2 && i < body.size() && body[i] >= '0' && body[i] <= '7'; ++n) {
        code = code * 8 + static_cast<uint32_t>(body[i++] - '0');
      }
      out.AppendCodePoint(code);
    } else if (e != '\n') {
      out.Append('\\');
      out.Append(e);
    }
  }
  return machine_.failed() ? Value() : out.Finish();
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
