#include <algorithm>
#include <utility>

#include "runtime/grammar/schema/compiler.h"

namespace rondo::grammar {
namespace {

// Keywords that offer alternatives, or that lead to another schema.

// Of which a schema can break one and say nothing else.
constexpr std::string_view kLimits[] = {
    "minimum",   "maximum",  "exclusiveMinimum", "exclusiveMaximum", "minLength",
    "maxLength", "minItems", "maxItems",         "minProperties",    "maxProperties"};

// They say something whose opposite is not known.
constexpr std::string_view kNoOpposites[] = {"oneOf",
                                             "if",
                                             "patternProperties",
                                             "additionalProperties",
                                             "propertyNames",
                                             "items",
                                             "prefixItems",
                                             "additionalItems",
                                             "contains",
                                             "minContains",
                                             "maxContains",
                                             "uniqueItems",
                                             "multipleOf",
                                             "format",
                                             "dependencies",
                                             "dependentRequired",
                                             "dependentSchemas",
                                             "$dynamicRef",
                                             "$recursiveRef",
                                             "unevaluatedProperties",
                                             "unevaluatedItems",
                                             "extends",
                                             "disallow",
                                             "divisibleBy"};

bool IsAmong(std::span<const std::string_view> list, std::string_view key) {
  return std::find(list.begin(), list.end(), key) != list.end();
}

}  // namespace

// Each conjunction is a rule.
SchemaRoom::SchemaRoom(Room& room, size_t bytes, size_t most)
    : terms(room, most * 8),
      conjunctions(room, most),
      index(room, most),
      apart(room, most),
      parts(room, bytes * 2 + most),
      walked(room, bytes / 2 + 2),
      names(room, bytes / 3 + 16),
      members(room, Productions::kMostMembers * 2) {}

void SchemaRoom::Clear() {
  terms.Shrink(0);
  conjunctions.Shrink(0);
  index.Clear();
  apart.Shrink(0);
  parts.Shrink(0);
  walked.Shrink(0);
  members.Shrink(0);
}

void Terms::Add(const Term& term) {
  for (const Term& known : span()) {
    if (known.node == term.node && known.mode == term.mode) return;
  }
  if (size_ < kMost) {
    terms_[size_++] = term;
  } else if (left_out_ == Json::kNone) {
    left_out_ = term.node;
  }
}

void Terms::Remove(size_t i) {
  std::copy(terms_.begin() + static_cast<ptrdiff_t>(i) + 1,
            terms_.begin() + static_cast<ptrdiff_t>(size_),
            terms_.begin() + static_cast<ptrdiff_t>(i));
  --size_;
}

void Terms::Sort() { std::sort(terms_.begin(), terms_.begin() + static_cast<ptrdiff_t>(size_)); }

SchemaCompiler::SchemaCompiler(const Json& json, const SchemaOptions& options, SchemaRoom& room,
                               Regexes& regexes, Productions& productions, Budget& budget,
                               bool exact)
    : json_(json),
      options_(options),
      room_(room),
      regexes_(regexes),
      productions_(productions),
      budget_(budget),
      exact_(exact),
      any_names_(!options.named_only) {
  if (options.spaces == Spaces::kFree) {
    constexpr uint32_t kMostIndented = 32;
    const auto one_of = [&](std::initializer_list<char> characters) {
      ByteSet set;
      for (const char c : characters) set.Add(static_cast<uint8_t>(c));
      return regexes.Bytes(set, budget);
    };
    const Regex line = Then(regexes.Repeat(one_of({'\r'}), 0, 1, budget), one_of({'\n'}));
    const Regex either[] = {
        Regexes::kEmpty, one_of({' '}),
        Then(line, regexes.Repeat(one_of({' ', '\t'}), 0, kMostIndented, budget))};
    space_ = regexes.Either(either, budget);
  }
  plain_character_ = OneOf({{0, CodePoints::kLast}}, Spelling::kJsonString, regexes, budget);
  ByteSet hex = ByteSet::Range('0', '9') | ByteSet::Range('a', 'f') | ByteSet::Range('A', 'F');
  ByteSet simple;
  for (const char c : std::string_view("\"\\/bfnrt")) simple.Add(static_cast<uint8_t>(c));
  // Of four digits; halves of a character of two stand in pairs, and are one.
  const auto coded = [&](const ByteSet& first, const ByteSet& second) {
    return Then(regexes.Text("\\u", budget),
                Then(regexes.Bytes(first, budget),
                     Then(regexes.Bytes(second, budget),
                          regexes.Repeat(regexes.Bytes(hex, budget), 2, 2, budget))));
  };
  ByteSet d, low_digits = ByteSet::Range('0', '7'), high, low;
  for (const char c : std::string_view("dD")) d.Add(static_cast<uint8_t>(c));
  for (const char c : std::string_view("89abAB")) high.Add(static_cast<uint8_t>(c));
  for (const char c : std::string_view("cdefCDEF")) low.Add(static_cast<uint8_t>(c));
  const ByteSet others = ByteSet::Range('0', '9') | ByteSet::Range('a', 'c') |
                         ByteSet::Range('e', 'f') | ByteSet::Range('A', 'C') |
                         ByteSet::Range('E', 'F');
  const Regex escapes[] = {Then(regexes.Text("\\", budget), regexes.Bytes(simple, budget)),
                           coded(others, hex), coded(d, low_digits),
                           Then(coded(d, high), coded(d, low))};
  const Regex escaped = regexes.Either(escapes, budget);
  const CodePoints unescaped = {
      {0x20, '"' - 1}, {'"' + 1, '\\' - 1}, {'\\' + 1, CodePoints::kLast}};
  const Regex any[] = {OneOf(unescaped, Spelling::kUtf8, regexes, budget), escaped};
  character_ = regexes.Either(any, budget);
}

Result<Production> ReadSchema(const Json& schema, const SchemaOptions& options, SchemaRoom& room,
                              Regexes& regexes, Productions& productions, Budget& budget) {
  SchemaCompiler compiler(schema, options, room, regexes, productions, budget, false);
  const Result<Production> made = compiler.Compile();
  if (!compiler.overlaps()) return made;
  room.Clear();
  const Result<Production> exact =
      SchemaCompiler(schema, options, room, regexes, productions, budget, true).Compile();
  return exact.ok() || !budget.ok() ? exact : made;
}

Result<Production> SchemaCompiler::Compile() {
  const JsonValue dialect = json_.Find(0, "$schema");
  if (Is(dialect, Json::Kind::kString)) {
    const std::string_view name = json_.text(dialect);
    refs_stand_alone_ = name.find("draft-0") != std::string_view::npos;
  }
  room_.walked.Fill(0, json_.size(), budget_);
  Terms whole;
  whole.Add({0, Term::Mode::kHolds, 0});
  RONDO_ASSIGN(const Production root, RuleOf(whole));
  for (uint32_t i = 0; i < room_.conjunctions.size() && budget_.ok(); ++i) {
    const Status status = Define(i);
    if (!budget_.ok()) return Exhausted(room_.terms[room_.conjunctions[i].first].node);
    RONDO_RETURN_IF_ERROR(status);
  }
  regexes_.MakeClasses();
  Production itself = 0;
  if (!productions_.Close(regexes_, budget_, &itself)) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "a schema refers to itself as its own value, without end");
  }
  if (!budget_.ok()) return Exhausted(0);
  for (uint32_t i = 0; i < room_.apart.size(); ++i) {
    if (!productions_.node(room_.apart[i].both).productive) continue;
    overlaps_ = true;
    return Refuse(room_.apart[i].node, "oneOf with alternatives that may hold at once");
  }
  return root;
}

