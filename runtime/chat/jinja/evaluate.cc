// Interpreter: expressions and calls.
#include "runtime/chat/jinja/interpreter.h"
#include "runtime/chat/jinja/operators.h"

namespace rondo::jinja {

// Whoever has a leaf pays for it.
Value Interpreter::Evaluate(const Expr* expr) {
  if (expr->kind == ExprKind::kConstant) return expr->value;
  if (expr->kind == ExprKind::kName) return EvaluateName(*expr);
  const Deeper deeper(machine_);
  if (!deeper.ok() || !machine_.Spend(1)) return Value();
  switch (expr->kind) {
    case ExprKind::kTuple:
    case ExprKind::kList:
      return EvaluateItems(*expr);
    case ExprKind::kDict:
      return EvaluateDict(*expr);
    case ExprKind::kAttribute:
      return GetAttribute(machine_, Evaluate(expr->a), expr->value, expr->is_key);
    case ExprKind::kItem: {
      const Value object = Evaluate(expr->a);
      return GetItem(machine_, object, Evaluate(expr->b));
    }
    case ExprKind::kSlice:
      return EvaluateSlice(*expr);
    case ExprKind::kCall:
      return EvaluateCall(*expr);
    case ExprKind::kFilter:
      return EvaluateFilter(*expr);
    case ExprKind::kTest: {
      const Value subject = Evaluate(expr->a);
      const Arguments arguments = EvaluateArguments(expr->arguments);
      return Value::Bool(!machine_.failed() && ApplyTest(machine_, expr->name, subject, arguments));
    }
    case ExprKind::kNot:
      return Value::Bool(!Truth(Evaluate(expr->a)));
    case ExprKind::kNegative:
    case ExprKind::kPositive: {
      const Value value = Evaluate(expr->a);
      return machine_.failed() ? Value() : Sign(machine_, expr->kind, value);
    }
    case ExprKind::kAnd:
    case ExprKind::kOr: {
      const Value left = Evaluate(expr->a);
      return Truth(left) == (expr->kind == ExprKind::kOr) ? left : Evaluate(expr->b);
    }
    case ExprKind::kConcatenate:
      return EvaluateConcatenation(*expr);
    case ExprKind::kCompare:
      return EvaluateComparisons(*expr);
    case ExprKind::kChoice:
      return EvaluateChoice(*expr);
    default: {
      const Value left = Evaluate(expr->a);
      const Value right = Evaluate(expr->b);
      return machine_.failed() ? Value() : Arithmetic(machine_, expr->kind, left, right);
    }
  }
}

Value Interpreter::EvaluateName(const Expr& expr) {
  size_t names = 0;  // that were looked at and are not paid for
  for (const Scope* scope = scope_; scope != nullptr; scope = scope->outer) {
    names += scope->count + 2;
    if (!machine_.Spend(names / 8 + scope->count * (expr.name.size() / 64))) return Value();
    names %= 8;
    for (uint32_t i = 0; i < scope->count; ++i) {
      if (scope->variables[i].name == expr.name) return scope->variables[i].value;
    }
  }
  if (expr.variable == nullptr) expr.variable = Find(machine_, variables_, expr.name);
  if (expr.variable != nullptr) return *expr.variable;
  if (const Builtin* function = FindFunction(expr.name)) {
    return MakeFunction(machine_, function, Value());
  }
  if (expr.name == "varargs" || expr.name == "kwargs") {
    machine_.Fail("unknown name '%s': a macro has no arguments but its own",
                  machine_.Clip(expr.name));
  }
  Value value;
  value.undefined =
      machine_.New<Undefined>(nullptr, nullptr, ViewString(machine_, expr.name), false);
  return value;
}

Value Interpreter::EvaluateItems(const Expr& expr) {
  Sequence* items = NewSequence(machine_, expr.list.size());
  for (const Expr* item : expr.list) Append(machine_, items, Evaluate(item));
  return Value::Items(expr.kind == ExprKind::kTuple ? Kind::kTuple : Kind::kList, items);
}

Value Interpreter::EvaluateDict(const Expr& expr) {
  Dict* dict = NewDict(machine_);
  for (size_t i = 0; i + 1 < expr.list.size() && !machine_.failed(); i += 2) {
    const Value key = Evaluate(expr.list[i]);
    Put(machine_, dict, key, Evaluate(expr.list[i + 1]));
  }
  return Value::Mapping(Kind::kDict, dict);
}

Value Interpreter::EvaluateSlice(const Expr& expr) {
  const Value object = Evaluate(expr.a);
  const auto part = [this](const Expr* e) { return e == nullptr ? Value::None() : Evaluate(e); };
  const Value start = part(expr.b), stop = part(expr.c), step = part(expr.d);
  return machine_.failed() ? Value() : GetSlice(machine_, object, start, stop, step);
}

Arguments Interpreter::EvaluateArguments(const CallArguments& given, NamedValue extra) {
  Sequence* positional = NewSequence(machine_, given.positional.size());
  for (const Expr* argument : given.positional) Append(machine_, positional, Evaluate(argument));
  if (given.rest != nullptr) {
    for (const Value item : Iterate(machine_, Evaluate(given.rest))) {
      if (machine_.Spend(1)) Append(machine_, positional, item);
    }
  }
  const std::span<NamedValue> named =
      machine_.NewArray<NamedValue>(given.named.size() + (extra.name.empty() ? 0 : 1));
  for (size_t i = 0; i < given.named.size() && !machine_.failed(); ++i) {
    named[i] = {given.named[i].name, Evaluate(given.named[i].value)};
  }
  if (machine_.failed()) return {};
  if (!extra.name.empty()) named.back() = extra;
  return {{positional->items, positional->count}, named};
}

Value Interpreter::EvaluateCall(const Expr& expr) {
  const Value callee = Evaluate(expr.a);
  const Arguments arguments = EvaluateArguments(expr.arguments);
  if (machine_.failed()) return Value();
  machine_.line = expr.line;
  return CallValue(callee, arguments);
}

Value Interpreter::EvaluateFilter(const Expr& filter, Value head) {
  Value subject = head;
  if (filter.a != nullptr) {
    const Deeper deeper(machine_);
    if (!deeper.ok()) return Value();
    // A chain without a subject at its head, as of a filter block, is all filters.
    subject =
        filter.a->kind == ExprKind::kFilter ? EvaluateFilter(*filter.a, head) : Evaluate(filter.a);
  }
  const Arguments arguments = EvaluateArguments(filter.arguments);
  if (machine_.failed()) return Value();
  return ApplyFilter(machine_, filter.name, subject, arguments);
}

Value Interpreter::EvaluateComparisons(const Expr& expr) {
  Value left = Evaluate(expr.a);
  for (const ComparisonStep& step : expr.comparisons) {
    const Value right = Evaluate(step.right);
    if (!machine_.Spend(1)) return Value();
    if (!Compare(machine_, step.op, left, right)) return Value::Bool(false);
    left = right;
  }
  return Value::Bool(true);
}

Value Interpreter::EvaluateConcatenation(const Expr& expr) {
  Buffer text(machine_);
  for (const Expr* part : expr.list) {
    const Value value = ToText(machine_, Evaluate(part));
    if (!machine_.Spend(1)) return Value();
    text.AppendText(*value.text);
  }
  return text.Finish();
}

Value Interpreter::EvaluateChoice(const Expr& expr) {
  if (Truth(Evaluate(expr.b))) return Evaluate(expr.a);
  if (expr.c != nullptr) return Evaluate(expr.c);
  return UndefinedHint(
      machine_, "the inline if-expression evaluated to false and no else section was defined.");
}

// ---- Calls ----

Value Interpreter::CallValue(Value callee, const Arguments& arguments) {
  const Deeper deeper(machine_);
  if (!deeper.ok() || !machine_.Spend(1)) return Value();
  switch (callee.kind) {
    case Kind::kFunction:
      return Invoke(machine_, *callee.function->builtin, callee.function->self, arguments);
    case Kind::kMacro:
      return CallMacro(*callee.macro, arguments);
    default:
      FailType(machine_, "", callee, " object is not callable");
      return Value();
  }
}

Value Interpreter::CallMacro(const Macro& macro, const Arguments& arguments) {
  Scope* scope = NewScope(macro.scope);
  if (scope == nullptr || !BindMacro(macro, arguments, scope)) return Value();
  const uint32_t line = machine_.line;
  const Value text = Capture(scope, macro.definition->body);
  machine_.line = line;
  return text;
}

bool Interpreter::BindMacro(const Macro& macro, const Arguments& arguments, Scope* scope) {
  const MacroDefinition& definition = *macro.definition;
  const size_t n = definition.parameters.size();
  if (arguments.positional.size() > n) {
    machine_.Fail("TypeError: macro '%s' takes not more than %zu argument(s)",
                  machine_.Clip(definition.name), n);
    return false;
  }
  const std::span<bool> taken = machine_.NewArray<bool>(arguments.named.size());
  Scope* const caller_scope = scope_;
  for (size_t i = 0; i < n && !machine_.failed(); ++i) {
    const Parameter& parameter = definition.parameters[i];
    bool given = i < arguments.positional.size();
    Value value = given ? arguments.positional[i] : Value();
    if (!SpendNames(arguments.named.size(), parameter.name)) return false;
    for (size_t j = 0; j < arguments.named.size(); ++j) {
      if (arguments.named[j].name != parameter.name) continue;
      if (!given) value = arguments.named[j].value;
      given = taken[j] = true;
    }
    if (!given && parameter.fallback != nullptr) {
      scope_ = scope;  // defaults see the parameters before them
      value = Evaluate(parameter.fallback);
      scope_ = caller_scope;
    } else if (!given) {
      value = UndefinedHint(machine_, "a parameter of a macro was not provided");
    }
    Set(scope, parameter.name, value);
  }
  for (size_t j = 0; j < arguments.named.size() && !machine_.failed(); ++j) {
    const NamedValue& named = arguments.named[j];
    if (named.name == "caller") {
      Set(scope, "caller", named.value);
    } else if (!taken[j]) {
      machine_.Fail("TypeError: macro '%s' takes no keyword argument '%s'",
                    machine_.Clip(definition.name), machine_.Clip(named.name));
    }
  }
  return !machine_.failed();
}

}  // namespace rondo::jinja
