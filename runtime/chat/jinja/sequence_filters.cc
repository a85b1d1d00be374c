// Filters on sequences and dicts.
#include <algorithm>

#include "runtime/chat/jinja/builtins.h"
#include "runtime/chat/jinja/interpreter.h"
#include "runtime/chat/jinja/methods.h"
#include "runtime/chat/jinja/operators.h"
#include "runtime/chat/jinja/unicode_text.h"

namespace rondo::jinja {
namespace {

Value Generator(Sequence* items) { return Value::Items(Kind::kGenerator, items); }
Value List(Sequence* items) { return Value::Items(Kind::kList, items); }

Value Length(Interpreter& interpreter, Value self, const Arguments& arguments) {
  Machine& machine = interpreter.machine();
  if (!Bind(machine, "length()", arguments, {})) return Value();
  return Value::Int(static_cast<int64_t>(LengthOf(machine, self)));
}

Value ListFilter(Interpreter& interpreter, Value self, const Arguments& arguments) {
  Machine& machine = interpreter.machine();
  if (!Bind(machine, "list()", arguments, {})) return Value();
  const Items items = Iterate(machine, self);
  Sequence* list = NewSequence(machine, items.count);
  for (size_t i = 0; i < items.count && machine.Spend(1); ++i) Append(machine, list, items[i]);
  return List(list);
}

Value First(Interpreter& interpreter, Value self, const Arguments& arguments) {
  Machine& machine = interpreter.machine();
  if (!Bind(machine, "first()", arguments, {})) return Value();
  const Items items = Iterate(machine, self);
  if (self.is(Kind::kGenerator) && items.count > 0) self.sequence->next -= items.count - 1;
  return items.count > 0 ? items[0] : UndefinedHint(machine, "No first item, sequence was empty.");
}

Value Last(Interpreter& interpreter, Value self, const Arguments& arguments) {
  Machine& machine = interpreter.machine();
  if (!Bind(machine, "last()", arguments, {})) return Value();
  if (self.is(Kind::kGenerator)) {
    machine.Fail("TypeError: 'generator' object is not reversible");
    return Value();
  }
  const Items items = Iterate(machine, self);
  return items.count > 0 ? items[items.count - 1]
                         : UndefinedHint(machine, "No last item, sequence was empty.");
}

Value Reverse(Interpreter& interpreter, Value self, const Arguments& arguments) {
  Machine& machine = interpreter.machine();
  if (!Bind(machine, "reverse()", arguments, {})) return Value();
  const Items items = Iterate(machine, self);
  Sequence* reversed = NewSequence(machine, items.count);
  for (size_t i = items.count; i > 0 && machine.Spend(1); --i)
    Append(machine, reversed, items[i - 1]);
  if (!self.is_string()) return Generator(reversed);
  Buffer out(machine);
  for (size_t i = 0; !machine.failed() && i < reversed->count; ++i) {
    out.Append(reversed->items[i].str());
  }
  return machine.failed() ? Value() : out.Finish();
}

Value Join(Interpreter& interpreter, Value self, const Arguments& arguments) {
  Machine& machine = interpreter.machine();
  Value separator = ViewString(machine, ""), attribute = Value::None();
  if (!Bind(machine, "join()", arguments, {{"d", &separator}, {"attribute", &attribute}})) {
    return Value();
  }
  separator = ToText(machine, separator);
  const Items items = Iterate(machine, self);
  Buffer out(machine);
  for (size_t i = 0; i < items.count && machine.Spend(1); ++i) {
    const Value item = attribute.is_none() ? items[i] : GetPath(machine, items[i], attribute);
    const Value text = ToText(machine, item);
    if (machine.failed()) return Value();
    if (i > 0) out.Append(separator.str());
    out.Append(text.str());
  }
  return machine.failed() ? Value() : out.Finish();
}

Value ItemsFilter(Interpreter& interpreter, Value self, const Arguments& arguments) {
  Machine& machine = interpreter.machine();
  if (!Bind(machine, "items()", arguments, {})) return Value();
  if (self.is_undefined()) return Generator(NewSequence(machine));
  if (!self.is(Kind::kDict)) {
    machine.Fail("TypeError: Can only get item pairs from a mapping.");
    return Value();
  }
  return Generator(DictItems(machine, *self.dict));
}

// ---- Order ----

// What an item is compared by.
struct SortKey {
  Value attribute = Value::None();
  bool case_sensitive = false;