Status SchemaCompiler::Refuse(JsonValue node, const char* what) const {
  char pointer[160];
  json_.Pointer(node, pointer, sizeof pointer);
  return Status::Error(StatusCode::kUnsupported, "%s: %s is not supported", pointer, what);
}

Status SchemaCompiler::NoSchema(JsonValue node, const char* what) const {
  char pointer[160];
  json_.Pointer(node, pointer, sizeof pointer);
  return Status::Error(StatusCode::kInvalidArgument, "%s: expected %s", pointer, what);
}

Status SchemaCompiler::Exhausted(JsonValue node) const {
  char pointer[160];
  json_.Pointer(node, pointer, sizeof pointer);
  char where[200];
  Format(where, sizeof where, "%s: here the grammar", pointer);
  return regexes_.Exhausted(budget_, where);
}

Status SchemaCompiler::InvalidSchema(JsonValue node, const char* why) const {
  char pointer[160];
  json_.Pointer(node, pointer, sizeof pointer);
  return Status::Error(StatusCode::kInvalidArgument, "%s: %s", pointer, why);
}

Status SchemaCompiler::RefuseParts(const Terms& terms) const {
  if (terms.left_out() == Json::kNone) return Status();
  return Refuse(terms.left_out(), "a conjunction of over 192 schemas");
}

