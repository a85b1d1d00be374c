#include <algorithm>

#include "runtime/grammar/schema/compiler.h"

namespace rondo::grammar {

// What item number `index` must be; *listed: some schema says it of this item alone.
void SchemaCompiler::ItemTerms(const Terms& terms, uint32_t index, Terms* items, bool* listed) {
  for (const Term& term : terms.span()) {
    if (KeywordsOf(term) == Json::kNone) continue;
    const JsonValue all = json_.Find(term.node, "items");
    const bool old = Is(all, Json::Kind::kArray);
    const JsonValue list = old ? all : json_.Find(term.node, "prefixItems");
    JsonValue one = Json::kNone;
    if (Is(list, Json::Kind::kArray)) {
      one = json_.first(list);
      for (uint32_t i = 0; i < index && one != Json::kNone; ++i) one = json_.next(one);
      *listed = *listed || index < json_.count(list);
    }
    if (one == Json::kNone) one = old ? json_.Find(term.node, "additionalItems") : all;
    if (one != Json::kNone) items->Add({one, Term::Mode::kHolds, 0});
  }
}

Result<Production> SchemaCompiler::Array(const Shape& shape, const Terms& terms) {
  constexpr uint32_t kMostListed = 256;
  JsonValue excluded = Json::kNone;
  ForEachExcluded(terms, [&](JsonValue value) {
    if (Is(value, Json::Kind::kArray)) excluded = value;
  });
  if (excluded != Json::kNone) return Refuse(excluded, "an array that must not be");
  uint32_t listed = 0;
  for (bool more = true; more && listed <= kMostListed;) {
    Terms items;
    more = false;
    ItemTerms(terms, listed, &items, &more);
    listed += more;
  }
  if (listed > kMostListed) return Refuse(terms[0].node, "items listed one by one over 256 times");
  Terms rest_terms;
  bool unused = false;
  ItemTerms(terms, listed, &rest_terms, &unused);
  RONDO_ASSIGN(const Production rest, RuleOf(rest_terms));
  const uint32_t min = shape.min_items, max = shape.max_items;
  if (min > max) return Productions::kNever;
  if (shape.unique != Json::kNone && max > 1) return Refuse(shape.unique, "uniqueItems");
  const Production comma = Terminal(Punctuation(','));
  const auto sequence = [&](std::initializer_list<Production> parts) {
    return productions_.Sequence({parts.begin(), parts.size()}, budget_);
  };
  const auto choice = [&](Production a, Production b) {
    const Production both[] = {a, b};
    return productions_.Choice(both, budget_);
  };
  Production inside;
  if (shape.n_contains > 0) {
    // Some item is also what `contains` says: any before it and behind it.
    if (shape.n_contains > 1 || min > 1 || max != Shape::kNoLimit || listed > 0) {
      return Refuse(shape.contains[0], "contains beside other limits of items");
    }
    Terms one = rest_terms;
    one.Add({shape.contains[0], Term::Mode::kHolds, 0});
    RONDO_ASSIGN(const Production wanted, RuleOf(one));
    inside =
        sequence({productions_.Repeat(sequence({rest, comma}), 0, Shape::kNoLimit, budget_), wanted,
                  productions_.Repeat(sequence({comma, rest}), 0, Shape::kNoLimit, budget_)});
  } else {
    // From the last listed item to the first: what may stand from it on, behind another one.
    const uint32_t more_max = max == Shape::kNoLimit ? max : max > listed ? max - listed : 0;
    const uint32_t more_min = min > listed ? min - listed : 0;
    if (listed == 0) {
      const uint32_t tail_max = more_max == Shape::kNoLimit ? more_max : more_max - (more_max > 0);
      const Production tail = productions_.Repeat(sequence({comma, rest}),
                                                  more_min - (more_min > 0), tail_max, budget_);
      inside = max == 0 ? Productions::kEmpty : sequence({rest, tail});
      if (min == 0) inside = choice(inside, Productions::kEmpty);
    } else {
      inside = productions_.Repeat(sequence({comma, rest}), more_min, more_max, budget_);
      for (uint32_t i = listed; i > 0; --i) {
        Terms items;
        ItemTerms(terms, i - 1, &items, &unused);
        RONDO_ASSIGN(const Production item, RuleOf(items));
        Production from = i == 1 ? sequence({item, inside}) : sequence({comma, item, inside});
        if (i > max) from = Productions::kEmpty;
        inside = i > min ? choice(from, Productions::kEmpty) : from;
      }
    }
  }
  return sequence({Terminal(Then(regexes_.Text("[", budget_), space_)), inside,
                   Terminal(Then(space_, regexes_.Text("]", budget_)))});
}

}  // namespace rondo::grammar
