#include <algorithm>

#include "runtime/base/utf8.h"
#include "runtime/grammar/pattern.h"
#include "runtime/grammar/schema/compiler.h"

namespace rondo::grammar {

SchemaCompiler::Answer SchemaCompiler::And(Answer a, Answer b) {
  if (a == Answer::kNo || b == Answer::kNo) return Answer::kNo;
  return a == Answer::kYes && b == Answer::kYes ? Answer::kYes : Answer::kUnknown;
}

SchemaCompiler::Answer SchemaCompiler::Not(Answer a) {
  return a == Answer::kNo ? Answer::kYes : a == Answer::kYes ? Answer::kNo : Answer::kUnknown;
}

uint8_t SchemaCompiler::TypeOf(JsonValue value) const {
  switch (json_.kind(value)) {
    case Json::Kind::kNull:
      return Shape::kNull;
    case Json::Kind::kFalse:
    case Json::Kind::kTrue:
      return Shape::kBoolean;
    case Json::Kind::kNumber:
      return Decimal::Of(json_.text(value)).whole() ? Shape::kWhole : Shape::kFraction;
    case Json::Kind::kString:
      return Shape::kString;
    case Json::Kind::kArray:
      return Shape::kArray;
    case Json::Kind::kObject:
      return Shape::kObject;
  }
  return 0;
}

SchemaCompiler::Answer SchemaCompiler::SatisfiesAll(JsonValue value, const Terms& terms) {
  Answer all = Answer::kYes;
  for (const Term& term : terms.span()) all = And(all, Satisfies(value, term, 0));
  return all;
}

SchemaCompiler::Answer SchemaCompiler::Satisfies(JsonValue value, const Term& term, int nested) {
  const auto yes = [](bool is) { return is ? Answer::kYes : Answer::kNo; };
  const bool is_object = Is(value, Json::Kind::kObject);
  switch (term.mode) {
    case Term::Mode::kHolds:
      return SatisfiesSchema(value, term.node, nested, term.done);
    case Term::Mode::kHoldsNot:
      return Not(SatisfiesSchema(value, term.node, nested));
    case Term::Mode::kHas:
      return yes(is_object && json_.Find(value, NameOf(term.node)) != Json::kNone);
    case Term::Mode::kLacks:
      return yes(is_object && json_.Find(value, NameOf(term.node)) == Json::kNone);
    case Term::Mode::kMayLack:
      return yes(!is_object || json_.Find(value, NameOf(term.node)) == Json::kNone);
    case Term::Mode::kHasNot: {
      const JsonValue its = is_object ? json_.Find(value, NameOf(term.node)) : Json::kNone;
      return its == Json::kNone ? Answer::kNo : Not(SatisfiesSchema(its, term.node, nested));
    }
    case Term::Mode::kNotType: {
      const Result<uint8_t> types = TypesOf(term.node);
      return yes(types.ok() && (*types & TypeOf(value)) == 0);
    }
    case Term::Mode::kNoneOf: {
      if (json_.key(term.node) != "enum") return yes(!json_.Equal(value, term.node));
      for (JsonValue v = json_.first(term.node); v != Json::kNone; v = json_.next(v)) {
        if (json_.Equal(value, v)) return Answer::kNo;
      }
      return Answer::kYes;
    }
    case Term::Mode::kNotPattern:
    case Term::Mode::kBeyond:
      return Answer::kUnknown;
  }
  return Answer::kUnknown;
}

// By keywords that ask nothing of other schemas; kYes where it is none of them. A function of its
// own, so that the recursion below takes little of the stack.
SchemaCompiler::Answer SchemaCompiler::SatisfiesKeyword(JsonValue value, JsonValue part) {
  const auto yes = [](bool is) { return is ? Answer::kYes : Answer::kNo; };
  const std::string_view key = json_.key(part);
  const bool is_number = Is(value, Json::Kind::kNumber), is_string = Is(value, Json::Kind::kString);
  const bool is_array = Is(value, Json::Kind::kArray), is_object = Is(value, Json::Kind::kObject);
  const auto number = [&](JsonValue v) { return Decimal::Of(json_.text(v)); };
  const auto count_limit = [&](uint32_t count) {
    if (!Is(part, Json::Kind::kNumber)) return Answer::kUnknown;
    const Decimal its = Decimal::Of(int64_t{count});
    return yes(key[1] == 'i' ? !(its < number(part)) : !(number(part) < its));
  };
  if (key == "type") {
    const Result<uint8_t> types = TypesOf(part);
    return types.ok() ? yes((*types & TypeOf(value)) != 0) : Answer::kUnknown;
  }
  if (key == "const") return yes(json_.Equal(value, part));
  if (key == "enum") {
    bool found = false;
    budget_.Spend(json_.count(part) / 16);
    for (JsonValue v = json_.first(part); v != Json::kNone; v = json_.next(v)) {
      found = found || json_.Equal(value, v);
    }
    return yes(found);
  }
  if (key == "minimum" || key == "maximum" || key == "exclusiveMinimum" ||
      key == "exclusiveMaximum") {
    if (!is_number) return Answer::kYes;
    if (!Is(part, Json::Kind::kNumber)) return Answer::kUnknown;
    const bool strict = key[0] == 'e', low = key.ends_with("inimum");
    const Decimal limit = number(part), its = number(value);
    if (!limit.exact() || !its.exact()) return Answer::kUnknown;
    if (strict) return yes(low ? limit < its : its < limit);
    return yes(low ? !(its < limit) : !(limit < its));
  }
  if (key == "minLength" || key == "maxLength") {
    if (!is_string) return Answer::kYes;
    uint32_t characters = 0;
    for (const char c : json_.text(value)) characters += (static_cast<uint8_t>(c) & 0xc0) != 0x80;
    return count_limit(characters);
  }
  if (key == "pattern") {
    return is_string ? IsFound(json_.text(part), json_.text(value)) : Answer::kYes;
  }
  if (key == "minItems" || key == "maxItems") {
    return is_array ? count_limit(json_.count(value)) : Answer::kYes;
  }
  if (key == "minProperties" || key == "maxProperties") {
    return is_object ? count_limit(json_.count(value)) : Answer::kYes;
  }
  if (key == "required" && is_object) {
    Answer all = Answer::kYes;
    for (JsonValue one = json_.first(part); one != Json::kNone; one = json_.next(one)) {
      all = And(all, yes(json_.Find(value, json_.text(one)) != Json::kNone));
    }
    return all;
  }
  const bool says = key == "multipleOf" ? is_number
                    : key == "format"   ? is_string
                    : key == "prefixItems" || key == "contains" || key == "uniqueItems" ||
                            key == "additionalItems"
                        ? is_array
                    : key == "dependencies" || key == "dependentRequired" ||
                            key == "dependentSchemas" || key == "propertyNames"
                        ? is_object
                        : key == "if";
  return says ? Answer::kUnknown : Answer::kYes;
}

SchemaCompiler::Answer SchemaCompiler::IsFound(std::string_view pattern, std::string_view text) {
  const Result<Regex> regex = ReadPattern(pattern, false, Spelling::kUtf8, regexes_, budget_);
  if (!regex.ok()) return Answer::kUnknown;
  return regexes_.Matches(*regex, text, budget_) ? Answer::kYes : Answer::kNo;
}

// What a reference leads to; kNone where that is not known.
JsonValue SchemaCompiler::TargetOrNone(JsonValue ref) {
  const Result<JsonValue> target = Target(ref);
  return target.ok() ? *target : Json::kNone;
}

// The keywords that others of the conjunction stand for.
static uint8_t DoneOf(std::string_view key) {
  if (key == "$ref") return Term::kRef;
  if (key == "anyOf") return Term::kAnyOf;
  if (key == "oneOf") return Term::kOneOf;
  if (key == "not") return Term::kNot;
  if (key == "if") return Term::kIf;
  return 0;
}

SchemaCompiler::Answer SchemaCompiler::SatisfiesSchema(JsonValue value, JsonValue schema,
                                                       int nested, uint8_t done) {
  constexpr int kMostNested = 24;
  if (IsTrue(schema)) return Answer::kYes;
  if (IsFalse(schema)) return Answer::kNo;
  if (!Is(schema, Json::Kind::kObject) || nested > kMostNested || !budget_.Spend()) {
    return Answer::kUnknown;
  }
  Answer all = Answer::kYes;
  const auto ask = [&](Answer answer) { all = And(all, answer); };
  const auto inner = [&](JsonValue v, JsonValue s) { return SatisfiesSchema(v, s, nested + 1); };
  const bool is_array = Is(value, Json::Kind::kArray), is_object = Is(value, Json::Kind::kObject);
  const bool alone = IsReferenceAlone(schema);
  for (JsonValue part = json_.first(schema); part != Json::kNone; part = json_.next(part)) {
    const std::string_view key = json_.key(part);
    if (alone && key != "$ref") continue;
    if (part == enumeration_ && (value == part || json_.parent(value) == part)) continue;
    if ((DoneOf(key) & done) != 0) continue;
    if (key == "$ref") {
      const JsonValue target = TargetOrNone(part);
      ask(target != Json::kNone ? inner(value, target) : Answer::kUnknown);
    } else if (key == "not") {
      ask(Not(inner(value, part)));
    } else if (key == "allOf" || key == "anyOf" || key == "oneOf") {
      uint32_t holds = 0, unknown = 0, n = 0;
      for (JsonValue one = json_.first(part); one != Json::kNone; one = json_.next(one), ++n) {
        const Answer answer = inner(value, one);
        holds += answer == Answer::kYes;
        unknown += answer == Answer::kUnknown;
      }
      if (key == "allOf") {
        ask(holds == n ? Answer::kYes : holds + unknown == n ? Answer::kUnknown : Answer::kNo);
      } else if (key == "anyOf") {
        ask(holds > 0 ? Answer::kYes : unknown > 0 ? Answer::kUnknown : Answer::kNo);
      } else {
        ask(unknown > 0 ? Answer::kUnknown : holds == 1 ? Answer::kYes : Answer::kNo);
      }
    } else if (key == "properties") {
      for (JsonValue v = is_object ? json_.first(value) : Json::kNone; v != Json::kNone;
           v = json_.next(v)) {
        const JsonValue its = json_.Find(part, json_.key(v));
        if (its != Json::kNone) ask(inner(v, its));
      }
    } else if (key == "patternProperties" || key == "additionalProperties") {
      const JsonValue properties = json_.Find(schema, "properties");
      const JsonValue patterns = json_.Find(schema, "patternProperties");
      for (JsonValue v = is_object ? json_.first(value) : Json::kNone; v != Json::kNone;
           v = json_.next(v)) {
        bool listed = json_.Find(properties, json_.key(v)) != Json::kNone;
        for (JsonValue p = Is(patterns, Json::Kind::kObject) ? json_.first(patterns) : Json::kNone;
             p != Json::kNone; p = json_.next(p)) {
          const Answer found = IsFound(json_.key(p), json_.key(v));
          if (found == Answer::kUnknown) return Answer::kUnknown;
          if (found == Answer::kNo) continue;
          listed = true;
          if (part == patterns) ask(inner(v, p));
        }
        if (part != patterns && !listed) ask(inner(v, part));
      }
    } else if (key == "items") {
      const bool one_by_one =
          Is(part, Json::Kind::kArray) || json_.Find(schema, "prefixItems") != Json::kNone;
      if (is_array && one_by_one) ask(Answer::kUnknown);
      for (JsonValue v = is_array && !one_by_one ? json_.first(value) : Json::kNone;
           v != Json::kNone; v = json_.next(v)) {
        ask(inner(v, part));
      }
    } else {
      ask(SatisfiesKeyword(value, part));
    }
  }
  return all;
}

}  // namespace rondo::grammar
