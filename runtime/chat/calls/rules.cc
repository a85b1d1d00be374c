#include "runtime/chat/calls/rules.h"

#include "runtime/chat/calls/marked_text.h"

namespace rondo::calls {

std::string_view Rules::TrimmedRight(std::string_view text) { return TrimRight(text); }

void Rules::Quoted(std::string_view text) {
  text_.Append('"');
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      text_.Append('\\');
      text_.Append(c);
    } else if (c == '\n') {
      text_.Append("\\n");
    } else if (static_cast<uint8_t>(c) < 0x20 || c == 0x7f) {
      constexpr std::string_view kDigits = "0123456789abcdef";
      text_.Append("\\x");
      text_.Append(kDigits[static_cast<uint8_t>(c) >> 4]);
      text_.Append(kDigits[static_cast<uint8_t>(c) & 15]);
    } else {
      text_.Append(c);
    }
  }
  text_.Append('"');
}

void Rules::Without(std::string_view text) {
  text_.Append("%without ");
  Quoted(text);
}

void Rules::Json(jinja::Value schema) {
  text_.Append("%json ");
  const jinja::Value json = jinja::ToJson(machine_, schema, {});
  if (json.is_string()) text_.Append(json.str());
}

size_t Rules::TokenAt(std::string_view text, ChatVocabulary::Is* is) const {
  const size_t size = MarkerSize(text);
  if (size == 0) return 0;
  *is = vocabulary_.look(vocabulary_.context, text.substr(0, size));
  return *is == ChatVocabulary::Is::kText ? 0 : size;
}

void Rules::Put(std::string_view pattern, bool cut_at_end) {
  size_t from = 0;
  const auto flush = [&](size_t to) {
    if (to == from) return;
    text_.Append(' ');
    Quoted(pattern.substr(from, to - from));
  };
  for (size_t i = 0; i < pattern.size();) {
    ChatVocabulary::Is is = ChatVocabulary::Is::kText;
    if (const size_t token = TokenAt(pattern.substr(i), &is); token > 0) {
      flush(i);
      from = i + token;
      if (is == ChatVocabulary::Is::kEnd && cut_at_end) return;
      const bool angles = pattern[i] == '<';
      text_.Append(angles ? " " : " <");
      text_.Append(pattern.substr(i, token));
      if (!angles) text_.Append('>');
      i = from;
    } else if (pattern[i] == kIdSlot || pattern[i] == kIndexSlot) {
      flush(i);
      text_.Append(pattern[i] == kIdSlot ? " [a-zA-Z0-9]{9}" : " [0-9]{1,4}");
      from = ++i;
    } else {
      ++i;
    }
  }
  flush(pattern.size());
}

}  // namespace rondo::calls
