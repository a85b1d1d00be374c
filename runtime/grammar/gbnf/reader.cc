#include "runtime/grammar/gbnf/reader.h"

#include <algorithm>

#include "runtime/base/utf8.h"
#include "runtime/grammar/json.h"

namespace rondo::grammar {
namespace {

bool IsNameCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '_';
}

}  // namespace

// A step, and most of what else there is, stands for at least a byte; a name for a byte and one
// that ends it.
GbnfRoom::GbnfRoom(Room& room, size_t bytes, size_t most_productions)
    : steps(room, bytes + 16),
      rules(room, bytes / 2 + 2),
      names(room, bytes / 2 + 2),
      groups(room, GbnfReader::kMostNested + 2),
      text(room, bytes),
      walks(room, bytes / 2 + 2),
      values(room, bytes + 16),
      parts(room, bytes + 16),
      schemas(room),
      most(most_productions) {
  Json(room, bytes);
  SchemaRoom(room, bytes, most);
}

Status GbnfReader::Read() {
  Spaces(true);
  while (!AtEnd()) {
    RONDO_RETURN_IF_ERROR(Rule());
    Spaces(true);
  }
  for (uint32_t i = 0; i < room_.rules.size(); ++i) {
    const GbnfRule& rule = room_.rules[i];
    if (rule.begins_at != GbnfRule::kNowhere) continue;
    return At(rule.named_at, StatusCode::kInvalidArgument, "there is no rule named %.*s",
              Shown(rule.name), rule.name.data());
  }
  return Status();
}

Status GbnfReader::At(size_t byte, StatusCode code, const char* format, ...) const {
  size_t line = 1;
  for (size_t i = 0; i < byte; ++i) {
    const bool ends = text_[i] == '\n' || (text_[i] == '\r' && text_.substr(i + 1, 1) != "\n");
    line += ends;
  }
  char what[Status::kMaxMessage];
  va_list arguments;
  va_start(arguments, format);
  FormatV(what, sizeof what, format, arguments);
  va_end(arguments);
  return Status::Error(code, "line %zu: %s", line, what);
}

int GbnfReader::Shown(std::string_view name) {
  constexpr size_t kMost = 64;
  return static_cast<int>(
      Utf8Cut({reinterpret_cast<const uint8_t*>(name.data()), name.size()}, kMost));
}

Status GbnfReader::Wrong(const char* what) const {
  return At(at_, StatusCode::kInvalidArgument, "%s", what);
}

Status GbnfReader::Exhausted(size_t at) const {
  const Status status = regexes_.Exhausted(budget_, "here the grammar");
  return At(at, status.code(), "%s", status.message());
}

void GbnfReader::Spaces(bool lines) {
  while (!AtEnd()) {
    if (Has("#")) {
      while (!AtEnd() && !AtLineEnd()) ++at_;
    } else if (Has(" ") || Has("\t") || (lines && AtLineEnd())) {
      ++at_;
    } else {
      return;
    }
  }
}

std::string_view GbnfReader::Name() {
  const size_t begin = at_;
  while (!AtEnd() && IsNameCharacter(text_[at_])) ++at_;
  return text_.substr(begin, at_ - begin);
}

uint32_t GbnfReader::RuleNamed(std::string_view name, size_t at) {
  Hash hash;
  for (const char c : name) hash.Add(static_cast<unsigned char>(c));
  const uint32_t fresh = room_.rules.size();
  const uint32_t number = room_.names.FindOrPut(
      hash.value(), fresh, [&](uint32_t rule) { return room_.rules[rule].name == name; });
  if (number == fresh) {
    room_.rules.Add({.name = name, .named_at = static_cast<uint32_t>(at)}, budget_);
  }
  return number;
}

Status GbnfReader::Rule() {
  const size_t begin = at_;
  const std::string_view name = Name();
  if (name.empty()) return Wrong("expected a rule's name");
  Spaces(false);
  if (!Take("::=")) return Wrong("expected ::= behind a rule's name");
  GbnfRule& rule = room_.rules[RuleNamed(name, begin)];
  if (rule.begins_at != GbnfRule::kNowhere) {
    return At(begin, StatusCode::kInvalidArgument, "there is a rule named %.*s already",
              Shown(name), name.data());
  }
  rule.begins_at = static_cast<uint32_t>(begin);
  rule.first_step = room_.steps.size();
  RONDO_RETURN_IF_ERROR(Body());
  rule.n_steps = room_.steps.size() - rule.first_step;
  return Status();
}

