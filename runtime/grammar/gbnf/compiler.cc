#include <algorithm>

#include "runtime/grammar/gbnf/reader.h"

namespace rondo::grammar {

Result<Production> ReadGbnf(std::string_view text, const SchemaOptions& options,
                            const TokenTrie& trie, GbnfRoom& room, Regexes& regexes,
                            Productions& productions, Budget& budget) {
  GbnfReader reader(text, options, trie, room, regexes, productions, budget);
  RONDO_RETURN_IF_ERROR(reader.Read());
  return GbnfCompiler(reader, room, regexes, productions, budget).Compile();
}

// Rules in the order in which they are needed: those that a rule names are made before it, but for
// those that name it.
Result<Production> GbnfCompiler::Compile() {
  uint32_t root = 0;
  while (root < room_.rules.size() && room_.rules[root].name != "root") ++root;
  if (root == room_.rules.size()) {
    return Status::Error(StatusCode::kInvalidArgument, "the grammar has no rule named root");
  }
  const auto open = [&](uint32_t rule) {
    room_.rules[rule].is = GbnfRule::Is::kOpen;
    room_.walks.Add({rule, 0}, budget_);
  };
  open(root);
  while (room_.walks.size() > 0) {
    GbnfRoom::Walk& walk = room_.walks[room_.walks.size() - 1];
    GbnfRule& rule = room_.rules[walk.rule];
    if (walk.step < rule.n_steps) {
      const GbnfStep& step = room_.steps[rule.first_step + walk.step++];
      const bool is_new =
          step.kind == GbnfStep::Kind::kRule && room_.rules[step.a].is == GbnfRule::Is::kNamed;
      if (is_new) open(step.a);
      continue;
    }
    Make(rule);
    if (!budget_.ok()) return reader_.Exhausted(rule.begins_at);
    room_.walks.Shrink(room_.walks.size() - 1);
  }
  const Production made = ProductionOf(ValueOf(room_.rules[root]));
  regexes_.MakeClasses();
  Production itself = 0;
  if (!productions_.Close(regexes_, budget_, &itself)) {
    uint32_t number = 0;
    while (room_.rules[number].production != itself && number + 1 < room_.rules.size()) ++number;
    const GbnfRule& rule = room_.rules[number];
    return reader_.At(rule.begins_at, StatusCode::kInvalidArgument,
                      "the rule %.*s begins with itself; a repeat (*) would end",
                      GbnfReader::Shown(rule.name), rule.name.data());
  }
  return made;
}

void GbnfCompiler::Make(GbnfRule& rule) {
  List<Value>& values = room_.values;
  values.Shrink(0);
  for (uint32_t i = 0; i < rule.n_steps && budget_.Spend(); ++i) {
    const GbnfStep& step = room_.steps[rule.first_step + i];
    uint32_t taken = 0;
    Value made = {step.kind == GbnfStep::Kind::kRegex, step.a};
    switch (step.kind) {
      case GbnfStep::Kind::kRegex:
      case GbnfStep::Kind::kProduction:
        break;
      case GbnfStep::Kind::kRule:
        made = ValueOf(room_.rules[step.a]);
        break;
      case GbnfStep::Kind::kSequence:
        taken = step.a;
        made = Sequence(values.Part(values.size() - taken, taken));
        break;
      case GbnfStep::Kind::kChoice:
        taken = step.a;
        made = Choice(values.Part(values.size() - taken, taken));
        break;
      case GbnfStep::Kind::kRepeat:
        taken = 1;
        made = Repeat(values[values.size() - 1], step.a, step.b);
        break;
    }
    values.Shrink(values.size() - taken);
    values.Add(made, budget_);
  }
  if (!budget_.ok()) return;
  const Value& made = values[0];
  rule.is = GbnfRule::Is::kMade;
  rule.regular = made.regular;
  rule.regex = made.made;
  if (!made.regular || rule.production != Productions::kNone) {
    productions_.Define(RuleOf(rule), ProductionOf(made));
  }
}

Production GbnfCompiler::RuleOf(GbnfRule& rule) {
  if (rule.production == Productions::kNone) rule.production = productions_.Rule(budget_);
  return rule.production;
}

GbnfCompiler::Value GbnfCompiler::ValueOf(GbnfRule& rule) {
  const bool regular = rule.is == GbnfRule::Is::kMade && rule.regular;
  return {regular, regular ? rule.regex : RuleOf(rule)};
}

Production GbnfCompiler::ProductionOf(const Value& value) {
  return value.regular ? productions_.Terminal(value.made, budget_) : value.made;
}

// From its end on, so that expressions side by side become one.
GbnfCompiler::Value GbnfCompiler::Sequence(std::span<const Value> values) {
  room_.parts.Shrink(0);
  Value joined = {true, Regexes::kEmpty};  // with what is not in parts yet
  for (size_t i = values.size(); i > 0; --i) {
    const Value& value = values[i - 1];
    if (value.regular && joined.regular) {
      const Regex longer = regexes_.Then(value.made, joined.made, budget_);
      if (!IsDeep(longer)) {
        joined.made = longer;
        continue;
      }
    }
    if (i < values.size()) room_.parts.Add(ProductionOf(joined), budget_);
    joined = value;
  }
  if (room_.parts.size() == 0) return joined;
  room_.parts.Add(ProductionOf(joined), budget_);
  Production* const first = &room_.parts[0];
  std::reverse(first, first + room_.parts.size());
  return {false, productions_.Sequence(room_.parts.Part(0, room_.parts.size()), budget_)};
}

GbnfCompiler::Value GbnfCompiler::Choice(std::span<const Value> values) {
  room_.parts.Shrink(0);
  for (const Value& value : values) {
    if (value.regular) room_.parts.Add(value.made, budget_);
  }
  const bool all = room_.parts.size() == values.size();
  const Regex either = regexes_.Either(room_.parts.Part(0, room_.parts.size()), budget_);
  const bool is_one = !IsDeep(either);
  if (all && is_one) return {true, either};
  room_.parts.Shrink(0);
  if (is_one) room_.parts.Add(ProductionOf({true, either}), budget_);
  for (const Value& value : values) {
    if (!value.regular || !is_one) room_.parts.Add(ProductionOf(value), budget_);
  }
  return {false, productions_.Choice(room_.parts.Part(0, room_.parts.size()), budget_)};
}

GbnfCompiler::Value GbnfCompiler::Repeat(const Value& value, uint32_t min, uint32_t max) {
  if (value.regular) {
    const Regex regex = regexes_.Repeat(value.made, min, max, budget_);
    if (!IsDeep(regex)) return {true, regex};
  }
  return {false, productions_.Repeat(ProductionOf(value), min, max, budget_)};
}

}  // namespace rondo::grammar
