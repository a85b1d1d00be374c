#include <algorithm>

#include "runtime/grammar/pattern.h"
#include "runtime/grammar/schema/compiler.h"

namespace rondo::grammar {

Regex SchemaCompiler::StringLiteral(std::string_view text, Regex behind) {
  Regex body = behind;
  // From the last character on, so that each stands before what is there.
  for (size_t end = text.size(); end > 0;) {
    size_t begin = end - 1;
    while (begin > 0 && (static_cast<uint8_t>(text[begin]) & 0xc0) == 0x80) --begin;
    const std::string_view character = text.substr(begin, end - begin);
    const auto first = static_cast<uint8_t>(character[0]);
    const bool escapes = first < 0x20 || first == '"' || first == '\\';
    body = Then(escapes ? OneOf({{first, first}}, Spelling::kJsonString, regexes_, budget_)
                        : regexes_.Text(character, budget_),
                body);
    end = begin;
  }
  return body;
}

Result<Regex> SchemaCompiler::Pattern(JsonValue node) {
  if (!Is(node, Json::Kind::kString)) return NoSchema(node, "a pattern");
  const Result<Regex> regex =
      ReadPattern(json_.text(node), false, Spelling::kJsonString, regexes_, budget_);
  if (regex.ok()) return regex;
  char pointer[120];
  json_.Pointer(node, pointer, sizeof pointer);
  return Status::Error(regex.status().code(), "%s: %s", pointer, regex.status().message());
}

Result<Regex> SchemaCompiler::BodyRegex(const Shape& shape, const Terms& terms) {
  std::array<Regex, 2 * Shape::kMostOfAKind + 2> all;
  size_t n = 0;
  bool one_spelling = shape.n_patterns > 0;
  for (size_t i = 0; i < shape.n_patterns; ++i) {
    RONDO_ASSIGN(const Regex found, Pattern(shape.patterns[i]));
    all[n++] = shape.pattern_found[i] ? found : regexes_.Not(found, budget_);
  }
  for (size_t i = 0; i < shape.n_formats; ++i) {
    const Regex format = FormatRegex(json_.text(shape.formats[i]), regexes_, budget_);
    if (format == Regexes::kNever) continue;  // says nothing
    one_spelling = true;
    all[n++] = format;
  }
  const uint32_t first = room_.parts.size();
  ForEachExcluded(terms, [&](JsonValue value) {
    if (Is(value, Json::Kind::kString)) room_.parts.Add(StringLiteral(json_.text(value)), budget_);
  });
  if (const uint32_t count = room_.parts.size() - first; count > 0) {
    one_spelling = true;
    all[n++] = regexes_.Not(regexes_.Either(room_.parts.Part(first, count), budget_), budget_);
    room_.parts.Shrink(first);
  }
  if (shape.min_length > shape.max_length) return Regexes::kNever;
  all[n++] = regexes_.Repeat(one_spelling ? plain_character_ : character_, shape.min_length,
                             shape.max_length, budget_);
  return regexes_.Both({all.data(), n}, budget_);
}

Result<Regex> SchemaCompiler::StringRegex(const Shape& shape, const Terms& terms) {
  RONDO_ASSIGN(const Regex body, BodyRegex(shape, terms));
  const Regex mark = regexes_.Text("\"", budget_);
  return Then(mark, Then(body, mark));
}

// Multiples of a whole number, and of a power of ten below 1.
Result<Regex> SchemaCompiler::NumberRegex(const Shape& shape, const Terms& terms) {
  NumberBounds bounds = shape.numbers;
  const bool whole = (shape.types & Shape::kFraction) == 0;
  bounds.whole = whole;
  std::array<Regex, Shape::kMostOfAKind + 3> all;
  size_t n = 0;
  const auto digits = regexes_.Bytes(ByteSet::Range('0', '9'), budget_);
  const Regex minus = regexes_.Repeat(regexes_.Text("-", budget_), 0, 1, budget_);
  const Regex point = regexes_.Text(".", budget_);
  const Regex zeros = regexes_.Repeat(regexes_.Text("0", budget_), 1, Regexes::kNoLimit, budget_);
  const auto fraction = [&](Regex behind) {
    return regexes_.Repeat(Then(point, behind), 0, 1, budget_);
  };
  for (size_t i = 0; i < shape.n_multiples; ++i) {
    const JsonValue node = shape.multiples[i];
    const Decimal step = Decimal::Of(json_.text(node));
    if (!step.exact() || step.negative() || step.zero()) return NoSchema(node, "a number above 0");
    uint64_t sum = 0;
    int ones = 0;
    for (int place = step.whole_digits() - 1; place >= -step.fraction_digits(); --place) {
      if (sum < UINT32_MAX) sum = sum * 10 + static_cast<uint64_t>(step.digit(place));
      ones += step.digit(place);
    }
    const auto behind = static_cast<uint32_t>(step.fraction_digits());
    Regex multiple;
    if (behind == 0) {
      if (sum > 10000) return Refuse(node, "a multiple of over 10,000");  // each rest is a state
      multiple = regexes_.Multiple(static_cast<uint32_t>(sum), 0, budget_);
      multiple = Then(minus, Then(multiple, whole ? Regexes::kEmpty : fraction(zeros)));
    } else if (ones == 1) {  // 0.01
      const Regex places =
          Then(regexes_.Repeat(digits, 1, behind, budget_), regexes_.Repeat(zeros, 0, 1, budget_));
      multiple = Then(
          minus, Then(regexes_.Repeat(digits, 1, Regexes::kNoLimit, budget_), fraction(places)));
    } else {
      return Refuse(node, "a multiple of a fraction that is no power of ten");
    }
    all[n++] = multiple;
    bounds.no_exponent = true;
  }
  const uint32_t first = room_.parts.size();
  ForEachExcluded(terms, [&](JsonValue value) {
    if (!Is(value, Json::Kind::kNumber)) return;
    NumberBounds same;
    same.low = same.high = Decimal::Of(json_.text(value));
    const Regex spelled = same.low->exact() ? NumbersWithin(same, regexes_, budget_)
                                            : regexes_.Text(json_.text(value), budget_);
    room_.parts.Add(same.low->zero() ? Then(minus, spelled) : spelled, budget_);
  });
  if (const uint32_t count = room_.parts.size() - first; count > 0) {
    bounds.no_exponent = true;
    all[n++] = regexes_.Not(regexes_.Either(room_.parts.Part(first, count), budget_), budget_);
    room_.parts.Shrink(first);
  }
  if (!whole && (shape.types & Shape::kWhole) == 0) {  // fractions alone
    NumberBounds integers;
    integers.whole = true;
    const Regex any[] = {NumbersWithin(integers, regexes_, budget_), regexes_.Text("-0", budget_)};
    all[n++] = regexes_.Not(Then(regexes_.Either(any, budget_), fraction(zeros)), budget_);
    bounds.no_exponent = true;
  }
  all[n++] = NumbersWithin(bounds, regexes_, budget_);
  return regexes_.Both({all.data(), n}, budget_);
}

Status SchemaCompiler::AddScalars(const Shape& shape, const Terms& terms) {
  const auto add = [&](Regex regex) { room_.parts.Add(Terminal(regex), budget_); };
  bool null = (shape.types & Shape::kNull) != 0;
  bool yes = (shape.types & Shape::kBoolean) != 0, no = yes;
  ForEachExcluded(terms, [&](JsonValue value) {
    null = null && !Is(value, Json::Kind::kNull);
    yes = yes && !IsTrue(value);
    no = no && !IsFalse(value);
  });
  if (null) add(regexes_.Text("null", budget_));
  if (yes) add(regexes_.Text("true", budget_));
  if (no) add(regexes_.Text("false", budget_));
  if ((shape.types & (Shape::kWhole | Shape::kFraction)) != 0) {
    RONDO_ASSIGN(const Regex regex, NumberRegex(shape, terms));
    add(regex);
  }
  if ((shape.types & Shape::kString) != 0) {
    RONDO_ASSIGN(const Regex regex, StringRegex(shape, terms));
    add(regex);
  }
  return Status();
}

// An enum's values, of which all terms hold. Those that are texts of their own are one expression.
Result<Production> SchemaCompiler::Literals(const Shape& shape, const Terms& terms) {
  List<Regex>& scalars = regexes_.stack();
  const uint32_t first = room_.parts.size(), first_scalar = scalars.size();
  enumeration_ = shape.enumeration;
  for (JsonValue value = shape.is_const ? shape.enumeration : json_.first(shape.enumeration);
       value != Json::kNone; value = shape.is_const ? Json::kNone : json_.next(value)) {
    Production literal = Productions::kNever;
    const bool is_scalar = json_.kind(value) < Json::Kind::kArray;
    // Before it is asked about: this bounds its nesting.
    if (!is_scalar) {
      RONDO_ASSIGN(literal, Literal(value, 0));
    }
    const Answer answer = SatisfiesAll(value, terms);
    if (answer == Answer::kUnknown) return Refuse(value, "a value beside such keywords");
    if (answer == Answer::kNo) continue;
    if (is_scalar) {
      scalars.Add(ScalarLiteral(value), budget_);
    } else {
      room_.parts.Add(literal, budget_);
    }
  }
  const Regex either =
      regexes_.Either(scalars.Part(first_scalar, scalars.size() - first_scalar), budget_);
  scalars.Shrink(first_scalar);
  if (either != Regexes::kNever) room_.parts.Add(Terminal(either), budget_);
  return TakeChoice(first);
}

Regex SchemaCompiler::ScalarLiteral(JsonValue value) {
  const Regex mark = regexes_.Text("\"", budget_);
  switch (json_.kind(value)) {
    case Json::Kind::kNumber: {
      const Decimal number = Decimal::Of(json_.text(value));
      const Regex itself = regexes_.Text(json_.text(value), budget_);
      if (!number.exact()) return itself;
      NumberBounds same;
      same.low = same.high = number;
      same.whole = number.whole();
      const Regex both[] = {itself, NumbersWithin(same, regexes_, budget_)};
      return regexes_.Either(both, budget_);
    }
    case Json::Kind::kString:
      return Then(mark, StringLiteral(json_.text(value), mark));
    case Json::Kind::kNull:
      return regexes_.Text("null", budget_);
    default:
      return regexes_.Text(IsTrue(value) ? "true" : "false", budget_);
  }
}

Result<Production> SchemaCompiler::Literal(JsonValue value, int nested) {
  constexpr int kMostNested = 32;
  if (nested > kMostNested) return Refuse(value, "a value nested over 32 deep");
  if (json_.kind(value) < Json::Kind::kArray) return Terminal(ScalarLiteral(value));
  const bool is_object = json_.kind(value) == Json::Kind::kObject;
  const uint32_t first = room_.parts.size();
  room_.parts.Add(Terminal(Then(regexes_.Text(is_object ? "{" : "[", budget_), space_)), budget_);
  for (JsonValue part = json_.first(value); part != Json::kNone; part = json_.next(part)) {
    Regex before = part == json_.first(value) ? Regexes::kEmpty : Punctuation(',');
    if (is_object) {
      const Regex mark = regexes_.Text("\"", budget_);
      before = Then(before,
                    Then(mark, Then(StringLiteral(json_.key(part)), Then(mark, Punctuation(':')))));
    }
    room_.parts.Add(Terminal(before), budget_);
    RONDO_ASSIGN(const Production literal, Literal(part, nested + 1));
    room_.parts.Add(literal, budget_);
  }
  room_.parts.Add(Terminal(Then(space_, regexes_.Text(is_object ? "}" : "]", budget_))), budget_);
  return TakeSequence(first);
}

}  // namespace rondo::grammar
