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
      return SatisfiesSchema(value, term.node, nested);
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

SchemaCompiler::Answer SchemaCompiler::SatisfiesSchema(JsonValue value, JsonValue schema,
                                                       int nested) {
  constexpr int kMostNested = 24;
  if (IsTrue(schema)) return Answer::kYes;
  if (IsFalse(schema)) return Answer::kNo;
  if (!Is(schema, Json::Kind::kObject) || nested > kMostNested || !budget_.Spend()) {
    return Answer::kUnknown;
  }
  Answer all = Answer::kYes;
  const auto ask = [&](Answer answer) { all = And(all, answer); };
  const auto yes = [](bool is) { return is ? Answer::kYes : Answer::kNo; };
  const auto inner = [&](JsonValue v, JsonValue s) { return SatisfiesSchema(v, s, nested + 1); };
  const bool is_number = Is(value, Json::Kind::kNumber), is_string = Is(value, Json::Kind::kString);
  const bool is_array = Is(value, Json::Kind::kArray), is_object = Is(value, Json::Kind::kObject);
  const auto number = [&](JsonValue v) { return Decimal::Of(json_.text(v)); };
  const auto count_limit = [&](JsonValue node, uint32_t count, bool low) {
    if (!Is(node, Json::Kind::kNumber)) return Answer::kUnknown;
    const Decimal its = Decimal::Of(int64_t{count});
    return yes(low ? !(its < number(node)) : !(number(node) < its));
  };
  const bool alone = IsReferenceAlone(schema);
  for (JsonValue part = json_.first(schema); part != Json::kNone; part = json_.next(part)) {
    const std::string_view key = json_.key(part);
    if (alone && key != "$ref") continue;
    if (key == "type") {
      const Result<uint8_t> types = TypesOf(part);
      ask(types.ok() ? yes((*types & TypeOf(value)) != 0) : Answer::kUnknown);
    } else if (part == enumeration_) {
      continue;  // which it is of
    } else if (key == "const") {
      ask(yes(json_.Equal(value, part)));
    } else if (key == "enum") {
      bool found = false;
      for (JsonValue v = json_.first(part); v != Json::kNone; v = json_.next(v)) {
        found = found || json_.Equal(value, v);
      }
      ask(yes(found));
    } else if (key == "$ref") {
      const Result<JsonValue> target = Target(part);
      ask(target.ok() ? inner(value, *target) : Answer::kUnknown);
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
        ask(unknown > 0 ? Answer::kUnknown : yes(holds == 1));
      }
    } else if (key == "minimum" || key == "maximum" || key == "exclusiveMinimum" ||
               key == "exclusiveMaximum") {
      if (!is_number) continue;
      if (!Is(part, Json::Kind::kNumber)) {
        ask(Answer::kUnknown);
        continue;
      }
      const bool strict = key[0] == 'e', low = key.ends_with("inimum");
      const Decimal limit = number(part), its = number(value);
      if (!limit.exact() || !its.exact()) {
        ask(Answer::kUnknown);
      } else if (strict) {
        ask(yes(low ? limit < its : its < limit));
      } else {
        ask(yes(low ? !(its < limit) : !(limit < its)));
      }
    } else if (key == "minLength" || key == "maxLength") {
      if (!is_string) continue;
      uint32_t characters = 0;
      for (const char c : json_.text(value)) characters += (static_cast<uint8_t>(c) & 0xc0) != 0x80;
      ask(count_limit(part, characters, key[1] == 'i'));
    } else if (key == "pattern") {
      if (!is_string) continue;
      const Result<Regex> regex =
          ReadPattern(json_.text(part), false, Spelling::kUtf8, regexes_, budget_);
      ask(regex.ok() ? yes(regexes_.Matches(*regex, json_.text(value), budget_))
                     : Answer::kUnknown);
    } else if (key == "minItems" || key == "maxItems") {
      if (is_array) ask(count_limit(part, json_.count(value), key[1] == 'i'));
    } else if (key == "minProperties" || key == "maxProperties") {
      if (is_object) ask(count_limit(part, json_.count(value), key[1] == 'i'));
    } else if (key == "required") {
      if (!is_object) continue;
      for (JsonValue one = json_.first(part); one != Json::kNone; one = json_.next(one)) {
        ask(yes(json_.Find(value, json_.text(one)) != Json::kNone));
      }
    } else if (key == "properties") {
      if (!is_object) continue;
      for (JsonValue v = json_.first(value); v != Json::kNone; v = json_.next(v)) {
        const JsonValue its = json_.Find(part, json_.key(v));
        if (its != Json::kNone) ask(inner(v, its));
      }
    } else if (key == "patternProperties" || key == "additionalProperties") {
      if (!is_object) continue;
      const JsonValue properties = json_.Find(schema, "properties");
      const JsonValue patterns = json_.Find(schema, "patternProperties");
      for (JsonValue v = json_.first(value); v != Json::kNone; v = json_.next(v)) {
        bool listed = json_.Find(properties, json_.key(v)) != Json::kNone;
        for (JsonValue p = Is(patterns, Json::Kind::kObject) ? json_.first(patterns) : Json::kNone;
             p != Json::kNone; p = json_.next(p)) {
          const Result<Regex> regex =
              ReadPattern(json_.key(p), false, Spelling::kUtf8, regexes_, budget_);
          if (!regex.ok()) return Answer::kUnknown;
          if (!regexes_.Matches(*regex, json_.key(v), budget_)) continue;
          listed = true;
          if (part == patterns) ask(inner(v, p));
        }
        if (part != patterns && !listed) ask(inner(v, part));
      }
    } else if (key == "items") {
      if (!is_array) continue;
      if (Is(part, Json::Kind::kArray) || json_.Find(schema, "prefixItems") != Json::kNone) {
        ask(Answer::kUnknown);
        continue;
      }
      for (JsonValue v = json_.first(value); v != Json::kNone; v = json_.next(v))
        ask(inner(v, part));
    } else if (key == "multipleOf" || key == "format" || key == "prefixItems" ||
               key == "contains" || key == "uniqueItems" || key == "if" || key == "dependencies" ||
               key == "dependentRequired" || key == "dependentSchemas" || key == "propertyNames" ||
               key == "additionalItems") {
      const bool says = key == "multipleOf" ? is_number
                        : key == "format"   ? is_string
                        : key == "prefixItems" || key == "contains" || key == "uniqueItems" ||
                                key == "additionalItems"
                            ? is_array
                        : key == "if" ? true
                                      : is_object;
      if (says) ask(Answer::kUnknown);
    }
  }
  return all;
}

}  // namespace rondo::grammar
