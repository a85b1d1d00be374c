// Tests: what may follow `is`.
#include "runtime/chat/jinja/access.h"
#include "runtime/chat/jinja/builtins.h"
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
// What has a length and items; Python's undefined value has both, too.
bool IsSequence(Value v) {
  return v.is_string() || v.is_sequence() || v.is(Kind::kDict) || v.is(Kind::kRange) ||
         v.is_undefined();
}
bool IsCallable(Value v) {
  return v.is(Kind::kMacro) || v.is(Kind::kFunction) || v.is(Kind::kLoop) || v.is_undefined();
}

template <bool (*is)(Value)>
Value Is(const Call& call) {
  return Value::Bool(is(call.self));
}

template <Comparison op>
Value Compares(const Call& call) {
  return Value::Bool(Compare(call.machine, op, call.self, call.args[0]));
}

// Whether self % divisor is `remainder`.
Value Leaves(Machine& machine, Value self, Value divisor, int64_t remainder) {
  const Value rest = Arithmetic(machine, ExprKind::kModulo, self, divisor);
  return Value::Bool(!machine.failed() && Equal(machine, rest, Value::Int(remainder)));
}

template <int64_t remainder>
Value Parity(const Call& call) {
  return Leaves(call.machine, call.self, Value::Int(2), remainder);
}

template <Case to, Case other>
Value HasCase(const Call& call) {
  const Value text = call.self;
  if (!Equal(call.machine, text, ChangeCase(call.machine, text.str(), to))) {
    return Value::Bool(false);
  }
  // A text without letters has no case.
  return Value::Bool(!Equal(call.machine, text, ChangeCase(call.machine, text.str(), other)));
}

constexpr Builtin kTests[] = {
    {"defined", Is<IsDefined>},
    {"undefined", Is<IsUndefined>},
    {"none", Is<IsNone>},
    {"string", Is<IsString>},
    {"mapping", Is<IsMapping>},
    {"sequence", Is<IsSequence>},
    {"iterable", Is<IsIterable>},
    {"number", Is<IsNumber>},
    {"integer", Is<IsInteger>},
    {"float", Is<IsFloat>},
    {"boolean", Is<IsBoolean>},
    {"true", Is<IsTrue>},
    {"false", Is<IsFalse>},
    {"callable", Is<IsCallable>},
    {"lower", HasCase<Case::kLower, Case::kUpper>, {}, Style::kText},
    {"upper", HasCase<Case::kUpper, Case::kLower>, {}, Style::kText},
    {"odd", Parity<1>},
    {"even", Parity<0>},
    {"in", Compares<Comparison::kIn>, {{"seq"}}},
    {"eq", Compares<Comparison::kEqual>, {{"other"}}},
    {"==", Compares<Comparison::kEqual>, {{"other"}}},
    {"equalto", Compares<Comparison::kEqual>, {{"other"}}},
    {"ne", Compares<Comparison::kNotEqual>, {{"other"}}},
    {"!=", Compares<Comparison::kNotEqual>, {{"other"}}},
    {"lt", Compares<Comparison::kLess>, {{"other"}}},
    {"<", Compares<Comparison::kLess>, {{"other"}}},
    {"le", Compares<Comparison::kLessEqual>, {{"other"}}},
    {"<=", Compares<Comparison::kLessEqual>, {{"other"}}},
    {"gt", Compares<Comparison::kMore>, {{"other"}}},
    {">", Compares<Comparison::kMore>, {{"other"}}},
    {"ge", Compares<Comparison::kMoreEqual>, {{"other"}}},
    {">=", Compares<Comparison::kMoreEqual>, {{"other"}}},
};

}  // namespace

std::span<const Builtin> Tests() { return kTests; }

}  // namespace rondo::jinja