  Value Of(Machine& machine, Value item) const {
    Value key = attribute.is_none() ? item : GetPath(machine, item, attribute);
    if (key.is_string() && !case_sensitive) key = ChangeCase(machine, key.str(), Case::kLower);
    return key;
  }
};

struct Keyed {
  Value key, item;
};

// Stable; stops early where two keys have no order.
void Sort(Machine& machine, std::span<Keyed> items, bool reverse) {
  std::span<Keyed> from = items, to = machine.NewArray<Keyed>(items.size());
  if (to.size() != items.size()) return;
  const auto comes_first = [&](const Keyed& a, const Keyed& b) {  // a stands before b
    return reverse ? !Less(machine, a.key, b.key) : !Less(machine, b.key, a.key);
  };
  for (size_t width = 1; width < items.size() && !machine.failed(); width *= 2) {
    for (size_t begin = 0; begin < items.size(); begin += 2 * width) {
      const size_t middle = std::min(begin + width, items.size());
      const size_t end = std::min(begin + 2 * width, items.size());
      size_t left = begin, right = middle;
      for (size_t i = begin; i < end; ++i) {
        const bool take_left =
            left < middle && (right == end || comes_first(from[left], from[right]));
        to[i] = take_left ? from[left++] : from[right++];
      }
    }
    std::swap(from, to);
  }
  if (from.data() != items.data()) std::copy(from.begin(), from.end(), items.begin());
}

std::span<Keyed> WithKeys(Machine& machine, Value self, const SortKey& key) {
  const Items items = Iterate(machine, self);
  const std::span<Keyed> keyed = machine.NewArray<Keyed>(items.count);
  for (size_t i = 0; i < keyed.size() && machine.Spend(1); ++i) {
    keyed[i] = {key.Of(machine, items[i]), items[i]};
  }
  return keyed;
}

Sequence* WithoutKeys(Machine& machine, std::span<const Keyed> keyed) {
  Sequence* items = NewSequence(machine, keyed.size());
  for (const Keyed& entry : keyed) Append(machine, items, entry.item);
  return items;
}

Value SortFilter(Interpreter& interpreter, Value self, const Arguments& arguments) {
  Machine& machine = interpreter.machine();
  Value reverse = Value::Bool(false), case_sensitive = Value::Bool(false);
  SortKey key;
  if (!Bind(machine, "sort()", arguments,
            {{"reverse", &reverse},
             {"case_sensitive", &case_sensitive},
             {"attribute", &key.attribute}})) {
    return Value();
  }
  key.case_sensitive = Truth(case_sensitive);
  const std::span<Keyed> keyed = WithKeys(machine, self, key);
  Sort(machine, keyed, Truth(reverse));
  return List(WithoutKeys(machine, keyed));
}

Value DictSort(Interpreter& interpreter, Value self, const Arguments& arguments) {
  Machine& machine = interpreter.machine();
  Value case_sensitive = Value::Bool(false), by = ViewString(machine, "key");
  Value reverse = Value::Bool(false);
  if (!Bind(machine, "dictsort()", arguments,
            {{"case_sensitive", &case_sensitive}, {"by", &by}, {"reverse", &reverse}})) {
    return Value();
  }
  const bool by_value = by.is_string() && by.str() == "value";
  if (!by_value && !(by.is_string() && by.str() == "key")) {
    machine.Fail("FilterArgumentError: You can only sort by either \"key\" or \"value\"");
    return Value();
  }
  if (!self.is(Kind::kDict)) {
    if (self.is_undefined()) {
      FailUndefined(machine, self);
    } else {
      machine.Fail("AttributeError: '%s' object has no attribute 'items'", TypeName(self));
    }
    return Value();
  }
  const SortKey key = {Value::Int(by_value ? 1 : 0), Truth(case_sensitive)};
  const Value items = List(DictItems(machine, *self.dict));
  if (machine.failed()) return Value();
  const std::span<Keyed> keyed = WithKeys(machine, items, key);
  Sort(machine, keyed, Truth(reverse));
  return List(WithoutKeys(machine, keyed));
}

template <bool maximum>
Value Extreme(Interpreter& interpreter, Value self, const Arguments& arguments) {
  Machine& machine = interpreter.machine();
  Value case_sensitive = Value::Bool(false);
  SortKey key;
  if (!Bind(machine, maximum ? "max()" : "min()", arguments,
            {{"case_sensitive", &case_sensitive}, {"attribute", &key.attribute}})) {
    return Value();
  }
  key.case_sensitive = Truth(case_sensitive);
  const std::span<Keyed> keyed = WithKeys(machine, self, key);
  if (keyed.empty()) return UndefinedHint(machine, "No aggregated item, sequence was empty.");
  size_t best = 0;
  for (size_t i = 1; i < keyed.size() && !machine.failed(); ++i) {
    const bool better = maximum ? Less(machine, keyed[best].key, keyed[i].key)
                                : Less(machine, keyed[i].key, keyed[best].key);
    if (better) best = i;
  }
  return keyed[best].item;
}

Value Unique(Interpreter& interpreter, Value self, const Arguments& arguments) {
  Machine& machine = interpreter.machine();
  Value case_sensitive = Value::Bool(false);
  SortKey key;
  if (!Bind(machine, "unique()", arguments,
            {{"case_sensitive", &case_sensitive}, {"attribute", &key.attribute}})) {
    return Value();
  }
  key.case_sensitive = Truth(case_sensitive);
  Dict* seen = NewDict(machine);
  Sequence* items = NewSequence(machine);
  for (const Keyed& entry : WithKeys(machine, self, key)) {
    if (machine.failed()) return Value();
    if (Find(machine, *seen, entry.key) != nullptr) continue;
    Put(machine, seen, entry.key, Value::None());
    Append(machine, items, entry.item);
  }
  return Generator(items);
}

Value GroupBy(Interpreter& interpreter, Value self, const Arguments& arguments) {
  Machine& machine = interpreter.machine();
  Value fallback = Value::None(), case_sensitive = Value::Bool(false);
  SortKey key;
  if (!Bind(machine, "groupby()", arguments,
            {{"attribute", &key.attribute, true},
             {"default", &fallback},
             {"case_sensitive", &case_sensitive}})) {
    return Value();
  }
  key.case_sensitive = Truth(case_sensitive);
  const std::span<Keyed> keyed = WithKeys(machine, self, key);
  for (Keyed& entry : keyed) {
    if (entry.key.is_undefined() && !fallback.is_none()) entry.key = fallback;
  }
  Sort(machine, keyed, false);
  Sequence* groups = NewSequence(machine);
  for (size_t i = 0; i < keyed.size() && !machine.failed();) {
    Sequence* members = NewSequence(machine);
    const Value group = GetPath(machine, keyed[i].item, key.attribute);
    size_t j = i;
    for (; j < keyed.size() && Equal(machine, keyed[j].key, keyed[i].key); ++j) {
      Append(machine, members, keyed[j].item);
    }
    Dict* pair = NewDict(machine);
    Put(machine, pair, "grouper", group.is_undefined() ? fallback : group);
    Put(machine, pair, "list", List(members));
    Sequence* tuple = NewSequence(machine, 2);
    if (machine.failed()) return Value();
    for (const Dict::Entry& entry : pair->all()) Append(machine, tuple, entry.value);
    Append(machine, groups, Value::Items(Kind::kTuple, tuple));
    i = j;
  }
  return List(groups);
}

// ---- Each item ----

Value Map(Interpreter& interpreter, Value self, const Arguments& arguments) {
  Machine& machine = interpreter.machine();
  if (!Truth(self)) return Generator(NewSequence(machine));  // None, too: nothing to go through
  Value attribute, fallback;
  bool by_attribute = false;
  if (arguments.positional.empty()) {
    if (!Bind(machine, "map()", {{}, arguments.named},
              {{"attribute", &attribute, true}, {"default", &fallback}})) {
      return Value();
    }
    by_attribute = true;
  } else if (!WantString(machine, "map()", arguments.positional[0])) {
    return Value();
  }
  const Items items = Iterate(machine, self);
  Sequence* mapped = NewSequence(machine, items.count);
  for (size_t i = 0; i < items.count && machine.Spend(1); ++i) {
    Value value;
    if (by_attribute) {
      value = GetPath(machine, items[i], attribute, fallback);
    } else {
      value = interpreter.ApplyFilter(arguments.positional[0].str(), items[i],
                                      {arguments.positional.subspan(1), arguments.named});
    }
    Append(machine, mapped, value);
  }
  return machine.failed() ? Value() : Generator(mapped);
}

// select, reject, selectattr, rejectattr: those whose test (or truth) is `wanted`.
template <bool by_attribute, bool wanted>
Value Choose(Interpreter& interpreter, Value self, const Arguments& arguments) {
  Machine& machine = interpreter.machine();
  if (!Truth(self)) return Generator(NewSequence(machine));
  std::span<const Value> rest = arguments.positional;
  Value attribute;
  if (by_attribute) {
    if (rest.empty()) {
      machine.Fail("FilterArgumentError: Missing parameter for attribute name");
      return Value();
    }
    attribute = rest[0];
    rest = rest.subspan(1);
  }
  if (!rest.empty() && !WantString(machine, "select()", rest[0])) return Value();
  const Items items = Iterate(machine, self);
  Sequence* chosen = NewSequence(machine);
  for (size_t i = 0; i < items.count && machine.Spend(1); ++i) {
    const Value value = by_attribute ? GetPath(machine, items[i], attribute) : items[i];
    const bool holds = rest.empty() ? Truth(value)
                                    : interpreter.ApplyTest(rest[0].str(), value,
                                                            {rest.subspan(1), arguments.named});
    if (holds == wanted) Append(machine, chosen, items[i]);
  }
  return machine.failed() ? Value() : Generator(chosen);
}

Value Sum(Interpreter& interpreter, Value self, const Arguments& arguments) {
  Machine& machine = interpreter.machine();
  Value attribute = Value::None(), total = Value::Int(0);
  if (!Bind(machine, "sum()", arguments, {{"attribute", &attribute}, {"start", &total}})) {
    return Value();
  }
  const Items items = Iterate(machine, self);
  for (size_t i = 0; i < items.count && machine.Spend(1); ++i) {
    const Value item = attribute.is_none() ? items[i] : GetPath(machine, items[i], attribute);
    if (!machine.failed()) total = Arithmetic(machine, ExprKind::kAdd, total, item);
  }
  return total;
}

// Rows of `linecount` items, the last filled up.
Value Batch(Interpreter& interpreter, Value self, const Arguments& arguments) {
  Machine& machine = interpreter.machine();
  Value line_count, fill = Value::None();
  int64_t n = 0;
  if (!Bind(machine, "batch()", arguments,
            {{"linecount", &line_count, true}, {"fill_with", &fill}}) ||
      !WantInt(machine, line_count, &n)) {
    return Value();
  }
  if (n < 1) {
    machine.Fail("ValueError: batch() takes a linecount above 0");
    return Value();
  }
  const Items items = Iterate(machine, self);
  Sequence* rows = NewSequence(machine);
  Sequence* row = nullptr;
  for (size_t i = 0; i < items.count && machine.Spend(1); ++i) {
    if (i % static_cast<uint64_t>(n) == 0) {
      row = NewSequence(machine);
      Append(machine, rows, List(row));
    }
    Append(machine, row, items[i]);
  }
  while (row != nullptr && !fill.is_none() && row->count < static_cast<uint64_t>(n) &&
         machine.Spend(1)) {
    Append(machine, row, fill);
  }
  return machine.failed() ? Value() : Generator(rows);
}

// `slices` columns, as even as possible.
Value Slice(Interpreter& interpreter, Value self, const Arguments& arguments) {
  Machine& machine = interpreter.machine();
  Value slices, fill = Value::None();
  int64_t n = 0;
  if (!Bind(machine, "slice()", arguments, {{"slices", &slices, true}, {"fill_with", &fill}}) ||
      !WantInt(machine, slices, &n)) {
    return Value();
  }
  if (n < 1) {
    machine.Fail("ValueError: slice() takes a number of slices above 0");
    return Value();
  }
  const Items items = Iterate(machine, self);
  const auto columns = static_cast<uint64_t>(n);
  const size_t each = items.count / columns, longer = items.count % columns;
  Sequence* result = NewSequence(machine);
  size_t next = 0;
  for (uint64_t column = 0; column < columns && machine.Spend(1); ++column) {
    Sequence* part = NewSequence(machine);
    const size_t count = each + (column < longer ? 1 : 0);
    for (size_t i = 0; i < count && machine.Spend(1); ++i) Append(machine, part, items[next++]);
    if (!fill.is_none() && column >= longer) Append(machine, part, fill);
    Append(machine, result, List(part));
  }
  return machine.failed() ? Value() : Generator(result);
}

constexpr NamedBuiltin kFilters[] = {
    {"length", Length},
    {"count", Length},
    {"list", ListFilter},
    {"first", First},
    {"last", Last},
    {"reverse", Reverse},
    {"join", Join},
    {"items", ItemsFilter},
    {"sort", SortFilter},
    {"dictsort", DictSort},
    {"max", Extreme<true>},
    {"min", Extreme<false>},
    {"unique", Unique},
    {"groupby", GroupBy},
    {"map", Map},
    {"select", Choose<false, true>},
    {"reject", Choose<false, false>},
    {"selectattr", Choose<true, true>},
    {"rejectattr", Choose<true, false>},
    {"sum", Sum},
    {"batch", Batch},
    {"slice", Slice},
};

}  // namespace

std::span<const NamedBuiltin> SequenceFilters() { return kFilters; }

}  // namespace rondo::jinja
