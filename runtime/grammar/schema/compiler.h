// What the sources in this folder share.
#pragma once

#include <array>

#include "runtime/grammar/code_points.h"
#include "runtime/grammar/numbers.h"
#include "runtime/grammar/schema/schema.h"

namespace rondo::grammar {

// Some terms, each once.
class Terms {
 public:
  static constexpr size_t kMost = 192;

  // One whose node and mode are known is that one, whatever is done of it: for that others of the
  // terms stand, and none stands for itself (RefuseCircles). One that does not fit is left out, for
  // good: no rule is made of such terms.
  void Add(const Term& term);
  void Remove(size_t i);
  void Sort();
  size_t size() const { return size_; }
  Term& operator[](size_t i) { return terms_[i]; }
  const Term& operator[](size_t i) const { return terms_[i]; }
  std::span<const Term> span() const { return {terms_.data(), size_}; }
  // The first that was left out; kNone where they are whole.
  JsonValue left_out() const { return left_out_; }

 private:
  std::array<Term, kMost> terms_;
  size_t size_ = 0;
  JsonValue left_out_ = Json::kNone;
};

// What a conjunction says of a value that is no enum's, type by type.
struct Shape {
  enum Type : uint8_t {
    kNull = 1,
    kBoolean = 2,
    kWhole = 4,
    kFraction = 8,
    kString = 16,
    kArray = 32,
    kObject = 64,
    kAny = 127
  };
  static constexpr uint32_t kNoLimit = Regexes::kNoLimit;
  static constexpr size_t kMostOfAKind = 8;

  uint8_t types = kAny;
  JsonValue enumeration = Json::kNone;  // an array, or a const
  bool is_const = false;
  NumberBounds numbers;
  std::array<JsonValue, kMostOfAKind> multiples, patterns, formats, contains;
  std::array<bool, kMostOfAKind> pattern_found = {};
  size_t n_multiples = 0, n_patterns = 0, n_formats = 0, n_contains = 0;
  uint32_t min_length = 0, max_length = kNoLimit;
  uint32_t min_items = 0, max_items = kNoLimit;
  uint32_t min_members = 0, max_members = kNoLimit;
  JsonValue unique = Json::kNone;  // where items must differ
};

class SchemaCompiler {
 public:
  SchemaCompiler(const Json& json, const SchemaOptions& options, SchemaRoom& room, Regexes& regexes,
                 Productions& productions, Budget& budget, bool exact);

  Result<Production> Compile();
  // It would be another with `exact`.
  bool overlaps() const { return overlaps_; }

 private:
  enum class Answer : uint8_t { kNo, kYes, kUnknown };

  // ---- conjunctions.cc: what is asked of a value, and what follows from that
  // The rule for the terms, which it sorts; new ones are defined later.
  Result<Production> RuleOf(Terms& terms);
  Status RefuseParts(const Terms& terms) const;  // where some were left out
  Status Define(uint32_t conjunction);
  // Adds what follows from the terms, until a keyword offers alternatives: then *made is the
  // choice.
  Status Expand(Terms& terms, Production* made);
  Status ExpandSchema(Terms& terms, size_t i, Production* made);
  Status ExpandNegation(Terms& terms, size_t i, Production* made);
  Status Alternatives(const Terms& terms, size_t i, uint8_t done, JsonValue list, bool one,
                      Production* made);
  Status Conditional(const Terms& terms, size_t i, Production* made);
  Status Dependency(const Terms& terms, JsonValue dependency, Production* made);
  Status Depend(JsonValue dependency, Terms* terms, bool* possible);
  Answer Has(const Terms& terms, std::string_view name) const;
  // The choice of what was put into room_.parts from `first` on.
  Production TakeChoice(uint32_t first);
  Production TakeSequence(uint32_t first);
  Status AddRule(Terms terms);
  // Terms without number i, with that keyword done, and with another one.
  static Terms With(const Terms& terms, size_t i, uint8_t done, const Term& other);

  // ---- shapes.cc
  Status Gather(const Terms& terms, Shape* shape);
  Status GatherSchema(JsonValue node, Shape* shape);
  Status GoBeyond(JsonValue limit, Shape* shape);
  Status Number(JsonValue schema, const char* key, uint32_t* value, bool* there);
  Result<uint8_t> TypesOf(JsonValue node);

  // ---- scalars.cc
  Status AddScalars(const Shape& shape, const Terms& terms);  // to room_.parts
  Result<Regex> NumberRegex(const Shape& shape, const Terms& terms);
  Result<Regex> StringRegex(const Shape& shape, const Terms& terms);
  Result<Regex> BodyRegex(const Shape& shape, const Terms& terms);  // between quotation marks
  Result<Regex> Pattern(JsonValue node);
  Result<Production> Literals(const Shape& shape, const Terms& terms);
  Result<Production> Literal(JsonValue value, int nested);
  Regex ScalarLiteral(JsonValue value);
  // As it stands between quotation marks, with what stands behind it.
  Regex StringLiteral(std::string_view text, Regex behind = Regexes::kEmpty);