std::string_view SchemaCompiler::NameOf(JsonValue node) const {
  const JsonValue parent = json_.parent(node);
  return Is(parent, Json::Kind::kArray) ? json_.text(node) : json_.key(node);
}

Regex SchemaCompiler::Punctuation(char mark) {
  const char text[] = {mark, ' '};
  const size_t length = options_.spaces == Spaces::kOne ? 2 : 1;
  return Then(space_, Then(regexes_.Text({text, length}, budget_), space_));
}

Result<Production> SchemaCompiler::RuleOf(Terms& terms) {
  RONDO_RETURN_IF_ERROR(RefuseParts(terms));
  terms.Sort();
  Hash hash;
  hash.Add(any_names_);
  for (const Term& term : terms.span()) {
    hash.Add(term.node).Add(static_cast<uint64_t>(term.mode)).Add(term.done);
  }
  const uint32_t known = room_.index.Number(hash.value(), [&](uint32_t at) {
    const auto& other = room_.conjunctions[at];
    const std::span<const Term> its = room_.terms.Part(other.first, other.count);
    return other.any_names == any_names_ &&
           std::equal(its.begin(), its.end(), terms.span().begin(), terms.span().end());
  });
  if (known != Index::kNone) return room_.conjunctions[known].rule;
  const uint32_t fresh = room_.conjunctions.size();
  const SchemaRoom::Conjunction made = {room_.terms.size(), static_cast<uint32_t>(terms.size()),
                                        any_names_, productions_.Rule(budget_)};
  if (!room_.terms.AddAll(terms.span(), budget_) || !room_.conjunctions.Add(made, budget_)) {
    return made.rule;
  }
  room_.index.FindOrPut(hash.value(), fresh, [](uint32_t) { return false; });
  return made.rule;
}

Production SchemaCompiler::TakeChoice(uint32_t first) {
  const Production made =
      productions_.Choice(room_.parts.Part(first, room_.parts.size() - first), budget_);
  room_.parts.Shrink(first);
  return made;
}

Production SchemaCompiler::TakeSequence(uint32_t first) {
  const Production made =
      productions_.Sequence(room_.parts.Part(first, room_.parts.size() - first), budget_);
  room_.parts.Shrink(first);
  return made;
}

Status SchemaCompiler::AddRule(Terms terms) {
  RONDO_ASSIGN(const Production rule, RuleOf(terms));
  room_.parts.Add(rule, budget_);
  return Status();
}

Terms SchemaCompiler::With(const Terms& terms, size_t i, uint8_t done, const Term& other) {
  Terms all = terms;
  if (done == 0) {
    all.Remove(i);
  } else {
    all[i].done |= done;
  }
  all.Add(other);
  return all;
}

