#include <algorithm>
#include <array>

#include "runtime/grammar/pattern.h"
#include "runtime/grammar/schema/compiler.h"

namespace rondo::grammar {
namespace {

constexpr size_t kMostPatterns = 5;  // of names at once: there are members of each choice of them

}  // namespace

// What the member `name` must be.
Status SchemaCompiler::MemberTerms(const Terms& terms, std::string_view name, Terms* member,
                                   bool* required, bool* forbidden) {
  for (const Term& term : terms.span()) {
    switch (term.mode) {
      case Term::Mode::kHas:
        *required = *required || NameOf(term.node) == name;
        break;
      case Term::Mode::kLacks:
      case Term::Mode::kMayLack:
        *forbidden = *forbidden || NameOf(term.node) == name;
        break;
      case Term::Mode::kHasNot:
        if (NameOf(term.node) != name) break;
        *required = true;
        member->Add({term.node, Term::Mode::kHoldsNot, 0});
        break;
      default:
        break;
    }
    if (KeywordsOf(term) == Json::kNone) continue;
    bool listed = false;
    if (const JsonValue its = json_.Find(json_.Find(term.node, "properties"), name);
        its != Json::kNone) {
      listed = true;
      member->Add({its, Term::Mode::kHolds, 0});
    }
    const JsonValue patterns = json_.Find(term.node, "patternProperties");
    for (JsonValue p = Is(patterns, Json::Kind::kObject) ? json_.first(patterns) : Json::kNone;
         p != Json::kNone; p = json_.next(p)) {
      const Result<Regex> regex =
          ReadPattern(json_.key(p), false, Spelling::kUtf8, regexes_, budget_);
      if (!regex.ok()) return Refuse(p, regex.status().message());
      if (!regexes_.Matches(*regex, name, budget_)) continue;
      listed = true;
      member->Add({p, Term::Mode::kHolds, 0});
    }
    const JsonValue others = json_.Find(term.node, "additionalProperties");
    if (!listed && others != Json::kNone) member->Add({others, Term::Mode::kHolds, 0});
    if (const JsonValue names = json_.Find(term.node, "required"); Is(names, Json::Kind::kArray)) {
      for (JsonValue one = json_.first(names); one != Json::kNone; one = json_.next(one)) {
        *required = *required || json_.text(one) == name;
      }
    }
  }
  return Status();
}

// `name`: between quotation marks.
Status SchemaCompiler::AddMember(Regex name, Terms& value, bool required) {
  RONDO_ASSIGN(const Production rule, RuleOf(value));
  const Regex mark = regexes_.Text("\"", budget_);
  const Regex before = Then(mark, Then(name, Then(mark, Punctuation(':'))));
  const Production first[] = {Terminal(before), rule};
  const Production later[] = {Terminal(Then(Punctuation(','), before)), rule};
  const Productions::Member member = {productions_.Sequence(first, budget_),
                                      productions_.Sequence(later, budget_), required};
  room_.members.Add(member, budget_);
  return Status();
}

// The names that propertyNames lets through; kAll where nothing is said.
Result<Regex> SchemaCompiler::PropertyNames(const Terms& terms) {
  Regex all = Regexes::kAll;
  for (const Term& term : terms.span()) {
    if (KeywordsOf(term) == Json::kNone) continue;
    const JsonValue names = json_.Find(term.node, "propertyNames");
    if (names == Json::kNone || IsTrue(names)) continue;
    if (IsFalse(names)) return Regexes::kNever;
    Terms its;
    its.Add({names, Term::Mode::kHolds, 0});
    Production made = Productions::kNone;
    RONDO_RETURN_IF_ERROR(Expand(its, &made));
    if (made != Productions::kNone) return Refuse(names, "alternatives of names");
    Shape shape;
    RONDO_RETURN_IF_ERROR(Gather(its, &shape));
    Regex regex = Regexes::kNever;
    if (shape.enumeration != Json::kNone) {
      const uint32_t first = room_.parts.size();
      for (JsonValue v = shape.is_const ? shape.enumeration : json_.first(shape.enumeration);
           v != Json::kNone; v = shape.is_const ? Json::kNone : json_.next(v)) {
        if (!Is(v, Json::Kind::kString)) continue;
        enumeration_ = shape.enumeration;
        const Answer answer = SatisfiesAll(v, its);
        if (answer == Answer::kUnknown) return Refuse(v, "a name beside such keywords");
        if (answer == Answer::kYes) room_.parts.Add(StringLiteral(json_.text(v)), budget_);
      }
      regex = regexes_.Either(room_.parts.Part(first, room_.parts.size() - first), budget_);
      room_.parts.Shrink(first);
    } else if ((shape.types & Shape::kString) != 0) {
      RONDO_ASSIGN(regex, BodyRegex(shape, its));
    }
    const Regex both[] = {all, regex};
    all = regexes_.Both(both, budget_);
  }
  return all;
}

// Members that are not declared: for each choice of the patterns that a name has, and has not; with
// `named_only` a pattern names what has it. All of them are one member, which may come again.
Status SchemaCompiler::AddOthers(const Terms& terms, Regex declared, bool named_only, bool* more) {
  struct Named {
    size_t term;
    JsonValue node;
    Regex regex;
  };
  std::array<Named, kMostPatterns> patterns;
  size_t n = 0;
  for (size_t i = 0; i < terms.size(); ++i) {
    if (KeywordsOf(terms[i]) == Json::kNone) continue;
    const JsonValue its = json_.Find(terms[i].node, "patternProperties");
    for (JsonValue p = Is(its, Json::Kind::kObject) ? json_.first(its) : Json::kNone;
         p != Json::kNone; p = json_.next(p)) {
      if (n == kMostPatterns) return Refuse(its, "over 5 patterns of names at once");
      const Result<Regex> regex =
          ReadPattern(json_.key(p), false, Spelling::kJsonString, regexes_, budget_);
      if (!regex.ok()) return Refuse(p, regex.status().message());
      patterns[n++] = {i, p, *regex};
    }
  }
  RONDO_ASSIGN(const Regex allowed, PropertyNames(terms));
  const uint32_t first = room_.members.size();
  for (uint32_t has = named_only ? 1 : 0; has < 1u << n; ++has) {
    std::array<Regex, kMostPatterns + 3> name = {
        regexes_.Repeat(plain_character_, 0, Regexes::kNoLimit, budget_),
        regexes_.Not(declared, budget_), allowed};
    size_t parts = 3;
    Terms value;
    for (size_t i = 0; i < n; ++i) {
      const bool here = (has >> i & 1) != 0;
      name[parts++] = here ? patterns[i].regex : regexes_.Not(patterns[i].regex, budget_);
      if (here) value.Add({patterns[i].node, Term::Mode::kHolds, 0});
    }
    for (size_t t = 0; t < terms.size(); ++t) {
      if (KeywordsOf(terms[t]) == Json::kNone) continue;
      bool listed = false;
      for (size_t i = 0; i < n; ++i) {
        listed = listed || (patterns[i].term == t && (has >> i & 1) != 0);
      }
      const JsonValue others = json_.Find(terms[t].node, "additionalProperties");
      if (!listed && others != Json::kNone) value.Add({others, Term::Mode::kHolds, 0});
    }
    bool never = false;
    for (const Term& term : value.span()) never = never || IsFalse(term.node);
    if (never) continue;
    const Regex regex = regexes_.Both({name.data(), parts}, budget_);
    if (regexes_.IsNever(regex, budget_)) continue;
    RONDO_RETURN_IF_ERROR(AddMember(regex, value, false));
  }
  const uint32_t count = room_.members.size() - first;
  *more = count > 0;
  if (count > 1) {
    const uint32_t begin = room_.parts.size();
    for (uint32_t i = 0; i < count; ++i) room_.parts.Add(room_.members[first + i].first, budget_);
    const Production one = TakeChoice(begin);
    for (uint32_t i = 0; i < count; ++i) room_.parts.Add(room_.members[first + i].later, budget_);
    const Production later = TakeChoice(begin);
    room_.members.Shrink(first);
    room_.members.Add({one, later, false}, budget_);
  }
  return Status();
}

// To room_.names: those of properties first, so that members come in the schema's order.
Status SchemaCompiler::Declare(const Terms& terms) {
  room_.names.Shrink(0);
  const auto declare = [&](std::string_view name) {
    for (uint32_t i = 0; i < room_.names.size(); ++i) {
      if (room_.names[i] == name) return;
    }
    room_.names.Add(name, budget_);
  };
  for (const Term& term : terms.span()) {
    const JsonValue properties = json_.Find(KeywordsOf(term), "properties");
    if (properties == Json::kNone) continue;
    if (!Is(properties, Json::Kind::kObject)) return NoSchema(properties, "an object of schemas");
    for (JsonValue p = json_.first(properties); p != Json::kNone; p = json_.next(p)) {
      declare(json_.key(p));
    }
  }
  for (const Term& term : terms.span()) {
    if (term.mode == Term::Mode::kHas || term.mode == Term::Mode::kLacks ||
        term.mode == Term::Mode::kMayLack || term.mode == Term::Mode::kHasNot) {
      declare(NameOf(term.node));
    }
    const JsonValue required = json_.Find(KeywordsOf(term), "required");
    if (!Is(required, Json::Kind::kArray)) continue;  // draft 3 has it as a boolean
    for (JsonValue one = json_.first(required); one != Json::kNone; one = json_.next(one)) {
      if (!Is(one, Json::Kind::kString)) return NoSchema(one, "the name of a member");
      declare(json_.text(one));
    }
  }
  return room_.names.size() <= Productions::kMostMembers
             ? Status()
             : Refuse(terms[0].node, "an object of over 1,024 members");
}

// Members are named, if none, and nothing is said of others.
bool SchemaCompiler::HasNamedOnly(const Terms& terms) const {
  if (any_names_) return false;
  bool names = room_.names.size() > 0;
  for (const Term& term : terms.span()) {
    const JsonValue node = KeywordsOf(term);
    for (const char* const key : {"additionalProperties", "unevaluatedProperties"}) {
      if (json_.Find(node, key) != Json::kNone) return false;
    }
    const JsonValue patterns = json_.Find(node, "patternProperties");
    names = names || json_.Find(node, "properties") != Json::kNone ||
            (patterns != Json::kNone && json_.count(patterns) > 0);
  }
  return names;
}

// To room_.members, and what they are named to room_.parts; *possible: no required one is
// forbidden.
Status SchemaCompiler::AddDeclared(const Terms& terms, Regex allowed, bool* possible) {
  for (uint32_t i = 0; i < room_.names.size() && budget_.ok(); ++i) {
    const Regex name = StringLiteral(room_.names[i]);
    room_.parts.Add(name, budget_);
    Terms value;
    bool required = false, forbidden = false;
    RONDO_RETURN_IF_ERROR(MemberTerms(terms, room_.names[i], &value, &required, &forbidden));
    for (const Term& term : value.span()) {
      forbidden = forbidden || (term.mode == Term::Mode::kHolds && IsFalse(term.node));
    }
    const Regex both[] = {name, allowed};
    forbidden = forbidden || regexes_.IsNever(regexes_.Both(both, budget_), budget_);
    *possible = *possible && !(forbidden && required);
    if (!forbidden) RONDO_RETURN_IF_ERROR(AddMember(name, value, required));
  }
  return Status();
}

Result<Production> SchemaCompiler::Object(const Shape& shape, const Terms& terms) {
  constexpr uint32_t kMostCounted = 60000;
  JsonValue excluded = Json::kNone;
  ForEachExcluded(terms, [&](JsonValue value) {
    if (Is(value, Json::Kind::kObject)) excluded = value;
  });
  if (excluded != Json::kNone) return Refuse(excluded, "an object that must not be");
  Productions::Members members = {};
  members.min = shape.min_members;
  members.max = shape.max_members;
  members.any_order = options_.any_order;
  if (members.min > kMostCounted ||
      (members.max != Shape::kNoLimit && members.max > kMostCounted)) {
    return Refuse(terms[0].node, "a limit of over 60000 members");
  }
  RONDO_ASSIGN(const Regex allowed, PropertyNames(terms));
  RONDO_RETURN_IF_ERROR(Declare(terms));
  const uint32_t first_name = room_.parts.size();
  bool possible = true;
  RONDO_RETURN_IF_ERROR(AddDeclared(terms, allowed, &possible));
  const Regex declared =
      regexes_.Either(room_.parts.Part(first_name, room_.parts.size() - first_name), budget_);
  room_.parts.Shrink(first_name);
  const std::span<const Productions::Member> named = room_.members.Part(0, room_.members.size());
  const auto required =
      std::count_if(named.begin(), named.end(), [](const auto& member) { return member.required; });
  const bool named_only = HasNamedOnly(terms);
  RONDO_RETURN_IF_ERROR(AddOthers(terms, declared, named_only, &members.more));
  if (named_only && !members.more && room_.members.size() < members.min) {  // they do not suffice
    RONDO_RETURN_IF_ERROR(AddOthers(terms, declared, false, &members.more));
  }
  // Of names that are not declared one may come twice, and who reads the text then has one of them.
  if (members.more && members.min > static_cast<uint32_t>(required) + 1) {
    return Refuse(terms[0].node, "minProperties beyond the required ones, with names of any kind,");
  }
  const Production all =
      possible
          ? productions_.MembersOf(members, room_.members.Part(0, room_.members.size()), budget_)
          : Productions::kNever;
  room_.members.Shrink(0);
  const Production parts[] = {Terminal(Then(regexes_.Text("{", budget_), space_)), all,
                              Terminal(Then(space_, regexes_.Text("}", budget_)))};
  return productions_.Sequence(parts, budget_);
}

}  // namespace rondo::grammar