  // ---- arrays.cc, objects.cc
  Result<Production> Array(const Shape& shape, const Terms& terms);
  Result<Production> Object(const Shape& shape, const Terms& terms);
  void ItemTerms(const Terms& terms, uint32_t index, Terms* items, bool* listed);
  Status Declare(const Terms& terms);
  // Of what Declare found.
  bool HasNamedOnly(const Terms& terms) const;
  Status AddDeclared(const Terms& terms, Regex allowed, bool* possible);
  Status MemberTerms(const Terms& terms, std::string_view name, Terms* member, bool* required,
                     bool* forbidden);
  Status AddMember(Regex name, Terms& value, bool required);
  Status AddOthers(const Terms& terms, Regex declared, bool named_only, bool* more);
  Result<Regex> PropertyNames(const Terms& terms);

  // ---- validity.cc: of values that stand in the schema
  Answer Satisfies(JsonValue value, const Term& term, int nested);
  // But for what is `done` of the schema.
  Answer SatisfiesSchema(JsonValue value, JsonValue schema, int nested, uint8_t done = 0);
  Answer SatisfiesAll(JsonValue value, const Terms& terms);
  Answer SatisfiesKeyword(JsonValue value, JsonValue part);
  Answer IsFound(std::string_view pattern, std::string_view text);
  uint8_t TypeOf(JsonValue value) const;
  static Answer And(Answer a, Answer b);
  static Answer Not(Answer a);

  // ---- apart.cc: alternatives of which at most one holds
  bool AreToldApart(const Terms& terms, JsonValue list);
  bool AreToldApartBy(std::string_view name, const Terms& terms, JsonValue list);
  bool AreDifferentTexts(JsonValue list);
  static bool AreDifferent(List<std::string_view>& texts);
  template <typename Visit>
  void ForEachConjunct(JsonValue schema, int nested, const Visit& visit);

  // ---- references.cc
  Result<JsonValue> Target(JsonValue ref);
  JsonValue TargetOrNone(JsonValue ref);
  // Error: it leads to itself by what it says of the same value.
  Status RefuseCircles(JsonValue schema);
  template <typename Visit>
  void ForEachOfTheSameValue(JsonValue schema, const Visit& visit);

  Status Refuse(JsonValue node, const char* what) const;    // kUnsupported
  Status NoSchema(JsonValue node, const char* what) const;  // kInvalidArgument
  Status InvalidSchema(JsonValue node, const char* why) const;
  Status Exhausted(JsonValue node) const;  // where the budget ran out
  bool Is(JsonValue node, Json::Kind kind) const {
    return node != Json::kNone && json_.kind(node) == kind;
  }
  bool IsTrue(JsonValue node) const { return Is(node, Json::Kind::kTrue); }
  bool IsFalse(JsonValue node) const { return Is(node, Json::Kind::kFalse); }
  std::string_view NameOf(JsonValue node) const;
  // What stands beside its $ref says nothing.
  bool IsReferenceAlone(JsonValue schema) const {
    return refs_stand_alone_ && json_.Find(schema, "$ref") != Json::kNone;
  }
  // The schema that a term says to hold, as an object whose keywords count; kNone where it says
  // other things.
  JsonValue KeywordsOf(const Term& term) const {
    const bool is_schema = term.mode == Term::Mode::kHolds && Is(term.node, Json::Kind::kObject);
    return is_schema && !IsReferenceAlone(term.node) ? term.node : Json::kNone;
  }
  // Calls visit(value) for each value that must not be.
  template <typename Visit>
  void ForEachExcluded(const Terms& terms, const Visit& visit) const {
    for (const Term& term : terms.span()) {
      if (term.mode != Term::Mode::kNoneOf) continue;
      const bool is_list = json_.key(term.node) == "enum" && Is(term.node, Json::Kind::kArray);
      for (JsonValue value = is_list ? json_.first(term.node) : term.node; value != Json::kNone;
           value = is_list ? json_.next(value) : Json::kNone) {
        visit(value);
      }
    }
  }
  Regex Then(Regex a, Regex b) { return regexes_.Then(a, b, budget_); }
  Regex Punctuation(char mark);  // with its spaces
  Production Terminal(Regex regex) { return productions_.Terminal(regex, budget_); }

  const Json& json_;
  const SchemaOptions& options_;
  SchemaRoom& room_;
  Regexes& regexes_;
  Productions& productions_;
  Budget& budget_;
  Regex space_ = Regexes::kEmpty;
  Regex character_ = Regexes::kEmpty;        // of a string, in any of its spellings
  Regex plain_character_ = Regexes::kEmpty;  // in the one of Spelling::kJsonString
  JsonValue enumeration_ = Json::kNone;      // whose values are asked whether all terms hold
  // Of a oneOf's alternatives one holds and each other one does not; else, which takes less, they
  // must not hold at once.
  const bool exact_;
  bool overlaps_ = false;
  // Of the conjunction that is being defined, and those that it asks for.
  bool any_names_;
  bool refs_stand_alone_ = false;  // of draft 7 and before
};

// The texts of a format of JSON Schema's as they stand in a string; kNever where it is not known.
Regex FormatRegex(std::string_view format, Regexes& regexes, Budget& budget);

}  // namespace rondo::grammar
