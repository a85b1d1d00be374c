#include "runtime/chat/jinja/operators.h"

#include <algorithm>
#include <cmath>

#include "runtime/chat/jinja/access.h"
#include "runtime/chat/jinja/text_form.h"

namespace rondo::jinja {
namespace {

constexpr uint64_t kRemainderSteps = 64;  // fmod goes from bit to bit, 2000 of them

Value Overflow(Machine& machine) {
  machine.Fail("OverflowError: an integer is beyond 64 bits");
  return Value();
}

Value Unsupported(Machine& machine, ExprKind op, Value a, Value b) {
  if (a.is_undefined() || b.is_undefined()) {
    FailUndefined(machine, a.is_undefined() ? a : b);
  } else if (op == ExprKind::kAdd && (a.is_string() || a.is_sequence())) {
    machine.Fail("TypeError: can only concatenate %s (not \"%s\") to %s", TypeName(a), TypeName(b),
                 TypeName(a));
  } else {
    static constexpr const char* kSymbols[] = {"+", "-", "*", "/", "//", "%"};  // from kAdd on
    machine.Fail("TypeError: unsupported operand type(s) for %s: '%s' and '%s'",
                 kSymbols[static_cast<int>(op) - static_cast<int>(ExprKind::kAdd)], TypeName(a),
                 TypeName(b));
  }
  return Value();
}

Value DivisionByZero(Machine& machine) {
  machine.Fail("ZeroDivisionError: division by zero");
  return Value();
}

Value IntegerArithmetic(Machine& machine, ExprKind op, int64_t a, int64_t b) {
  int64_t result = 0;
  switch (op) {
    case ExprKind::kAdd:
      if (__builtin_add_overflow(a, b, &result)) return Overflow(machine);
      return Value::Int(result);
    case ExprKind::kSubtract:
      if (__builtin_sub_overflow(a, b, &result)) return Overflow(machine);
      return Value::Int(result);
    case ExprKind::kMultiply:
      if (__builtin_mul_overflow(a, b, &result)) return Overflow(machine);
      return Value::Int(result);
    case ExprKind::kDivide:
      if (b == 0) return DivisionByZero(machine);
      return Value::Float(static_cast<double>(a) / static_cast<double>(b));
    default: {  // kFloorDivide, kModulo
      if (b == 0) {
        machine.Fail("ZeroDivisionError: integer division or modulo by zero");
        return Value();
      }
      if (b == -1) {  // the one quotient that may not fit
        if (op == ExprKind::kModulo) return Value::Int(0);
        if (__builtin_sub_overflow(int64_t{0}, a, &result)) return Overflow(machine);
        return Value::Int(result);
      }
      const int64_t remainder = a % b;
      const bool down = remainder != 0 && (remainder < 0) != (b < 0);  // Python rounds down
      if (op == ExprKind::kModulo) return Value::Int(remainder + (down ? b : 0));
      return Value::Int(a / b - (down ? 1 : 0));
    }
  }
}

Value FloatArithmetic(Machine& machine, ExprKind op, double a, double b) {
  switch (op) {
    case ExprKind::kAdd:
      return Value::Float(a + b);
    case ExprKind::kSubtract:
      return Value::Float(a - b);
    case ExprKind::kMultiply:
      return Value::Float(a * b);
    case ExprKind::kDivide:
      if (b == 0) return DivisionByZero(machine);
      return Value::Float(a / b);
    case ExprKind::kFloorDivide:
      if (b == 0) return DivisionByZero(machine);
      return Value::Float(std::floor(a / b));
    default: {  // kModulo
      if (b == 0) return DivisionByZero(machine);
      if (!machine.Spend(kRemainderSteps)) return Value();
      const double remainder = std::fmod(a, b);
      return Value::Float(remainder != 0 && (remainder < 0) != (b < 0) ? remainder + b : remainder);
    }
  }
}

Value AddStrings(Machine& machine, Value a, Value b) {
  // Where one is marked safe, the other is escaped to match.
  const bool safe = a.safe || b.safe;
  if (safe) {
    a = EscapeHtml(machine, a);
    b = EscapeHtml(machine, b);
    if (machine.failed()) return Value();
  }
  Value sum = Concatenate(machine, *a.text, *b.text);
  sum.safe = safe;
  return sum;
}

Value Repeat(Machine& machine, Value value, int64_t times) {
  const size_t count = times < 0 ? 0 : static_cast<size_t>(times);
  if (value.is_string()) {
    Buffer out(machine);
    if (value.text->size > 0) {
      for (size_t i = 0; i < count && machine.SpendBytes(value.text->size); ++i) {
        out.Append(value.view());
      }
    }
    Value text = out.Finish();
    text.safe = value.safe;
    return text;
  }
  Sequence* items = NewSequence(machine);
  for (size_t i = 0; i < count && value.sequence->count > 0 && machine.Spend(1); ++i) {
    for (size_t j = 0; j < value.sequence->count && machine.Spend(1); ++j) {
      Append(machine, items, value.sequence->items[j]);
    }
  }
  return Value::Items(value.kind, items);
}

bool LessItems(Machine& machine, const Sequence& a, const Sequence& b) {
  for (size_t i = 0; i < a.count && i < b.count; ++i) {
    if (!Equal(machine, a.items[i], b.items[i])) return Less(machine, a.items[i], b.items[i]);
  }
  return a.count < b.count;
}

bool NoOrder(Machine& machine, const char* op, Value a, Value b) {
  if (a.is_undefined() || b.is_undefined()) {
    FailUndefined(machine, a.is_undefined() ? a : b);
  } else {
    machine.Fail("TypeError: '%s' not supported between instances of '%s' and '%s'", op,
                 TypeName(a), TypeName(b));
  }
  return false;
}

bool HasOrder(Value a, Value b) {
  return (a.is_number() && b.is_number()) ||
         (a.kind == b.kind && (a.is_string() || a.is_sequence()));
}

Value Calculate(Machine& machine, ExprKind op, Value a, Value b) {
  if (a.is_integral() && b.is_integral()) {
    return IntegerArithmetic(machine, op, a.as_int(), b.as_int());
  }
  if (a.is_number() && b.is_number()) {
    return FloatArithmetic(machine, op, a.as_double(), b.as_double());
  }
  if (op == ExprKind::kAdd) {
    if (a.is_string() && b.is_string()) return AddStrings(machine, a, b);
    if (a.is_sequence() && a.kind == b.kind) {
      return Value::Items(a.kind, Concatenate(machine, *a.sequence, *b.sequence));
    }
  }
  if (op == ExprKind::kMultiply) {
    if ((a.is_string() || a.is_sequence()) && b.is_integral())
      return Repeat(machine, a, b.as_int());
    if ((b.is_string() || b.is_sequence()) && a.is_integral())
      return Repeat(machine, b, a.as_int());
  }
  if (op == ExprKind::kModulo && a.is_string()) machine.Fail("%% does not format texts here");
  return Unsupported(machine, op, a, b);
}

}  // namespace

Value Arithmetic(Machine& machine, ExprKind op, Value a, Value b) {
  Value result = Calculate(machine, op, a, b);
  result.outside = a.outside || b.outside;
  return result;
}

Value Sign(Machine& machine, ExprKind op, Value value) {
  const bool negative = op == ExprKind::kNegative;
  Value result;
  if (value.is(Kind::kFloat)) result = Value::Float(negative ? -value.number : value.number);
  if (value.is_integral()) {
    result = negative ? IntegerArithmetic(machine, ExprKind::kSubtract, 0, value.as_int())
                      : Value::Int(value.as_int());
  }
  result.outside = value.outside;
  if (value.is_number()) return result;
  FailType(machine,
           negative ? "bad operand type for unary -: " : "bad operand type for unary +: ", value);
  return Value();
}

bool Less(Machine& machine, Value a, Value b) {
  const Deeper deeper(machine);
  if (!deeper.ok() || !machine.Spend(1)) return false;
  if (!HasOrder(a, b)) return NoOrder(machine, "<", a, b);
  if (a.is_integral() && b.is_integral()) return a.as_int() < b.as_int();
  if (a.is_number()) return a.as_double() < b.as_double();
  if (a.is_string()) {
    if (!machine.SpendBytes(std::min(a.text->size, b.text->size))) return false;
    return a.str() < b.str();  // UTF-8 keeps the order of code points
  }
  return LessItems(machine, *a.sequence, *b.sequence);
}

bool Compare(Machine& machine, Comparison op, Value a, Value b) {
  switch (op) {
    case Comparison::kEqual:
      return Equal(machine, a, b);
    case Comparison::kNotEqual:
      return !Equal(machine, a, b);
    case Comparison::kIn:
      return Contains(machine, b, a);
    case Comparison::kNotIn:
      return !Contains(machine, b, a);
    default:
      break;
  }
  static constexpr const char* kSymbols[] = {"==", "!=", "<", "<=", ">", ">="};
  if (!HasOrder(a, b)) return NoOrder(machine, kSymbols[static_cast<size_t>(op)], a, b);
  // Not by negation: nothing compares with a NaN.
  const bool less = op == Comparison::kLess || op == Comparison::kLessEqual;
  if (less ? Less(machine, a, b) : Less(machine, b, a)) return true;
  return (op == Comparison::kLessEqual || op == Comparison::kMoreEqual) && Equal(machine, a, b);
}

Value EscapeHtml(Machine& machine, Value text) {
  if (text.safe) return text;
  static constexpr std::string_view kSpecial = "&<>'\"";
  static constexpr const char* kEntities[] = {"&amp;", "&lt;", "&gt;", "&#39;", "&#34;"};
  Buffer out(machine);
  if (!machine.SpendCharacters(text.text->size)) return Value();
  const TextView view = text.view();
  for (size_t i = 0; i < view.size(); ++i) {
    const size_t special = kSpecial.find(view.bytes[i]);
    const bool outside = view.IsOutside(i);
    if (special != kSpecial.npos) {
      out.Append({kEntities[special], MarkOf(outside)});
    } else {
      out.Append(view.bytes[i], outside);
    }
  }
  Value escaped = out.Finish();
  escaped.safe = true;
  return escaped;
}

}  // namespace rondo::jinja
