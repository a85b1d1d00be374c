// Interpreter: runs a template's syntax tree.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "runtime/chat/jinja/ast.h"
#include "runtime/chat/jinja/call.h"
#include "runtime/chat/jinja/loop.h"
#include "runtime/chat/jinja/text_form.h"
#include "runtime/chat/jinja/value.h"

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

struct Macro {
  const MacroDefinition* definition;
  Scope* scope;  // where it was defined
};

class Interpreter {
 public:
  // `variables`: a dict of the names that the template can read. `local_time`: what strftime_now
  // shows, seconds since 1970-01-01 00:00 on the wall clock; without, there is no strftime_now.
  Interpreter(Machine& machine, const Dict& variables, std::optional<int64_t> local_time)
      : machine_(machine), variables_(variables), local_time_(local_time) {}

  // The text of the template. Empty after a failure.
  std::string_view Run(const Statement* statements);

  Machine& machine() { return machine_; }
  std::optional<int64_t> local_time() const { return local_time_; }

  // Each fails with Python's error where the callee does not exist or cannot be called.
  Value Call(Value callee, const Arguments& arguments);
  Value ApplyFilter(std::string_view name, Value subject, const Arguments& arguments);
  bool ApplyTest(std::string_view name, Value subject, const Arguments& arguments);

 private:
  enum class Flow : uint8_t { kNext, kBreak, kContinue };

  // ---- Expressions (evaluate.cc) ----
  Value Evaluate(const Expr* expr);
  Value EvaluateName(const Expr& expr);
  Value EvaluateItems(const Expr& expr);
  Value EvaluateDict(const Expr& expr);
  Value EvaluateSlice(const Expr& expr);
  Value EvaluateCall(const Expr& expr);
  Value EvaluateFilter(const Expr& expr);
  Value EvaluateTest(const Expr& expr);
  Value EvaluateComparisons(const Expr& expr);
  Value EvaluateConcatenation(const Expr& expr);
  Value EvaluateChoice(const Expr& expr);
  // `extra`: one more by name, where it has one.
  Arguments EvaluateArguments(const CallArguments& arguments, NamedValue extra = {});
  // A filter's chain with the text at its head.
  Value ApplyFilters(const Expr* filters, Value text);

  // ---- Calls ----
  Value CallMacro(const Macro& macro, const Arguments& arguments);
  bool BindMacro(const Macro& macro, const Arguments& arguments, Scope* scope);
  Value CallLoop(Loop& loop, const Arguments& arguments);

  // ---- Statements (execute.cc) ----
  Flow Execute(const Statement* first);
  void Output(Value value);
  Flow ExecuteIf(const Statement* statement);
  void ExecuteFor(const Statement& statement, Value iterable, Scope* outer, size_t depth);
  Items Select(const Statement& statement, Items items, Scope* outer);
  void ExecuteSet(const Statement& statement);
  void ExecuteMacro(const Statement& statement);
  void ExecuteCall(const Statement& statement);
  Flow ExecuteWith(const Statement& statement);
  Flow ExecuteIn(Scope* scope, const Statement* body);
  // The text that the statements make.
  Value Capture(Scope* scope, const Statement* body);

  // ---- Names ----
  Scope* NewScope(Scope* outer) { return machine_.New<Scope>(outer, nullptr, 0u, 0u, false); }
  void Set(Scope* scope, std::string_view name, Value value);
  void Assign(Scope* scope, const Expr& target, Value value);
  void AssignAttribute(const Expr& target, Value value);
  Value MakeMacro(const MacroDefinition* definition);

  Machine& machine_;
  const Dict& variables_;
  const std::optional<int64_t> local_time_;
  Scope* scope_ = nullptr;
  Buffer* out_ = nullptr;
};

}  // namespace rondo::jinja
