// Filters on sequences and dicts.
#include <algorithm>

#include "runtime/chat/jinja/access.h"
#include "runtime/chat/jinja/builtins.h"
#include "runtime/chat/jinja/operators.h"
#include "runtime/chat/jinja/text_form.h"
#include "runtime/chat/jinja/unicode_text.h"

namespace rondo::jinja {
namespace {

Value Generator(Sequence* items) { return Value::Items(Kind::kGenerator, items); }
Value List(Sequence* items) { return Value::Items(Kind::kList, items); }

Value LengthFilter(const Call& call) {
  return Value::Int(static_cast<int64_t>(LengthOf(call.machine, call.self)));
}

Value ListFilter(const Call& call) {
  const Items items = Iterate(call.machine, call.self);
  Sequence* list = NewSequence(call.machine, items.size());
  for (size_t i = 0; i < items.size() && call.machine.Spend(1); ++i) {
    Append(call.machine, list, items[i]);
  }
  return List(list);
}

Value First(const Call& call) {
  const Items items = Iterate(call.machine, call.self);
  if (items.empty()) return UndefinedHint(call.machine, "No first item, sequence was empty.");
  if (call.self.is(Kind::kGenerator)) call.self.sequence->next -= items.size() - 1;
  return items[0];
}

Value Last(const Call& call) {
  if (call.self.is(Kind::kGenerator)) {
    call.machine.Fail("TypeError: 'generator' object is not reversible");
    return Value();
  }
  const Items items = Iterate(call.machine, call.self);
  if (items.empty()) return UndefinedHint(call.machine, "No last item, sequence was empty.");
  return items.back();
}

Value Reverse(const Call& call) {
  if (call.self.is_string()) {
    return GetSlice(call.machine, call.self, Value::None(), Value::None(), Value::Int(-1));
  }
  const Items items = Iterate(call.machine, call.self);
  Sequence* reversed = NewSequence(call.machine, items.size());
  for (size_t i = items.size(); i > 0 && call.machine.Spend(1); --i) {
    Append(call.machine, reversed, items[i - 1]);
  }
  return Generator(reversed);
}

Value Join(const Call& call) {
  Machine& machine = call.machine;
  const Value separator = ToText(machine, call.args[0]), attribute = call.args[1];
  const Items items = Iterate(machine, call.self);
  const Sequence* path = ReadPath(machine, attribute);
  Buffer out(machine);
  for (size_t i = 0; i < items.size() && machine.Spend(1); ++i) {
    const Value item = attribute.is_none() ? items[i] : GetPath(machine, items[i], path);
    const Value text = ToText(machine, item);
    if (machine.failed()) return Value();
    if (i > 0) out.Append(separator.view());
    out.AppendText(*text.text);
  }
  return out.Finish();
}

Value ItemsFilter(const Call& call) {
  if (call.self.is_undefined()) return Generator(NewSequence(call.machine));
  if (call.self.is(Kind::kDict)) return Generator(DictItems(call.machine, *call.self.dict));
  call.machine.Fail("TypeError: Can only get item pairs from a mapping.");
  return Value();
}

// ---- Order ----

struct Keyed {
  Value key, item;  // what the item is compared by
};

// Stable; stops early where two keys have no order.
void Sort(Machine& machine, std::span<Keyed> items, bool reverse) {
  std::span<Keyed> from = items, to = machine.NewArray<Keyed>(items.size());
  if (to.size() != items.size()) return;
  const auto comes_first = [&](const Keyed& a, const Keyed& b) {  // a stands before b
    return reverse ? !Less(machine, a.key, b.key) : !Less(machine, b.key, a.key);
  };
  for (size_t width = 1; width < items.size() && machine.Spend(items.size() / 4); width *= 2) {
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

// The items, each with its attribute (None: itself), in small letters unless `case_sensitive`.
std::span<Keyed> WithKeys(Machine& machine, Items items, Value attribute, Value case_sensitive) {
  const std::span<Keyed> keyed = machine.NewArray<Keyed>(items.size());
  const Sequence* path = ReadPath(machine, attribute);
  for (size_t i = 0; i < keyed.size() && machine.Spend(1); ++i) {
    Value key = attribute.is_none() ? items[i] : GetPath(machine, items[i], path);
    if (key.is_string() && !Truth(case_sensitive)) {
      key = ChangeCase(machine, key.str(), Case::kLower);
    }
    keyed[i] = {key, items[i]};
  }
  return keyed;
}

Value Sorted(Machine& machine, std::span<Keyed> keyed, Value reverse) {
  Sort(machine, keyed, Truth(reverse));
  Sequence* items = NewSequence(machine, keyed.size());
  for (const Keyed& entry : keyed) Append(machine, items, entry.item);
  return List(items);
}

Value SortFilter(const Call& call) {
  const Items items = Iterate(call.machine, call.self);
  return Sorted(call.machine, WithKeys(call.machine, items, call.args[2], call.args[1]),
                call.args[0]);
}

Value DictSort(const Call& call) {
  Machine& machine = call.machine;
  const Value by = call.args[1];
  const bool by_value = by.is_string() && by.str() == "value";
  if (!by_value && !by.is_none() && !(by.is_string() && by.str() == "key")) {
    machine.Fail("FilterArgumentError: You can only sort by either \"key\" or \"value\"");
    return Value();
  }
  if (!call.self.is(Kind::kDict)) {
    FailType(machine, "dictsort() expects a dict, not ", call.self);
    return Value();
  }
  const Sequence* pairs = DictItems(machine, *call.self.dict);
  if (machine.failed()) return Value();
  return Sorted(
      machine,
      WithKeys(machine, {pairs->items, pairs->count}, Value::Int(by_value ? 1 : 0), call.args[0]),
      call.args[2]);
}

Value Unique(const Call& call) {
  Machine& machine = call.machine;
  Dict* seen = NewDict(machine);
  Sequence* items = NewSequence(machine);
  const Items all = Iterate(machine, call.self);
  for (const Keyed& entry : WithKeys(machine, all, call.args[1], call.args[0])) {
    if (machine.failed()) return Value();
    if (Find(machine, *seen, entry.key) != nullptr) continue;
    Put(machine, seen, entry.key, Value::None());
    Append(machine, items, entry.item);
  }
  return Generator(items);
}

// ---- Each item ----

// map(attribute=..., default=...).
Value MapAttribute(const Call& call) {
  const Items items = Iterate(call.machine, call.self);
  const Sequence* path = ReadPath(call.machine, call.args[0]);
  Sequence* mapped = NewSequence(call.machine, items.size());
  for (size_t i = 0; i < items.size() && call.machine.Spend(1); ++i) {
    Append(call.machine, mapped, GetPath(call.machine, items[i], path, call.args[1]));
  }
  return Generator(mapped);
}
constexpr Builtin kMapAttribute = {
    "map", MapAttribute, {{"attribute"}, {"default", Value::None()}}};

// map(filter, ...).
Value Map(const Call& call) {
  Machine& machine = call.machine;
  const std::span<const Value> given = call.given.positional;
  if (!Truth(call.self))
    return Generator(NewSequence(machine));  // None, too: nothing to go through
  if (given.empty()) return Invoke(machine, kMapAttribute, call.self, call.given);
  if (!WantString(machine, given[0])) return Value();
  const Items items = Iterate(machine, call.self);
  const Builtin* filter = items.empty() ? nullptr : WantFilter(machine, given[0].str());
  const Arguments rest = {given.subspan(1), call.given.named};
  Sequence* mapped = NewSequence(machine, items.size());
  for (size_t i = 0; i < items.size() && machine.Spend(1); ++i) {
    Append(machine, mapped, Invoke(machine, *filter, items[i], rest));
  }
  return Generator(mapped);
}

// select, reject, selectattr, rejectattr: those whose test (or truth) is `wanted`.
template <bool by_attribute, bool wanted>
Value Choose(const Call& call) {
  Machine& machine = call.machine;
  if (!Truth(call.self)) return Generator(NewSequence(machine));
  std::span<const Value> rest = call.given.positional;
  Sequence* path = nullptr;
  if (by_attribute) {
    if (rest.empty()) {
      machine.Fail("FilterArgumentError: Missing parameter for attribute name");
      return Value();
    }
    path = ReadPath(machine, rest[0]);
    rest = rest.subspan(1);
  }
  if (!rest.empty() && !WantString(machine, rest[0])) return Value();
  const Items items = Iterate(machine, call.self);
  const Builtin* test = nullptr;
  if (!rest.empty()) {
    if (!items.empty()) test = WantTest(machine, rest[0].str());
    rest = rest.subspan(1);
  }
  Sequence* chosen = NewSequence(machine);
  for (size_t i = 0; i < items.size() && machine.Spend(1); ++i) {
    const Value value = by_attribute ? GetPath(machine, items[i], path) : items[i];
    const bool holds =
        Truth(test == nullptr ? value : Invoke(machine, *test, value, {rest, call.given.named}));
    if (holds == wanted) Append(machine, chosen, items[i]);
  }
  return Generator(chosen);
}

constexpr BuiltinParameter kReverse = {"reverse", Value::Bool(false)};
constexpr BuiltinParameter kCaseSensitive = {"case_sensitive", Value::Bool(false)};
constexpr BuiltinParameter kAttribute = {"attribute", Value::None()};

constexpr Builtin kFilters[] = {
    {"length", LengthFilter},
    {"count", LengthFilter},
    {"list", ListFilter},
    {"first", First},
    {"last", Last},
    {"reverse", Reverse},
    {"join", Join, {{"d", kEmptyString}, kAttribute}},
    {"items", ItemsFilter},
    {"sort", SortFilter, {kReverse, kCaseSensitive, kAttribute}},
    {"dictsort", DictSort, {kCaseSensitive, {"by", Value::None()}, kReverse}},
    {"unique", Unique, {kCaseSensitive, kAttribute}},
    {"map", Map, {}, Style::kRaw},
    {"select", Choose<false, true>, {}, Style::kRaw},
    {"reject", Choose<false, false>, {}, Style::kRaw},
    {"selectattr", Choose<true, true>, {}, Style::kRaw},
    {"rejectattr", Choose<true, false>, {}, Style::kRaw},
};

}  // namespace

std::span<const Builtin> SequenceFilters() { return kFilters; }

}  // namespace rondo::jinja