// Up to the end of a line, but for one within a group, behind ::= or |, or before |.
Status GbnfReader::Body() {
  room_.groups.Shrink(0);
  room_.groups.Add({static_cast<uint32_t>(at_), 0, 0}, budget_);
  Spaces(true);
  while (budget_.ok()) {
    const GbnfRoom::Group& group = room_.groups[room_.groups.size() - 1];
    const bool is_body = room_.groups.size() == 1;
    Spaces(!is_body);
    if (is_body && (AtEnd() || AtLineEnd())) {
      Spaces(true);
      if (!Has("|")) {
        if (group.n_alternatives == 0 && group.n_parts == 0) {
          return Wrong("expected what the rule stands for");
        }
        EndGroup();
        return Status();
      }
    }
    if (Take("|")) {
      EndAlternative();
      Spaces(true);
    } else {
      RONDO_RETURN_IF_ERROR(Part());
    }
  }
  return Exhausted(at_);
}

// One more of an alternative, or a group's begin or end, or what repeats the part before.
Status GbnfReader::Part() {
  GbnfRoom::Group& group = room_.groups[room_.groups.size() - 1];
  const size_t begin = at_;
  if (AtEnd()) {
    return At(group.begins_at, StatusCode::kInvalidArgument, "a group that is not closed");
  }
  switch (text_[at_]) {
    case '(':
      if (room_.groups.size() > kMostNested) return Wrong("groups over 256 deep");
      ++at_;
      room_.groups.Add({static_cast<uint32_t>(begin), 0, 0}, budget_);
      return Status();
    case ')':
      if (room_.groups.size() == 1) return Wrong("a ) that closes nothing");
      ++at_;
      EndGroup();
      return Status();
    case '*':
    case '+':
    case '?':
    case '{':
      return group.n_parts > 0 ? Repeat() : Wrong("a repeat of nothing");
    case '"': {
      std::string_view text;
      RONDO_RETURN_IF_ERROR(Text(&text));
      PutLeaf(regexes_.Text(text, budget_));
      break;
    }
    case '[':
      RONDO_RETURN_IF_ERROR(Class());
      break;
    case '.':
      ++at_;
      PutLeaf(any_character_);
      break;
    case '<':
      RONDO_RETURN_IF_ERROR(Token());
      break;
    case '%':
      RONDO_RETURN_IF_ERROR(Directive());
      break;
    case '!':
      return At(begin, StatusCode::kUnsupported, "any token but one (!) is not supported");
    default: {
      const std::string_view name = Name();
      if (name.empty()) return Wrong("expected a part of a rule");
      const size_t end = at_;
      Spaces(false);
      if (Has("::=")) {
        return At(begin, StatusCode::kInvalidArgument,
                  "a rule begins where the one before has not ended");
      }
      at_ = end;
      Put(Kind::kRule, RuleNamed(name, begin));
    }
  }
  ++group.n_parts;
  return Status();
}

void GbnfReader::EndAlternative() {
  GbnfRoom::Group& group = room_.groups[room_.groups.size() - 1];
  if (group.n_parts != 1) Put(Kind::kSequence, group.n_parts);
  ++group.n_alternatives;
  group.n_parts = 0;
}

void GbnfReader::EndGroup() {
  EndAlternative();
  const uint32_t last = room_.groups.size() - 1;
  const uint32_t n_alternatives = room_.groups[last].n_alternatives;
  if (n_alternatives > 1) Put(Kind::kChoice, n_alternatives);
  room_.groups.Shrink(last);
  if (last > 0) ++room_.groups[last - 1].n_parts;
}

Status GbnfReader::Repeat() {
  uint32_t min = 0, max = Regexes::kNoLimit;
  if (Take("?")) {
    max = 1;
  } else if (Take("+")) {
    min = 1;
  } else if (!Take("*")) {
    ++at_;
    Spaces(false);
    RONDO_RETURN_IF_ERROR(Count(&min));
    Spaces(false);
    if (!Take(",")) {
      max = min;
    } else {
      Spaces(false);
      if (!Has("}")) RONDO_RETURN_IF_ERROR(Count(&max));
      Spaces(false);
    }
    if (!Has("}")) return Wrong("expected } behind how often a part stands");
    if (min > max) return Wrong("a repeat whose numbers are out of order");
    ++at_;
  }
  Put(Kind::kRepeat, min, max);
  return Status();
}

Status GbnfReader::Count(uint32_t* count) {
  const size_t begin = at_;
  *count = 0;
  for (; !AtEnd() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_) {
    *count = *count * 10 + static_cast<uint32_t>(text_[at_] - '0');
    if (*count > kMostRepeats) return Wrong("a part that stands over 1048576 times");
  }
  return at_ > begin ? Status() : Wrong("expected how often a part stands");
}

}  // namespace rondo::grammar
