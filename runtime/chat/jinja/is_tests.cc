// Tests: what may follow `is`.
#include <cmath>

#include "runtime/chat/jinja/builtins.h"
#include "runtime/chat/jinja/interpreter.h"
#include "runtime/chat/jinja/operators.h"
#include "runtime/chat/jinja/unicode_text.h"

namespace rondo::jinja {
namespace {

bool IsString(Value v) { return v.is_string(); }
bool IsMapping(Value v) { return v.is(Kind::kDict); }
bool IsNumber(Value v) { return v.is_number(); }
bool IsInteger(Value v) { return v.is(Kind::kInt); }
bool IsFloat(Value v) { return v.is(Kind::kFloat); }
bool IsBoolean(Value v) { return v.is(Kind::kBool); }
bool IsTrue(Value v) { return v.is(Kind::kBool) && v.boolean; }
bool IsFalse(Value v) { return v.is(Kind::kBool) && !v.boolean; }
bool IsNone(Value v) { return v.is_none(); }
bool IsDefined(Value v) { return !v.is_undefined(); }
bool IsUndefined(Value v) { return v.is_undefined(); }
bool IsEscaped(Value v) { return v.is_string() && v.safe; }
// What has a length and items; Python's undefined value has both, too.
bool IsSequence(Value v) {
  return v.is_string() || v.is_sequence() || v.is(Kind::kDict) || v.is(Kind::kRange) ||
         v.is_undefined();
}
bool IsCallable(Value v) {
  return v.is(Kind::kMacro) || v.is(Kind::kFunction) || v.is(Kind::kLoop) || v.is(Kind::kCycler) ||
         v.is(Kind::kJoiner) || v.is_undefined();
}

template <bool (*is)(Value)>
Value Is(Interpreter& interpreter, Value self, const Arguments& arguments) {
  if (!Bind(interpreter.machine(), "the test", arguments, {})) return Value();
  return Value::Bool(is(self));
}

template <Comparison op>
Value Compares(Interpreter& interpreter, Value self, const Arguments& arguments) {
  Value other;
  if (!Bind(interpreter.machine(), "the test", arguments, {{"other", &other, true}}))
    return Value();
  return Value::Bool(Compare(interpreter.machine(), op, self, other));
}

// Whether self % divisor is `remainder`.
Value Leaves(Machine& machine, Value self, int64_t divisor, int64_t remainder) {
  const Value rest = Arithmetic(machine, ExprKind::kModulo, self, Value::Int(divisor));
  return Value::Bool(!machine.failed() && Equal(machine, rest, Value::Int(remainder)));
}

template <int64_t remainder>
Value Parity(Interpreter& interpreter, Value self, const Arguments& arguments) {
  if (!Bind(interpreter.machine(), "the test", arguments, {})) return Value();
  return Leaves(interpreter.machine(), self, 2, remainder);
}

Value DivisibleBy(Interpreter& interpreter, Value self, const Arguments& arguments) {
  Machine& machine = interpreter.machine();
  Value divisor;
  int64_t n = 0;
  if (!Bind(machine, "divisibleby()", arguments, {{"num", &divisor, true}}) ||
      !WantInt(machine, divisor, &n)) {
    return Value();
  }
  return Leaves(machine, self, n, 0);
}

Value SameAs(Interpreter& interpreter, Value self, const Arguments& arguments) {
  Value other;
  if (!Bind(interpreter.machine(), "sameas()", arguments, {{"other", &other, true}}))
    return Value();
  if (self.kind != other.kind) return Value::Bool(false);
  switch (self.kind) {
    case Kind::kNone:
      return Value::Bool(true);
    case Kind::kBool:
    case Kind::kInt:
    case Kind::kFloat:
      return Value::Bool(Equal(interpreter.machine(), self, other));
    default:
      return Value::Bool(self.sequence == other.sequence);
  }
}

template <Case to>
Value HasCase(Interpreter& interpreter, Value self, const Arguments& arguments) {
  Machine& machine = interpreter.machine();
  const Value text = ToText(machine, self);
  if (!Bind(machine, "the test", arguments, {})) return Value();
  const Value changed = ChangeCase(machine, text.str(), to);
  if (machine.failed() || !Equal(machine, text, changed)) return Value::Bool(false);
  // A text without letters has no case.
  return Value::Bool(
      !Equal(machine, text,
             ChangeCase(machine, text.str(), to == Case::kLower ? Case::kUpper : Case::kLower)));
}

Value IsIterableTest(Interpreter& interpreter, Value self, const Arguments& arguments) {
  if (!Bind(interpreter.machine(), "the test", arguments, {})) return Value();
  return Value::Bool(IsIterable(self));
}

Value IsFilter(Interpreter& interpreter, Value self, const Arguments& arguments) {
  if (!Bind(interpreter.machine(), "the test", arguments, {}) || !self.is_string()) return Value();
  for (const auto table : {TextFilters(), SequenceFilters(), ValueFilters()}) {
    if (FindBuiltin(table, self.str()) != nullptr) return Value::Bool(true);
  }
  return Value::Bool(false);
}

Value IsTest(Interpreter& interpreter, Value self, const Arguments& arguments) {
  if (!Bind(interpreter.machine(), "the test", arguments, {}) || !self.is_string()) return Value();
  return Value::Bool(FindBuiltin(Tests(), self.str()) != nullptr);
}

constexpr NamedBuiltin kTests[] = {
    {"defined", Is<IsDefined>},
    {"undefined", Is<IsUndefined>},
    {"none", Is<IsNone>},
    {"string", Is<IsString>},
    {"mapping", Is<IsMapping>},
    {"sequence", Is<IsSequence>},
    {"iterable", IsIterableTest},
    {"number", Is<IsNumber>},
    {"integer", Is<IsInteger>},
    {"float", Is<IsFloat>},
    {"boolean", Is<IsBoolean>},
    {"true", Is<IsTrue>},
    {"false", Is<IsFalse>},
    {"callable", Is<IsCallable>},
    {"escaped", Is<IsEscaped>},
    {"filter", IsFilter},
    {"test", IsTest},
    {"sameas", SameAs},
    {"lower", HasCase<Case::kLower>},
    {"upper", HasCase<Case::kUpper>},
    {"odd", Parity<1>},
    {"even", Parity<0>},
    {"divisibleby", DivisibleBy},
    {"in", Compares<Comparison::kIn>},
    {"eq", Compares<Comparison::kEqual>},
    {"==", Compares<Comparison::kEqual>},
    {"equalto", Compares<Comparison::kEqual>},
    {"ne", Compares<Comparison::kNotEqual>},
    {"!=", Compares<Comparison::kNotEqual>},
    {"lt", Compares<Comparison::kLess>},
    {"<", Compares<Comparison::kLess>},
    {"lessthan", Compares<Comparison::kLess>},
    {"le", Compares<Comparison::kLessEqual>},
    {"<=", Compares<Comparison::kLessEqual>},
    {"gt", Compares<Comparison::kMore>},
    {">", Compares<Comparison::kMore>},
    {"greaterthan", Compares<Comparison::kMore>},
    {"ge", Compares<Comparison::kMoreEqual>},
    {">=", Compares<Comparison::kMoreEqual>},
};

}  // namespace

std::span<const NamedBuiltin> Tests() { return kTests; }

}  // namespace rondo::jinja
