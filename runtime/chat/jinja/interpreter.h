// Interpreter: runs a template's syntax tree.
#pragma once

#include <string_view>

#include "runtime/chat/jinja/access.h"
#include "runtime/chat/jinja/builtins.h"
#include "runtime/chat/jinja/text_form.h"

namespace rondo::jinja {

struct Variable {
  std::string_view name;
  Value value;
};

// Names that were set in a part of a template; what is not here is looked for outside.
struct Scope {
  Scope* outer;
  Variable* variables;
  uint32_t count, capacity;
  bool captured;  // a macro remembers it
};

class Interpreter {
 public:
  // `variables`: a dict of the names that the template can read.
  Interpreter(Machine& machine, const Dict& variables) : machine_(machine), variables_(variables) {}

  // The text of the template. Empty after a failure.
  TextView Run(const Statement* statements);

 private:
  enum class Flow : uint8_t { kNext, kBreak, kContinue };

  // ---- Expressions (evaluate.cc) ----
  Value Evaluate(const Expr* expr);
  Value EvaluateName(const Expr& expr);
  Value EvaluateItems(const Expr& expr);
  Value EvaluateDict(const Expr& expr);
  Value EvaluateSlice(const Expr& expr);
  Value EvaluateCall(const Expr& expr);
  Value EvaluateComparisons(const Expr& expr);
  Value EvaluateConcatenation(const Expr& expr);
  Value EvaluateChoice(const Expr& expr);
  // `extra`: one more by name, where it has one.
  Arguments EvaluateArguments(const CallArguments& arguments, NamedValue extra = {});
  // A filter of a chain; `head` is what stands in for the subject of its first.
  Value EvaluateFilter(const Expr& filter, Value head = Value());

  // ---- Calls ----
  // Fails with Python's error where the callee does not exist or cannot be called.
  Value CallValue(Value callee, const Arguments& arguments);
  Value CallMacro(const Macro& macro, const Arguments& arguments);
  bool BindMacro(const Macro& macro, const Arguments& arguments, Scope* scope);

  // ---- Statements (execute.cc) ----
  Flow Execute(const Statement* first);
  void Output(Value value);
  Flow ExecuteIf(const Statement* statement);
  void ExecuteFor(const Statement& statement);
  Items Select(const Statement& statement, Items items);
  Scope* NextScope(Scope* scope, const Scope& before, bool given_back);
  void ExecuteSet(const Statement& statement);
  void ExecuteMacro(const Statement& statement);
  void ExecuteCall(const Statement& statement);
  Flow ExecuteIn(Scope* scope, const Statement* body);
  // The text that the statements make.
  Value Capture(Scope* scope, const Statement* body);

  // ---- Names ----
  // The steps of comparing a name with `count` others.
  bool SpendNames(size_t count, std::string_view name) {
    return machine_.Spend(count / 8 + count * (name.size() / 64));
  }
  Scope* NewScope(Scope* outer) {
    constexpr uint32_t kVariables = 4;
    Variable* variables = machine_.NewArray<Variable>(kVariables).data();
    if (variables == nullptr) return nullptr;
    return machine_.New<Scope>(outer, variables, 0u, kVariables, false);
  }
  void Set(Scope* scope, std::string_view name, Value value);
  void Assign(Scope* scope, const Expr& target, Value value);
  void AssignAttribute(const Expr& target, Value value);
  Value MakeMacro(const MacroDefinition* definition);

  Machine& machine_;
  const Dict& variables_;
  Scope* scope_ = nullptr;
  Buffer* out_ = nullptr;
};

}  // namespace rondo::jinja