Status SchemaCompiler::Define(uint32_t conjunction) {
  const SchemaRoom::Conjunction its = room_.conjunctions[conjunction];
  any_names_ = its.any_names;
  Terms terms;
  for (const Term& term : room_.terms.Part(its.first, its.count)) terms.Add(term);
  Production made = Productions::kNone;
  RONDO_RETURN_IF_ERROR(Expand(terms, &made));
  if (made == Productions::kNone) {
    Shape shape;
    RONDO_RETURN_IF_ERROR(Gather(terms, &shape));
    if (shape.enumeration != Json::kNone) {
      RONDO_ASSIGN(made, Literals(shape, terms));
    } else {
      const uint32_t first = room_.parts.size();
      RONDO_RETURN_IF_ERROR(AddScalars(shape, terms));
      if ((shape.types & Shape::kArray) != 0) {
        RONDO_ASSIGN(const Production array, Array(shape, terms));
        room_.parts.Add(array, budget_);
      }
      if ((shape.types & Shape::kObject) != 0) {
        RONDO_ASSIGN(const Production object, Object(shape, terms));
        room_.parts.Add(object, budget_);
      }
      made = TakeChoice(first);
    }
  }
  productions_.Define(its.rule, made);
  return Status();
}

Status SchemaCompiler::Expand(Terms& terms, Production* made) {
  for (const Term& term : terms.span()) {
    if (term.mode == Term::Mode::kHolds || term.mode == Term::Mode::kHoldsNot) {
      RONDO_RETURN_IF_ERROR(RefuseCircles(term.node));
    }
  }
  for (size_t i = 0; i < terms.size() && *made == Productions::kNone && budget_.Spend(); ++i) {
    switch (terms[i].mode) {
      case Term::Mode::kHolds:
        RONDO_RETURN_IF_ERROR(ExpandSchema(terms, i, made));
        break;
      case Term::Mode::kHoldsNot:
        RONDO_RETURN_IF_ERROR(ExpandNegation(terms, i, made));
        break;
      default:
        break;
    }
  }
  return Status();
}

Status SchemaCompiler::ExpandSchema(Terms& terms, size_t i, Production* made) {
  const JsonValue node = terms[i].node;
  const uint8_t done = terms[i].done;
  if (IsTrue(node)) return Status();
  if (IsFalse(node)) {
    *made = Productions::kNever;
    return Status();
  }
  if (!Is(node, Json::Kind::kObject)) return NoSchema(node, "a schema: an object, true or false");
  const JsonValue ref = json_.Find(node, "$ref");
  if (ref != Json::kNone && (done & Term::kRef) == 0) {
    RONDO_ASSIGN(const JsonValue target, Target(ref));
    terms[i].done |= Term::kRef;
    terms.Add({target, Term::Mode::kHolds, 0});
  }
  if (IsReferenceAlone(node)) return Status();
  if (const JsonValue all = json_.Find(node, "allOf"); all != Json::kNone) {
    if (!Is(all, Json::Kind::kArray)) return NoSchema(all, "an array of schemas");
    for (JsonValue one = json_.first(all); one != Json::kNone; one = json_.next(one)) {
      terms.Add({one, Term::Mode::kHolds, 0});
    }
  }
  if (const JsonValue inner = json_.Find(node, "not");
      inner != Json::kNone && (done & Term::kNot) == 0) {
    terms[i].done |= Term::kNot;
    terms.Add({inner, Term::Mode::kHoldsNot, 0});
  }
  // What offers alternatives, one keyword after the other.
  if (const JsonValue any = json_.Find(node, "anyOf");
      any != Json::kNone && (done & Term::kAnyOf) == 0) {
    return Alternatives(terms, i, Term::kAnyOf, any, false, made);
  }
  if (const JsonValue one = json_.Find(node, "oneOf");
      one != Json::kNone && (done & Term::kOneOf) == 0) {
    return Alternatives(terms, i, Term::kOneOf, one, true, made);
  }
  if (json_.Find(node, "if") != Json::kNone && (done & Term::kIf) == 0)
    return Conditional(terms, i, made);
  for (const char* const key : {"dependencies", "dependentRequired", "dependentSchemas"}) {
    const JsonValue dependencies = json_.Find(node, key);
    if (dependencies == Json::kNone) continue;
    if (!Is(dependencies, Json::Kind::kObject)) return NoSchema(dependencies, "an object");
    for (JsonValue d = json_.first(dependencies); d != Json::kNone; d = json_.next(d)) {
      switch (Has(terms, json_.key(d))) {
        case Answer::kNo:
          break;
        case Answer::kUnknown:
          return Dependency(terms, d, made);
        case Answer::kYes: {
          bool possible = true;
          RONDO_RETURN_IF_ERROR(Depend(d, &terms, &possible));
          if (!possible) *made = Productions::kNever;
        }
      }
    }
  }
  return Status();
}

