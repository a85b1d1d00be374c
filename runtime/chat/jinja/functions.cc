// Functions that templates call by name.
#include "runtime/chat/jinja/access.h"
#include "runtime/chat/jinja/builtins.h"
#include "runtime/chat/jinja/clock_text.h"
#include "runtime/chat/jinja/text_form.h"

namespace rondo::jinja {
namespace {

constexpr uint64_t kMaxRange = 100'000;  // as Jinja's sandbox has it

Value MakeRange(const Call& call) {
  Machine& machine = call.machine;
  const std::span<const Value> given = call.given.positional;
  if (given.empty() || given.size() > 3 || !call.given.named.empty()) {
    machine.Fail("TypeError: range expected 1 to 3 arguments, got %zu", given.size());
    return Value();
  }
  int64_t numbers[3] = {0, 0, 1};
  for (size_t i = 0; i < given.size(); ++i) {
    if (!WantInt(machine, given[i], &numbers[given.size() == 1 ? 1 : i])) return Value();
  }
  const auto [start, stop, step] = numbers;
  if (step == 0) {
    machine.Fail("ValueError: range() arg 3 must not be zero");
    return Value();
  }
  uint64_t count = 0;
  if (step > 0 ? start < stop : start > stop) {
    const auto from = static_cast<uint64_t>(start), to = static_cast<uint64_t>(stop);
    const auto stride = static_cast<uint64_t>(step);
    count = (step > 0 ? (to - from - 1) / stride : (from - to - 1) / (0 - stride)) + 1;
  }
  if (count > kMaxRange) {
    machine.Fail(
        "OverflowError: Range too big. The sandbox blocks ranges larger than MAX_RANGE (%llu).",
        static_cast<unsigned long long>(kMaxRange));
    return Value();
  }
  Sequence* items = NewSequence(machine, count);
  if (items == nullptr || !machine.SpendBytes(count * sizeof(Value))) return Value();
  for (; items->count < count; ++items->count) {  // each fits, what is added up to it may not
    const uint64_t way = items->count * static_cast<uint64_t>(step);
    items->items[items->count] =
        Value::Int(static_cast<int64_t>(static_cast<uint64_t>(start) + way));
  }
  return Value::Items(Kind::kRange, items);
}

// dict(a=1) and namespace(a=1); both take a dict, too.
template <Kind kind>
Value MakeMapping(const Call& call) {
  Machine& machine = call.machine;
  const std::span<const Value> base = call.given.positional;
  if (base.size() > 1 || (base.size() == 1 && !base[0].is(Kind::kDict))) {
    machine.Fail("TypeError: expected names with values, or a dict");
    return Value();
  }
  Dict* dict = NewDict(machine);
  if (base.size() == 1) {
    for (const Dict::Entry& entry : base[0].dict->all()) Put(machine, dict, entry.key, entry.value);
  }
  for (const NamedValue& named : call.given.named) Put(machine, dict, named.name, named.value);
  return Value::Mapping(kind, dict);
}

// The template's author refuses the conversation.
Value RaiseException(const Call& call) {
  const Value text = ToText(call.machine, call.args[0]);
  if (call.machine.failed()) return Value();
  call.machine.Fail("TemplateError: %.*s", CutForMessage({text.text->data, text.text->size}, 200),
                    text.text->data);
  return Value();
}

constexpr Builtin kFunctions[] = {
    {"range", MakeRange, {}, Style::kRaw},
    {"dict", MakeMapping<Kind::kDict>, {}, Style::kRaw},
    {"namespace", MakeMapping<Kind::kNamespace>, {}, Style::kRaw},
    {"raise_exception", RaiseException, {{"message"}}},
};

Value Strftime(const Call& call) {
  if (!WantString(call.machine, call.args[0])) return Value();
  const Value text = FormatTime(call.machine, call.args[0].str(), call.self.integer);
  if (!text.is_string() || !call.args[0].has_outside()) return text;
  return ViewString(call.machine, {text.str(), kAllOutside});
}

}  // namespace

const Builtin kStrftimeNow = {"strftime_now", Strftime, {{"format"}}};

std::span<const Builtin> Functions() { return kFunctions; }

}  // namespace rondo::jinja
