#include <algorithm>

#include "runtime/grammar/schema/compiler.h"

namespace rondo::grammar {
namespace {

constexpr int kMostNested = 4;

}  // namespace

// Schemas that hold wherever this one does: itself, by allOf, and by $ref.
template <typename Visit>
void SchemaCompiler::ForEachConjunct(JsonValue schema, int nested, const Visit& visit) {
  if (!Is(schema, Json::Kind::kObject) || nested > kMostNested || !budget_.Spend()) return;
  if (const JsonValue ref = json_.Find(schema, "$ref"); ref != Json::kNone) {
    ForEachConjunct(TargetOrNone(ref), nested + 1, visit);
  }
  if (IsReferenceAlone(schema)) return;
  visit(schema);
  const JsonValue all = json_.Find(schema, "allOf");
  for (JsonValue one = Is(all, Json::Kind::kArray) ? json_.first(all) : Json::kNone;
       one != Json::kNone; one = json_.next(one)) {
    ForEachConjunct(one, nested + 1, visit);
  }
}

// No two hold at once, for each asks for an object that has a member by which it is known from the
// others. What is told so needs no rule for each two of them.
bool SchemaCompiler::AreToldApart(const Terms& terms, JsonValue list) {
  if (AreDifferentTexts(list)) return true;
  bool are = false;
  ForEachConjunct(json_.first(list), 0, [&](JsonValue schema) {
    const JsonValue properties = json_.Find(schema, "properties");
    for (JsonValue p = Is(properties, Json::Kind::kObject) ? json_.first(properties) : Json::kNone;
         p != Json::kNone && !are; p = json_.next(p)) {
      are = AreToldApartBy(json_.key(p), terms, list);
    }
  });
  return are;
}

// Each is a text that no other is.
bool SchemaCompiler::AreDifferentTexts(JsonValue list) {
  List<std::string_view>& texts = room_.names;
  texts.Shrink(0);
  for (JsonValue one = json_.first(list); one != Json::kNone; one = json_.next(one)) {
    const JsonValue its = json_.Find(one, "const");
    if (IsReferenceAlone(one) || !Is(its, Json::Kind::kString)) return false;
    if (!texts.Add(json_.text(its), budget_)) return false;
  }
  return AreDifferent(texts);
}

bool SchemaCompiler::AreDifferent(List<std::string_view>& texts) {
  std::string_view* const first = &texts[0];
  std::sort(first, first + texts.size());
  return std::adjacent_find(first, first + texts.size()) == first + texts.size();
}

// In each it is one of some texts, which no other has.
bool SchemaCompiler::AreToldApartBy(std::string_view name, const Terms& terms, JsonValue list) {
  List<std::string_view>& texts = room_.names;
  texts.Shrink(0);
  bool is_object = false, is_required = false, are_texts = true;
  const auto look = [&](JsonValue schema) {
    const JsonValue type = json_.Find(schema, "type");
    is_object = is_object || (Is(type, Json::Kind::kString) && json_.text(type) == "object");
    const JsonValue required = json_.Find(schema, "required");
    for (JsonValue r = Is(required, Json::Kind::kArray) ? json_.first(required) : Json::kNone;
         r != Json::kNone; r = json_.next(r)) {
      is_required = is_required || (Is(r, Json::Kind::kString) && json_.text(r) == name);
    }
  };
  const auto add = [&](JsonValue value) {
    are_texts = are_texts && Is(value, Json::Kind::kString);
    if (are_texts) texts.Add(json_.text(value), budget_);
  };
  for (const Term& term : terms.span()) look(KeywordsOf(term));
  const bool all_are_objects = is_object, all_require = is_required;
  for (JsonValue one = json_.first(list); one != Json::kNone; one = json_.next(one)) {
    is_object = all_are_objects;
    is_required = all_require;
    const uint32_t before = texts.size();
    ForEachConjunct(one, 0, [&](JsonValue schema) {
      look(schema);
      const JsonValue member = json_.Find(json_.Find(schema, "properties"), name);
      if (member == Json::kNone || IsReferenceAlone(member)) return;
      const JsonValue its = json_.Find(member, "const"), some = json_.Find(member, "enum");
      if (its != Json::kNone) add(its);
      for (JsonValue v = Is(some, Json::Kind::kArray) ? json_.first(some) : Json::kNone;
           v != Json::kNone; v = json_.next(v)) {
        add(v);
      }
    });
    if (!is_object || !is_required || !are_texts || texts.size() == before) return false;
  }
  return budget_.ok() && AreDifferent(texts);
}

}  // namespace rondo::grammar