Status SchemaCompiler::Alternatives(const Terms& terms, size_t i, uint8_t done, JsonValue list,
                                    bool one, Production* made) {
  if (!Is(list, Json::Kind::kArray) || json_.count(list) == 0) {
    return NoSchema(list, "an array of schemas");
  }
  const uint32_t first = room_.parts.size();
  one = one && !AreToldApart(terms, list);
  for (JsonValue a = json_.first(list); a != Json::kNone; a = json_.next(a)) {
    Terms all = With(terms, i, done, {a, Term::Mode::kHolds, 0});
    for (JsonValue b = json_.first(list); one && exact_ && b != Json::kNone; b = json_.next(b)) {
      if (b != a) all.Add({b, Term::Mode::kHoldsNot, 0});
    }
    RONDO_RETURN_IF_ERROR(AddRule(all));
    if (!one || exact_) continue;
    // What both say is asked of all texts, not only of those that may be written.
    const bool any_names = std::exchange(any_names_, true);
    for (JsonValue b = json_.next(a); b != Json::kNone; b = json_.next(b)) {
      Terms both = With(terms, i, done, {a, Term::Mode::kHolds, 0});
      both.Add({b, Term::Mode::kHolds, 0});
      RONDO_ASSIGN(const Production rule, RuleOf(both));
      room_.apart.Add({rule, list}, budget_);
    }
    any_names_ = any_names;
  }
  *made = TakeChoice(first);
  return Status();
}

// if and then, or not if and else.
Status SchemaCompiler::Conditional(const Terms& terms, size_t i, Production* made) {
  const JsonValue node = terms[i].node;
  const JsonValue condition = json_.Find(node, "if");
  const uint32_t first = room_.parts.size();
  for (const bool holds : {true, false}) {
    Terms all = With(terms, i, Term::kIf,
                     {condition, holds ? Term::Mode::kHolds : Term::Mode::kHoldsNot, 0});
    const JsonValue then = json_.Find(node, holds ? "then" : "else");
    if (then != Json::kNone) all.Add({then, Term::Mode::kHolds, 0});
    RONDO_RETURN_IF_ERROR(AddRule(all));
  }
  *made = TakeChoice(first);
  return Status();
}

// Whether it is an object with the member, where it is one.
SchemaCompiler::Answer SchemaCompiler::Has(const Terms& terms, std::string_view name) const {
  Answer answer = Answer::kUnknown;
  for (const Term& term : terms.span()) {
    const bool lacks = term.mode == Term::Mode::kLacks || term.mode == Term::Mode::kMayLack;
    if (lacks && NameOf(term.node) == name) return Answer::kNo;
    const bool has = term.mode == Term::Mode::kHas || term.mode == Term::Mode::kHasNot;
    if (has && NameOf(term.node) == name) answer = Answer::kYes;
  }
  return answer;
}

