// Interpreter: statements and names.
#include <algorithm>

#include "runtime/chat/jinja/interpreter.h"

namespace rondo::jinja {

TextView Interpreter::Run(const Statement* statements) {
  Buffer text(machine_);
  out_ = &text;
  scope_ = NewScope(nullptr);
  if (scope_ != nullptr) Execute(statements);
  out_ = nullptr;
  return machine_.failed() ? TextView() : text.view();
}

Interpreter::Flow Interpreter::Execute(const Statement* first) {
  const Deeper deeper(machine_);
  if (!deeper.ok()) return Flow::kNext;
  for (const Statement* s = first; s != nullptr && machine_.Spend(1); s = s->next) {
    machine_.line = s->line;
    Flow flow = Flow::kNext;
    switch (s->kind) {
      case StatementKind::kText:
        out_->Append(s->text);
        break;
      case StatementKind::kOutput:
        Output(Evaluate(s->value));
        break;
      case StatementKind::kIf:
        flow = ExecuteIf(s);
        break;
      case StatementKind::kFor:
        ExecuteFor(*s);
        break;
      case StatementKind::kSet:
      case StatementKind::kSetBlock:
        ExecuteSet(*s);
        break;
      case StatementKind::kMacro:
        ExecuteMacro(*s);
        break;
      case StatementKind::kCall:
        ExecuteCall(*s);
        break;
      case StatementKind::kFilter:
        Output(EvaluateFilter(*s->value, Capture(NewScope(scope_), s->body)));
        break;
      case StatementKind::kScope:
        flow = ExecuteIn(NewScope(scope_), s->body);
        break;
      case StatementKind::kBreak:
        return Flow::kBreak;
      case StatementKind::kContinue:
        return Flow::kContinue;
    }
    if (flow != Flow::kNext) return flow;
  }
  return Flow::kNext;
}

void Interpreter::Output(Value value) {
  if (machine_.failed()) return;
  const Value text = ToText(machine_, value);
  if (!machine_.failed()) out_->AppendText(*text.text);
}

Interpreter::Flow Interpreter::ExecuteIf(const Statement* statement) {
  while (true) {
    machine_.line = statement->line;
    if (Truth(Evaluate(statement->value))) return Execute(statement->body);
    const Statement* otherwise = statement->otherwise;
    // elif: a branch of the same statement, not one level deeper.
    if (otherwise == nullptr || otherwise->kind != StatementKind::kIf ||
        otherwise->next != nullptr) {
      return Execute(otherwise);
    }
    statement = otherwise;
    if (!machine_.Spend(1)) return Flow::kNext;
  }
}

// The scope of a pass of a loop, empty again. Its variables are as they were before where the pass
// left nothing behind; where a macro holds on to them it is another scope.
Scope* Interpreter::NextScope(Scope* scope, const Scope& before, bool given_back) {
  if (given_back) {
    *scope = before;
  } else if (scope->captured) {
    scope = NewScope(before.outer);
  } else {
    scope->count = 0;
  }
  return scope;
}

Items Interpreter::Select(const Statement& statement, Items items) {
  Sequence* selected = NewSequence(machine_, items.size());
  Scope* const before = scope_;
  Scope* scope = NewScope(before);
  if (machine_.failed()) return {};
  for (size_t i = 0; i < items.size() && scope != nullptr && machine_.Spend(1); ++i) {
    const Scope empty = *scope;
    Region region(machine_);
    scope_ = scope;
    Assign(scope, *statement.target, items[i]);
    if (Truth(Evaluate(statement.condition))) selected->items[selected->count++] = items[i];
    scope_ = before;
    scope = NextScope(scope, empty, region.End());
  }
  return {selected->items, selected->count};
}

void Interpreter::ExecuteFor(const Statement& statement) {
  const Deeper deeper(machine_);
  if (!deeper.ok()) return;
  Items items = Iterate(machine_, Evaluate(statement.value));
  if (!machine_.failed() && statement.condition != nullptr) items = Select(statement, items);
  Loop* loop = machine_.New<Loop>(items, size_t{0});
  Scope* const before = scope_;
  Scope* scope = NewScope(before);
  if (machine_.failed()) return;
  Value loop_value = Value::Of(Kind::kLoop);
  loop_value.loop = loop;
  for (; loop->index < items.size() && scope != nullptr && machine_.Spend(1); ++loop->index) {
    // What a pass makes is given back behind it, unless a namespace or a text outside holds it.
    const Scope empty = *scope;
    Region region(machine_);
    Set(scope, "loop", loop_value);
    Assign(scope, *statement.target, items[loop->index]);
    scope_ = scope;
    const Flow flow = machine_.failed() ? Flow::kBreak : Execute(statement.body);
    scope_ = before;
    if (flow == Flow::kBreak) break;
    scope = NextScope(scope, empty, region.End());
  }
  if (items.empty() && !machine_.failed()) ExecuteIn(NewScope(before), statement.otherwise);
}

void Interpreter::ExecuteSet(const Statement& statement) {
  Value value;
  if (statement.kind == StatementKind::kSet) {
    value = Evaluate(statement.value);
  } else {
    value = Capture(NewScope(scope_), statement.body);
    if (statement.value != nullptr) value = EvaluateFilter(*statement.value, value);
  }
  if (!machine_.failed()) Assign(scope_, *statement.target, value);
}

Value Interpreter::MakeMacro(const MacroDefinition* definition) {
  for (Scope* scope = scope_; scope != nullptr && !scope->captured; scope = scope->outer) {
    scope->captured = true;
  }
  Value value = Value::Of(Kind::kMacro);
  value.macro = machine_.New<Macro>(definition, scope_);
  return value;
}

void Interpreter::ExecuteMacro(const Statement& statement) {
  Set(scope_, statement.macro->name, MakeMacro(statement.macro));
}

void Interpreter::ExecuteCall(const Statement& statement) {
  const Expr& call = *statement.value;
  const Value callee = Evaluate(call.a);
  const Arguments arguments =
      EvaluateArguments(call.arguments, {"caller", MakeMacro(statement.macro)});
  if (!machine_.failed()) Output(CallValue(callee, arguments));
}

Interpreter::Flow Interpreter::ExecuteIn(Scope* scope, const Statement* body) {
  if (machine_.failed()) return Flow::kNext;
  Scope* const before = scope_;
  scope_ = scope;
  const Flow flow = Execute(body);
  scope_ = before;
  return flow;
}

Value Interpreter::Capture(Scope* scope, const Statement* body) {
  Buffer text(machine_);
  Buffer* const out = out_;
  out_ = &text;
  ExecuteIn(scope, body);
  out_ = out;
  return text.Finish();
}

// ---- Names ----

void Interpreter::Set(Scope* scope, std::string_view name, Value value) {
  if (!SpendNames(scope->count, name)) return;
  for (uint32_t i = 0; i < scope->count; ++i) {
    if (scope->variables[i].name != name) continue;
    scope->variables[i].value = value;
    return;
  }
  if (scope->count == scope->capacity) {
    const uint32_t capacity = scope->capacity == 0 ? 4 : scope->capacity * 2;
    const std::span<Variable> variables = machine_.NewArray<Variable>(capacity);
    if (variables.empty()) return;
    std::copy_n(scope->variables, scope->count, variables.data());
    scope->variables = variables.data();
    scope->capacity = capacity;
  }
  scope->variables[scope->count++] = {name, value};
}

void Interpreter::Assign(Scope* scope, const Expr& target, Value value) {
  const Deeper deeper(machine_);
  if (!deeper.ok()) return;
  if (target.kind == ExprKind::kName) return Set(scope, target.name, value);
  if (target.kind == ExprKind::kAttribute) return AssignAttribute(target, value);
  const Items items = Iterate(machine_, value);
  if (machine_.failed()) return;
  if (items.size() > target.list.size()) {
    machine_.Fail("ValueError: too many values to unpack (expected %zu)", target.list.size());
  } else if (items.size() < target.list.size()) {
    machine_.Fail("ValueError: not enough values to unpack (expected %zu, got %zu)",
                  target.list.size(), items.size());
  }
  for (size_t i = 0; i < items.size() && !machine_.failed(); ++i) {
    Assign(scope, *target.list[i], items[i]);
  }
}

void Interpreter::AssignAttribute(const Expr& target, Value value) {
  const Value object = Evaluate(target.a);
  if (machine_.failed()) return;
  if (!object.is(Kind::kNamespace)) {
    machine_.Fail("TemplateRuntimeError: cannot assign attribute on non-namespace object");
    return;
  }
  Dict* dict = object.dict;
  const Value name = ViewString(machine_, target.name);
  Put(machine_, dict, name, value);
  // The namespace may be older than the pass of a loop.
  const Machine::Mark born = machine_.MarkOf(dict);
  machine_.Keep(born, dict->entries);
  machine_.Keep(born, dict->index);
  if (!machine_.failed()) machine_.Keep(born, dict->entries[dict->count - 1].key.pointer());
  machine_.Keep(born, value.pointer());
}

}  // namespace rondo::jinja
