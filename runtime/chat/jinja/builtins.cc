#include "runtime/chat/jinja/builtins.h"

#include <algorithm>

#include "runtime/chat/jinja/text_form.h"

namespace rondo::jinja {
namespace {

constexpr uint64_t kCallSteps = 4;  // of finding a builtin and its arguments

const Builtin* FindIn(std::span<const Builtin> table, std::string_view name) {
  const auto found = std::find_if(table.begin(), table.end(),
                                  [name](const Builtin& entry) { return name == entry.name; });
  return found == table.end() ? nullptr : &*found;
}

template <size_t n>
bool Has(const std::string_view (&names)[n], std::string_view name) {
  return std::find(names, names + n, name) != names + n;
}

const BuiltinParameter* FindParameter(std::span<const BuiltinParameter> parameters,
                                      std::string_view name) {
  for (const BuiltinParameter& parameter : parameters) {
    if (name == parameter.name) return &parameter;
  }
  return nullptr;
}

bool Bind(Machine& machine, const Builtin& builtin, std::span<const BuiltinParameter> parameters,
          const Arguments& given, Value* out) {
  if (given.positional.size() > parameters.size()) {
    machine.Fail("TypeError: %s() takes at most %zu arguments (%zu given)", builtin.name,
                 parameters.size(), given.positional.size());
    return false;
  }
  bool taken[std::size(Builtin{}.parameters)] = {};
  for (size_t i = 0; i < given.positional.size(); ++i) {
    out[i] = given.positional[i];
    taken[i] = true;
  }
  for (const NamedValue& named : given.named) {
    const BuiltinParameter* parameter = FindParameter(parameters, named.name);
    if (parameter == nullptr) {
      machine.Fail("TypeError: %s() got an unexpected keyword argument '%s'", builtin.name,
                   machine.Clip(named.name));
      return false;
    }
    const auto i = static_cast<size_t>(parameter - parameters.data());
    if (taken[i]) {
      machine.Fail("TypeError: %s() got multiple values for argument '%s'", builtin.name,
                   parameter->name);
      return false;
    }
    out[i] = named.value;
    taken[i] = true;
  }
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (taken[i]) continue;
    out[i] = parameters[i].fallback;
    if (!out[i].is_undefined()) continue;
    machine.Fail("TypeError: %s() is missing its argument '%s'", builtin.name, parameters[i].name);
    return false;
  }
  return true;
}

bool HaveOutside(const Arguments& arguments) {
  const auto has = [](Value value) { return value.has_outside(); };
  const auto is = [](const NamedValue& named) { return named.value.has_outside(); };
  return std::any_of(arguments.positional.begin(), arguments.positional.end(), has) ||
         std::any_of(arguments.named.begin(), arguments.named.end(), is);
}

}  // namespace

const Builtin* FindFilter(std::string_view name) {
  for (const auto table : {TextFilters(), SequenceFilters(), ValueFilters()}) {
    if (const Builtin* filter = FindIn(table, name)) return filter;
  }
  return nullptr;
}

const Builtin* FindTest(std::string_view name) { return FindIn(Tests(), name); }

const Builtin* FindFunction(std::string_view name) { return FindIn(Functions(), name); }

const Builtin* FindMethod(Kind kind, std::string_view name) {
  if (kind == Kind::kString) return FindIn(StringMethods(), name);
  return kind == Kind::kDict ? FindIn(DictMethods(), name) : nullptr;
}

bool IsMutatingMethod(Kind kind, std::string_view name) {
  static constexpr std::string_view kOfLists[] = {"append", "clear", "pop",    "reverse",
                                                  "insert", "sort",  "extend", "remove"};
  static constexpr std::string_view kOfDicts[] = {"clear", "pop", "popitem", "setdefault",
                                                  "update"};
  return kind == Kind::kList ? Has(kOfLists, name) : kind == Kind::kDict && Has(kOfDicts, name);
}

