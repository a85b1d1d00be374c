#include <algorithm>
#include <iterator>

#include "runtime/grammar/schema/compiler.h"

namespace rondo::grammar {
namespace {

constexpr std::string_view kTypes[] = {"null",   "boolean", "integer", "number",
                                       "string", "array",   "object"};
constexpr uint8_t kTypeBits[] = {
    Shape::kNull,   Shape::kBoolean, Shape::kWhole, Shape::kWhole | Shape::kFraction,
    Shape::kString, Shape::kArray,   Shape::kObject};

// Asserted, and not understood.
constexpr std::string_view kRefused[] = {
    "unevaluatedProperties", "unevaluatedItems", "$dynamicRef", "$recursiveRef", "minContains",
    "maxContains",           "extends",          "disallow",    "divisibleBy"};

// Formats that a draft knows, and we do not: to ignore them would let through what is not valid.
constexpr std::string_view kUnknownFormats[] = {"iri", "iri-reference", "idn-email", "idn-hostname",
                                                "regex"};

}  // namespace

Result<uint8_t> SchemaCompiler::TypesOf(JsonValue node) {
  const auto one = [&](JsonValue name) -> Result<uint8_t> {
    const auto* const found = std::find(std::begin(kTypes), std::end(kTypes), json_.text(name));
    if (!Is(name, Json::Kind::kString) || found == std::end(kTypes)) {
      return NoSchema(name, "null, boolean, integer, number, string, array or object");
    }
    return kTypeBits[found - std::begin(kTypes)];
  };
  if (!Is(node, Json::Kind::kArray)) return one(node);
  uint8_t types = 0;
  for (JsonValue name = json_.first(node); name != Json::kNone; name = json_.next(name)) {
    RONDO_ASSIGN(const uint8_t type, one(name));
    types |= type;
  }
  return types;
}

Status SchemaCompiler::Number(JsonValue schema, const char* key, uint32_t* value, bool* there) {
  const JsonValue node = json_.Find(schema, key);
  *there = node != Json::kNone;
  if (!*there) return Status();
  const Decimal number = Is(node, Json::Kind::kNumber) ? Decimal::Of(json_.text(node)) : Decimal();
  if (!Is(node, Json::Kind::kNumber) || number.negative() || !number.whole()) {
    return NoSchema(node, "a number from 0 on without a fraction");
  }
  constexpr int kDigits = 8;
  uint32_t sum = 0;
  if (!number.exact() || number.whole_digits() > kDigits)
    return Refuse(node, "a number over 99999999");
  for (int place = kDigits - 1; place >= 0; --place) {
    sum = sum * 10 + static_cast<uint32_t>(number.digit(place));
  }
  *value = sum;
  return Status();
}

Status SchemaCompiler::Gather(const Terms& terms, Shape* shape) {
  RONDO_RETURN_IF_ERROR(RefuseParts(terms));
  for (const Term& term : terms.span()) {
    switch (term.mode) {
      case Term::Mode::kHolds:
        if (Is(term.node, Json::Kind::kObject)) {
          RONDO_RETURN_IF_ERROR(GatherSchema(term.node, shape));
        }
        break;
      case Term::Mode::kHas:
      case Term::Mode::kLacks:
      case Term::Mode::kHasNot:
        shape->types &= Shape::kObject;
        break;
      case Term::Mode::kNotType: {
        RONDO_ASSIGN(const uint8_t types, TypesOf(term.node));
        shape->types &= static_cast<uint8_t>(~types);
        break;
      }
      case Term::Mode::kNotPattern:
        shape->types &= Shape::kString;
        if (shape->n_patterns == Shape::kMostOfAKind)
          return Refuse(term.node, "over 8 patterns at once");
        shape->pattern_found[shape->n_patterns] = false;
        shape->patterns[shape->n_patterns++] = term.node;
        break;
      case Term::Mode::kBeyond:
        RONDO_RETURN_IF_ERROR(GoBeyond(term.node, shape));
        break;
      case Term::Mode::kHoldsNot:
      case Term::Mode::kMayLack:
      case Term::Mode::kNoneOf:
        break;
    }
  }
  return Status();
}

Status SchemaCompiler::GoBeyond(JsonValue limit, Shape* shape) {
  const std::string_view key = json_.key(limit);
  const JsonValue schema = json_.parent(limit);
  const struct {
    const char *min, *max;
    uint8_t type;
    uint32_t *low, *high;
  } counts[] = {
      {"minLength", "maxLength", Shape::kString, &shape->min_length, &shape->max_length},
      {"minItems", "maxItems", Shape::kArray, &shape->min_items, &shape->max_items},
      {"minProperties", "maxProperties", Shape::kObject, &shape->min_members, &shape->max_members}};
  for (const auto& count : counts) {
    if (key != count.min && key != count.max) continue;
    uint32_t value = 0;
    bool there = false;
    RONDO_RETURN_IF_ERROR(Number(schema, key == count.min ? count.min : count.max, &value, &there));
    shape->types &= count.type;
    if (key == count.max) *count.low = std::max(*count.low, value + 1);
    if (key == count.min && value == 0) shape->types = 0;
    if (key == count.min && value > 0) *count.high = std::min(*count.high, value - 1);
    return Status();
  }
  const bool strict = key.starts_with("exclusive");
  if (key != "minimum" && key != "maximum" && key != "exclusiveMinimum" &&
      key != "exclusiveMaximum") {
    return Refuse(limit, "the opposite of this keyword");
  }
  if (!Is(limit, Json::Kind::kNumber) ||
      (!strict && (IsTrue(json_.Find(schema, "exclusiveMinimum")) ||
                   IsTrue(json_.Find(schema, "exclusiveMaximum"))))) {
    return Refuse(limit, "the opposite of draft 4's exclusive limits");
  }
  const Decimal number = Decimal::Of(json_.text(limit));
  if (!number.exact()) return Refuse(limit, "a number of over 40 digits or beyond 1e400");
  shape->types &= Shape::kWhole | Shape::kFraction;
  NumberBounds& numbers = shape->numbers;
  // Below a least one; itself, too, where that was not in it.
  if (key.ends_with("inimum")) {
    if (!numbers.high || number < *numbers.high) numbers.below_high = !strict;
    if (numbers.high && number == *numbers.high) numbers.below_high |= !strict;
    if (!numbers.high || number < *numbers.high) numbers.high = number;
  } else {
    if (!numbers.low || *numbers.low < number) numbers.above_low = !strict;
    if (numbers.low && number == *numbers.low) numbers.above_low |= !strict;
    if (!numbers.low || *numbers.low < number) numbers.low = number;
  }
  return Status();
}

Status SchemaCompiler::GatherSchema(JsonValue node, Shape* shape) {
  if (IsReferenceAlone(node)) return Status();
  for (const std::string_view key : kRefused) {
    const JsonValue there = json_.Find(node, key);
    if (there != Json::kNone && !IsTrue(there)) return Refuse(there, "this keyword");
  }
  if (const JsonValue type = json_.Find(node, "type"); type != Json::kNone) {
    RONDO_ASSIGN(const uint8_t types, TypesOf(type));
    shape->types &= types;
  }
  for (const char* const key : {"const", "enum"}) {
    const JsonValue there = json_.Find(node, key);
    if (there == Json::kNone) continue;
    const bool is_const = key[0] == 'c';
    if (!is_const && !Is(there, Json::Kind::kArray)) return NoSchema(there, "an array of values");
    // Any will do: each value of it is asked whether all terms hold.
    if (shape->enumeration == Json::kNone || is_const) {
      shape->enumeration = there;
      shape->is_const = is_const;
    }
  }
  const auto keep = [&](const char* key, Json::Kind kind, const char* expected, auto* list,
                        size_t* n) -> Status {
    const JsonValue there = json_.Find(node, key);
    if (there == Json::kNone) return Status();
    if (expected != nullptr && !Is(there, kind)) return NoSchema(there, expected);
    if (*n == Shape::kMostOfAKind) return Refuse(there, "over 8 of this keyword at once");
    (*list)[(*n)++] = there;
    return Status();
  };
  if (shape->n_patterns < Shape::kMostOfAKind) shape->pattern_found[shape->n_patterns] = true;
  RONDO_RETURN_IF_ERROR(
      keep("pattern", Json::Kind::kString, "a pattern", &shape->patterns, &shape->n_patterns));
  RONDO_RETURN_IF_ERROR(
      keep("format", Json::Kind::kString, "a string", &shape->formats, &shape->n_formats));
  if (const JsonValue format = json_.Find(node, "format");
      Is(format, Json::Kind::kString) &&
      std::count(std::begin(kUnknownFormats), std::end(kUnknownFormats), json_.text(format)) > 0) {
    return Refuse(format, "this format");
  }
  RONDO_RETURN_IF_ERROR(
      keep("multipleOf", Json::Kind::kNumber, "a number", &shape->multiples, &shape->n_multiples));
  RONDO_RETURN_IF_ERROR(
      keep("contains", Json::Kind::kObject, nullptr, &shape->contains, &shape->n_contains));
  const auto bound = [&](const char* key, const char* exclusive, auto* limit, bool* strict,
                         bool low) -> Status {
    const JsonValue there = json_.Find(node, key), beyond = json_.Find(node, exclusive);
    const auto take = [&](JsonValue value, bool is_strict) -> Status {
      if (!Is(value, Json::Kind::kNumber)) return NoSchema(value, "a number");
      const Decimal number = Decimal::Of(json_.text(value));
      if (!number.exact()) return Refuse(value, "a number of over 40 digits or beyond 1e400");
      const bool tighter = !*limit || (low ? **limit < number : number < **limit);
      if (tighter) *strict = is_strict;
      if (!tighter && **limit == number) *strict = *strict || is_strict;
      if (tighter) *limit = number;
      return Status();
    };
    if (there != Json::kNone) RONDO_RETURN_IF_ERROR(take(there, IsTrue(beyond)));
    if (Is(beyond, Json::Kind::kNumber)) RONDO_RETURN_IF_ERROR(take(beyond, true));
    return Status();
  };
  NumberBounds& numbers = shape->numbers;
  RONDO_RETURN_IF_ERROR(
      bound("minimum", "exclusiveMinimum", &numbers.low, &numbers.above_low, true));
  RONDO_RETURN_IF_ERROR(
      bound("maximum", "exclusiveMaximum", &numbers.high, &numbers.below_high, false));
  const struct {
    const char *min, *max;
    uint32_t *low, *high;
  } counts[] = {{"minLength", "maxLength", &shape->min_length, &shape->max_length},
                {"minItems", "maxItems", &shape->min_items, &shape->max_items},
                {"minProperties", "maxProperties", &shape->min_members, &shape->max_members}};
  for (const auto& count : counts) {
    uint32_t value = 0;
    bool there = false;
    RONDO_RETURN_IF_ERROR(Number(node, count.min, &value, &there));
    if (there) *count.low = std::max(*count.low, value);
    RONDO_RETURN_IF_ERROR(Number(node, count.max, &value, &there));
    if (there) *count.high = std::min(*count.high, value);
  }
  if (const JsonValue unique = json_.Find(node, "uniqueItems"); IsTrue(unique)) {
    shape->unique = unique;
  }
  return Status();
}

}  // namespace rondo::grammar