// Adds what the member asks for, which is there; not possible where that cannot be.
Status SchemaCompiler::Depend(JsonValue dependency, Terms* terms, bool* possible) {
  if (!Is(dependency, Json::Kind::kArray)) {
    terms->Add({dependency, Term::Mode::kHolds, 0});
    return Status();
  }
  for (JsonValue name = json_.first(dependency); name != Json::kNone; name = json_.next(name)) {
    if (!Is(name, Json::Kind::kString)) return NoSchema(name, "the name of a member");
    const Answer has = Has(*terms, json_.text(name));
    *possible = *possible && has != Answer::kNo;
    if (has == Answer::kUnknown) terms->Add({name, Term::Mode::kHas, 0});
  }
  return Status();
}

// Without the member, or with it and what it asks for.
Status SchemaCompiler::Dependency(const Terms& terms, JsonValue dependency, Production* made) {
  const uint32_t first = room_.parts.size();
  Terms without = terms;
  without.Add({dependency, Term::Mode::kMayLack, 0});
  RONDO_RETURN_IF_ERROR(AddRule(without));
  Terms with = terms;
  with.Add({dependency, Term::Mode::kHas, 0});
  bool possible = true;
  RONDO_RETURN_IF_ERROR(Depend(dependency, &with, &possible));
  if (possible) RONDO_RETURN_IF_ERROR(AddRule(with));
  *made = TakeChoice(first);
  return Status();
}

// A schema does not hold where one of its keywords does not.
Status SchemaCompiler::ExpandNegation(Terms& terms, size_t i, Production* made) {
  const JsonValue node = terms[i].node;
  const uint32_t first = room_.parts.size();
  if (IsFalse(node)) return Status();
  if (IsTrue(node)) {
    *made = Productions::kNever;
    return Status();
  }
  if (!Is(node, Json::Kind::kObject)) return NoSchema(node, "a schema: an object, true or false");
  const auto offer = [&](JsonValue part, Term::Mode mode) {
    return AddRule(With(terms, i, 0, {part, mode, 0}));
  };
  const bool alone = IsReferenceAlone(node);
  for (JsonValue part = json_.first(node); part != Json::kNone; part = json_.next(part)) {
    const std::string_view key = json_.key(part);
    if (alone && key != "$ref") continue;
    if (key == "type") {
      RONDO_RETURN_IF_ERROR(offer(part, Term::Mode::kNotType));
    } else if (key == "const" || key == "enum") {
      RONDO_RETURN_IF_ERROR(offer(part, Term::Mode::kNoneOf));
    } else if (key == "pattern") {
      RONDO_RETURN_IF_ERROR(offer(part, Term::Mode::kNotPattern));
    } else if (IsAmong(kLimits, key)) {
      RONDO_RETURN_IF_ERROR(offer(part, Term::Mode::kBeyond));
    } else if (key == "not") {
      RONDO_RETURN_IF_ERROR(offer(part, Term::Mode::kHolds));
    } else if (key == "$ref") {
      RONDO_ASSIGN(const JsonValue target, Target(part));
      RONDO_RETURN_IF_ERROR(offer(target, Term::Mode::kHoldsNot));
    } else if (key == "required" || key == "allOf") {
      for (JsonValue one = json_.first(part); one != Json::kNone; one = json_.next(one)) {
        RONDO_RETURN_IF_ERROR(
            offer(one, key == "allOf" ? Term::Mode::kHoldsNot : Term::Mode::kLacks));
      }
    } else if (key == "properties") {
      for (JsonValue one = json_.first(part); one != Json::kNone; one = json_.next(one)) {
        RONDO_RETURN_IF_ERROR(offer(one, Term::Mode::kHasNot));
      }
    } else if (key == "anyOf") {
      Terms none = terms;
      none.Remove(i);
      for (JsonValue one = json_.first(part); one != Json::kNone; one = json_.next(one)) {
        none.Add({one, Term::Mode::kHoldsNot, 0});
      }
      RONDO_RETURN_IF_ERROR(AddRule(none));
    } else if (IsAmong(kNoOpposites, key)) {
      return Refuse(part, "the opposite of this keyword");
    }
  }
  *made = TakeChoice(first);
  return Status();
}

}  // namespace rondo::grammar