bool IsUnknownMethod(Kind kind, std::string_view name) {
  static constexpr std::string_view kOfStrings[] = {
      "casefold",   "center",       "count",        "encode",      "expandtabs", "format",
      "format_map", "index",        "isalnum",      "isalpha",     "isascii",    "isdecimal",
      "isdigit",    "islower",      "isnumeric",    "isprintable", "isspace",    "istitle",
      "isupper",    "join",         "ljust",        "partition",   "rfind",      "rindex",
      "rjust",      "rpartition",   "splitlines",   "swapcase",    "translate",  "zfill",
      "maketrans",  "isidentifier", "removeprefix", "removesuffix"};
  static constexpr std::string_view kOfSequences[] = {"index", "count", "copy"};
  static constexpr std::string_view kOfDicts[] = {"copy", "fromkeys"};
  static constexpr std::string_view kOfLoops[] = {"cycle", "changed", "depth", "depth0"};
  switch (kind) {
    case Kind::kString:
      return Has(kOfStrings, name);
    case Kind::kList:
    case Kind::kTuple:
      return Has(kOfSequences, name);
    case Kind::kDict:
      return Has(kOfDicts, name);
    case Kind::kLoop:
      return Has(kOfLoops, name);
    default:
      return false;
  }
}

Value Invoke(Machine& machine, const Builtin& builtin, Value self, const Arguments& arguments) {
  // Filters call filters: |map('map', 'map', ...).
  const Deeper deeper(machine);
  if (!deeper.ok() || !machine.Spend(kCallSteps)) return Value();
  if (builtin.style == Style::kText) self = ToText(machine, self);
  if (machine.failed()) return Value();
  if (builtin.style == Style::kRaw) return builtin.call({machine, self, {}, arguments});
  std::span<const BuiltinParameter> parameters = builtin.parameters;
  while (!parameters.empty() && parameters.back().name == nullptr) {
    parameters = parameters.first(parameters.size() - 1);
  }
  Value args[std::size(Builtin{}.parameters)];
  if (!Bind(machine, builtin, parameters, arguments, args)) return Value();
  Value result = builtin.call({machine, self, {args, parameters.size()}, arguments});
  // A number that is read off a text shows it.
  if (result.is_number() && !result.outside) {
    result.outside = self.has_outside() || HaveOutside(arguments);
  }
  return machine.failed() ? Value() : result;
}

const Builtin* WantFilter(Machine& machine, std::string_view name) {
  const Builtin* filter = FindFilter(name);
  if (filter == nullptr) {
    machine.Fail("TemplateAssertionError: No filter named '%s'.", machine.Clip(name));
  }
  return filter;
}

const Builtin* WantTest(Machine& machine, std::string_view name) {
  const Builtin* test = FindTest(name);
  if (test == nullptr) {
    machine.Fail("TemplateAssertionError: No test named '%s'.", machine.Clip(name));
  }
  return test;
}

Value ApplyFilter(Machine& machine, std::string_view name, Value self, const Arguments& arguments) {
  const Builtin* filter = WantFilter(machine, name);
  return filter == nullptr ? Value() : Invoke(machine, *filter, self, arguments);
}

bool ApplyTest(Machine& machine, std::string_view name, Value self, const Arguments& arguments) {
  const Builtin* test = WantTest(machine, name);
  return test != nullptr && Truth(Invoke(machine, *test, self, arguments));
}

Value MakeFunction(Machine& machine, const Builtin* builtin, Value self) {
  const Function* function = machine.New<Function>(builtin, self);
  Value value = Value::Of(function == nullptr ? Kind::kUndefined : Kind::kFunction);
  value.function = function;
  return value;
}

bool WantInt(Machine& machine, Value value, int64_t* out) {
  if (!value.is_integral()) {
    FailType(machine, "", value, " object cannot be interpreted as an integer");
    return false;
  }
  *out = value.as_int();
  return true;
}

bool WantString(Machine& machine, Value value) {
  if (!value.is_string()) FailType(machine, "expected a str, not ", value);
  return value.is_string();
}

}  // namespace rondo::jinja
