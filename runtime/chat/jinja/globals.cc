// Functions that templates call by name.
#include "runtime/chat/jinja/builtins.h"
#include "runtime/chat/jinja/interpreter.h"

namespace rondo::jinja {
namespace {

constexpr uint64_t kMaxRange = 100'000;  // as Jinja's sandbox has it

Value MakeRange(Interpreter& interpreter, Value, const Arguments& arguments) {
  Machine& machine = interpreter.machine();
  const size_t n = arguments.positional.size();
  if (n < 1 || n > 3 || !arguments.named.empty()) {
    machine.Fail("TypeError: range expected 1 to 3 arguments, got %zu", n);
    return Value();
  }
  int64_t numbers[3] = {0, 0, 1};  // start, stop, step
  for (size_t i = 0; i < n; ++i) {
    if (!WantInt(machine, arguments.positional[i], &numbers[n == 1 ? 1 : i])) return Value();
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
        "OverflowError: Range too big. The sandbox blocks ranges larger than MAX_RANGE "
        "(%llu).",
        static_cast<unsigned long long>(kMaxRange));
    return Value();
  }
  Value value = Value::Of(Kind::kRange);
  value.range = machine.New<Range>(start, stop, step, static_cast<size_t>(count));
  return machine.failed() ? Value() : value;
}

// The entries of a dict or of a sequence of pairs, then the named arguments.
Dict* MakeEntries(Machine& machine, const Arguments& arguments, const char* function) {
  Value base = Value::None();
  if (!Bind(machine, function, {arguments.positional, {}}, {{"mapping", &base}})) return nullptr;
  Dict* dict = NewDict(machine);
  if (base.is(Kind::kDict)) {
    for (const Dict::Entry& entry : base.dict->all()) Put(machine, dict, entry.key, entry.value);
  } else if (!base.is_none()) {
    const Items items = Iterate(machine, base);
    for (size_t i = 0; i < items.count && machine.Spend(1); ++i) {
      const Items pair = Iterate(machine, items[i]);
      if (!machine.failed() && pair.count != 2) {
        machine.Fail(
            "ValueError: dictionary update sequence element #%zu has length %zu; 2 is "
            "required",
            i, pair.count);
      }
      if (machine.failed()) return nullptr;
      Put(machine, dict, pair[0], pair[1]);
    }
  }
  for (const NamedValue& named : arguments.named) Put(machine, dict, named.name, named.value);
  return dict;
}

Value MakeDict(Interpreter& interpreter, Value, const Arguments& arguments) {
  return Value::Mapping(Kind::kDict, MakeEntries(interpreter.machine(), arguments, "dict()"));
}

Value MakeNamespace(Interpreter& interpreter, Value, const Arguments& arguments) {
  return Value::Mapping(Kind::kNamespace,
                        MakeEntries(interpreter.machine(), arguments, "namespace()"));
}

Value MakeCycler(Interpreter& interpreter, Value, const Arguments& arguments) {
  Machine& machine = interpreter.machine();
  if (arguments.positional.empty()) {
    machine.Fail("TypeError: at least one item has to be provided");
    return Value();
  }
  Sequence* items = NewSequence(machine, arguments.positional.size());
  for (const Value& item : arguments.positional) Append(machine, items, item);
  Value value = Value::Of(Kind::kCycler);
  value.cycler = machine.New<Cycler>(items, size_t{0});
  return machine.failed() ? Value() : value;
}

Value MakeJoiner(Interpreter& interpreter, Value, const Arguments& arguments) {
  Machine& machine = interpreter.machine();
  Value separator = ViewString(machine, ", ");
  if (!Bind(machine, "joiner()", arguments, {{"sep", &separator}})) return Value();
  Value value = Value::Of(Kind::kJoiner);
  value.joiner = machine.New<Joiner>(separator, false);
  return machine.failed() ? Value() : value;
}

// The template's author refuses the conversation.
Value RaiseException(Interpreter& interpreter, Value, const Arguments& arguments) {
  Machine& machine = interpreter.machine();
  Value message;
  if (!Bind(machine, "raise_exception()", arguments, {{"message", &message, true}})) return Value();
  const Value text = ToText(machine, message);
  if (machine.failed()) return Value();
  machine.Fail("TemplateError: %.*s",
               static_cast<int>(text.text->size > 200 ? 200 : text.text->size), text.text->data);
  return Value();
}

Value StrftimeNow(Interpreter& interpreter, Value, const Arguments& arguments) {
  Machine& machine = interpreter.machine();
  Value format;
  if (!Bind(machine, "strftime_now()", arguments, {{"format", &format, true}}) ||
      !WantString(machine, "strftime_now()", format)) {
    return Value();
  }
  return FormatTime(machine, format.str(), *interpreter.local_time());
}

constexpr NamedBuiltin kGlobals[] = {
    {"range", MakeRange},          {"dict", MakeDict},     {"namespace", MakeNamespace},
    {"cycler", MakeCycler},        {"joiner", MakeJoiner}, {"raise_exception", RaiseException},
    {"strftime_now", StrftimeNow},
};

}  // namespace

Value FindGlobal(Interpreter& interpreter, std::string_view name) {
  if (name == "strftime_now" && !interpreter.local_time().has_value()) return Value();
  for (const NamedBuiltin& global : kGlobals) {
    if (name == global.name) {
      return MakeFunction(interpreter.machine(), global.name, global.call);
    }
  }
  return Value();
}

Value CallObject(Interpreter& interpreter, Value object, const Arguments& arguments) {
  Machine& machine = interpreter.machine();
  if (object.is(Kind::kCycler)) {
    machine.Fail("TypeError: 'Cycler' object is not callable");
    return Value();
  }
  if (!Bind(machine, "joiner()", arguments, {})) return Value();
  const bool used = object.joiner->used;
  object.joiner->used = true;
  return used ? object.joiner->separator : ViewString(machine, "");
}

}  // namespace rondo::jinja
