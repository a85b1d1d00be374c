// The methods of strings and dicts, as in Python.
#include <algorithm>

#include "runtime/base/utf8.h"
#include "runtime/chat/jinja/builtins.h"
#include "runtime/chat/jinja/text_form.h"
#include "runtime/chat/jinja/unicode_text.h"

namespace rondo::jinja {
namespace {

// The code point at the beginning (`last` false) or the end, with its bytes.
std::string_view EdgeCharacter(std::string_view text, bool last) {
  const auto* begin = reinterpret_cast<const uint8_t*>(text.data());
  const uint8_t* end = begin + text.size();
  if (!last) return text.substr(0, DecodeUtf8(begin, end).length);
  return text.substr(static_cast<size_t>(PreviousUtf8(begin, end) - begin));
}

// The whitespace at an end, paid for a piece at a time: most texts have little. A piece may end
// within a character, of which no more than three bytes are left.
constexpr size_t kPiece = 16;

size_t LeadingSpaceOf(Machine& machine, std::string_view text) {
  size_t size = 0, found = kPiece;
  for (; found + 3 >= kPiece && machine.SpendCharacters(kPiece); size += found) {
    found = LeadingSpace(text.substr(size, kPiece));
  }
  return size;
}

size_t TrailingSpaceOf(Machine& machine, std::string_view text) {
  size_t size = 0, found = kPiece;
  for (; found + 3 >= kPiece && machine.SpendCharacters(kPiece); size += found) {
    const std::string_view rest = text.substr(0, text.size() - size);
    found = TrailingSpace(rest.substr(rest.size() - std::min(rest.size(), kPiece)));
  }
  return size;
}

template <bool left, bool right>
Value StripMethod(const Call& call) {
  return Strip(call.machine, call.self, call.args[0], left, right);
}

template <Case to>
Value CaseMethod(const Call& call) {
  return ChangeCase(call.machine, call.self.view(), to);
}

// Splits at `separator`, at most `limit` times (negative: always), from the end where `backwards`.
Sequence* SplitAt(Machine& machine, Value text, std::string_view separator, int64_t limit,
                  bool backwards) {
  Sequence* parts = NewSequence(machine);
  std::string_view rest = text.str();
  for (; limit != 0 && machine.Spend(1); limit -= limit > 0 ? 1 : 0) {
    const size_t at =
        backwards ? FindLast(machine, rest, separator) : Find(machine, rest, separator);
    if (at == rest.npos) break;
    const std::string_view before = rest.substr(0, at), behind = rest.substr(at + separator.size());
    Append(machine, parts, SubString(machine, text, backwards ? behind : before));
    rest = backwards ? before : behind;
  }
  Append(machine, parts, SubString(machine, text, rest));
  if (backwards && parts != nullptr) std::reverse(parts->items, parts->items + parts->count);
  return parts;
}

// Splits at runs of whitespace, at most `limit` times (negative: always); nothing is empty.
Sequence* SplitSpace(Machine& machine, Value text, int64_t limit) {
  Sequence* parts = NewSequence(machine);
  std::string_view rest = text.str();
  if (!machine.SpendCharacters(rest.size() * 2)) return parts;
  rest.remove_prefix(LeadingSpace(rest));
  for (; !rest.empty() && machine.Spend(1); limit -= limit > 0 ? 1 : 0) {
    size_t size = limit == 0 ? rest.size() : 0;  // of the word; the last keeps its whitespace
    while (size < rest.size() && LeadingSpace(EdgeCharacter(rest.substr(size), false)) == 0) {
      size += EdgeCharacter(rest.substr(size), false).size();
    }
    Append(machine, parts, SubString(machine, text, rest.substr(0, size)));
    rest.remove_prefix(size);
    rest.remove_prefix(LeadingSpace(rest));
  }
  return parts;
}

template <bool backwards>
Value Split(const Call& call) {
  int64_t limit = -1;
  if (!WantInt(call.machine, call.args[1], &limit)) return Value();
  if (!backwards && call.args[0].is_none()) {
    return Value::Items(Kind::kList, SplitSpace(call.machine, call.self, limit));
  }
  if (!WantString(call.machine, call.args[0])) return Value();
  const std::string_view separator = call.args[0].str();
  if (separator.empty()) {
    call.machine.Fail("ValueError: empty separator");
    return Value();
  }
  return Value::Items(Kind::kList, SplitAt(call.machine, call.self, separator, limit, backwards));
}

Value Replace(const Call& call) {
  int64_t count = -1;
  if (!WantString(call.machine, call.args[0]) || !WantString(call.machine, call.args[1]) ||
      !WantInt(call.machine, call.args[2], &count)) {
    return Value();
  }
  return ReplaceAll(call.machine, call.self, call.args[0].str(), call.args[1].view(), count);
}

// Whether the text begins or ends with the affix, or with one of a tuple of them.
template <bool prefix>
Value HasAffix(const Call& call) {
  const std::string_view text = call.self.str();
  const Value affix = call.args[0];
  const bool many = affix.is(Kind::kTuple);
  const size_t count = many ? affix.sequence->count : 1;
  for (size_t i = 0; i < count; ++i) {
    const Value one = many ? affix.sequence->items[i] : affix;
    if (!WantString(call.machine, one)) return Value();
    if (!call.machine.SpendBytes(one.text->size)) return Value();
    if (prefix ? text.starts_with(one.str()) : text.ends_with(one.str())) return Value::Bool(true);
  }
  return Value::Bool(false);
}

// -1 where it is not there.
Value FindPart(const Call& call) {
  if (!WantString(call.machine, call.args[0])) return Value();
  const size_t at = Find(call.machine, call.self.str(), call.args[0].str());
  if (at == std::string_view::npos) return Value::Int(-1);
  const Text before = {call.self.text->data, at, kUnknownLength};
  return Value::Int(static_cast<int64_t>(Length(call.machine, before)));
}

constexpr Builtin kStringMethods[] = {
    {"strip", StripMethod<true, true>, {{"chars", Value::None()}}},
    {"lstrip", StripMethod<true, false>, {{"chars", Value::None()}}},
    {"rstrip", StripMethod<false, true>, {{"chars", Value::None()}}},
    {"lower", CaseMethod<Case::kLower>},
    {"upper", CaseMethod<Case::kUpper>},
    {"title", CaseMethod<Case::kTitle>},
    {"capitalize", CaseMethod<Case::kCapitalize>},
    {"split", Split<false>, {{"sep", Value::None()}, {"maxsplit", Value::Int(-1)}}},
    {"rsplit", Split<true>, {{"sep"}, {"maxsplit", Value::Int(-1)}}},
    {"replace", Replace, {{"old"}, {"new"}, {"count", Value::Int(-1)}}},
    {"startswith", HasAffix<true>, {{"prefix"}}},
    {"endswith", HasAffix<false>, {{"suffix"}}},
    {"find", FindPart, {{"sub"}}},
};

// ---- Dicts ----

Value View(Sequence* items, const char* type) {
  if (items != nullptr) items->view_type = type;
  return Value::Items(Kind::kView, items);
}

Value ItemsOf(const Call& call) {
  return View(DictItems(call.machine, *call.self.dict), "dict_items");
}

template <Value Dict::Entry::*part>
Value Parts(const Call& call) {
  Sequence* parts = NewSequence(call.machine, call.self.dict->count);
  for (const Dict::Entry& entry : call.self.dict->all()) {
    if (!call.machine.Spend(1)) break;
    Append(call.machine, parts, entry.*part);
  }
  return View(parts, part == &Dict::Entry::key ? "dict_keys" : "dict_values");
}

Value Get(const Call& call) {
  const Value* value = Find(call.machine, *call.self.dict, call.args[0]);
  return value != nullptr ? *value : call.args[1];
}

constexpr Builtin kDictMethods[] = {
    {"get", Get, {{"key"}, {"default", Value::None()}}},
    {"items", ItemsOf},
    {"keys", Parts<&Dict::Entry::key>},
    {"values", Parts<&Dict::Entry::value>},
};

}  // namespace

std::span<const Builtin> StringMethods() { return kStringMethods; }
std::span<const Builtin> DictMethods() { return kDictMethods; }

Value Strip(Machine& machine, Value text, Value chars, bool left, bool right) {
  std::string_view rest = text.str();
  if (chars.is_none()) {
    if (left) rest.remove_prefix(LeadingSpaceOf(machine, rest));
    if (right) rest.remove_suffix(TrailingSpaceOf(machine, rest));
    return machine.failed() ? Value() : SubString(machine, text, rest);
  }
  if (!WantString(machine, chars)) return Value();
  const auto strip = [&](bool last) {
    while (!rest.empty() && machine.Spend(1)) {
      const std::string_view c = EdgeCharacter(rest, last);
      if (Find(machine, chars.str(), c) == std::string_view::npos) break;
      rest = last ? rest.substr(0, rest.size() - c.size()) : rest.substr(c.size());
    }
  };
  if (left) strip(false);
  if (right) strip(true);
  return SubString(machine, text, rest);
}

Value ReplaceAll(Machine& machine, Value text, std::string_view from, TextView to, int64_t count) {
  const TextView view = text.view();
  const std::string_view whole = view;
  Buffer out(machine);
  size_t begin = 0;  // what was not copied yet
  size_t at = 0;     // where to look
  for (; count != 0 && machine.Spend(1); count -= count > 0 ? 1 : 0) {
    const size_t found = Find(machine, whole, from, at);
    if (found == whole.npos) break;
    out.Append(view.substr(begin, found - begin));
    out.Append(to);
    begin = at = found + from.size();
    if (from.empty()) {  // between all characters
      if (found == whole.size()) break;
      at += EdgeCharacter(whole.substr(found), false).size();
    }
  }
  if (begin == 0 && out.view().empty()) return text;
  out.Append(view.substr(begin));
  return out.Finish();
}

Sequence* DictItems(Machine& machine, const Dict& dict) {
  Sequence* items = NewSequence(machine, dict.count);
  for (const Dict::Entry& entry : dict.all()) {
    if (!machine.Spend(1)) break;
    Sequence* pair = NewSequence(machine, 2);
    Append(machine, pair, entry.key);
    Append(machine, pair, entry.value);
    Append(machine, items, Value::Items(Kind::kTuple, pair));
  }
  return items;
}

}  // namespace rondo::jinja
