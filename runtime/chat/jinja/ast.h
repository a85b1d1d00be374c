// The syntax tree of a template. Nodes lie in the machine's memory.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "runtime/chat/jinja/value.h"

namespace rondo::jinja {

enum class ExprKind : uint8_t {
  kConstant,   // value
  kName,       // name
  kTuple,      // list; also the target of an assignment
  kList,       // list
  kDict,       // list: key, value, key, value, ...
  kAttribute,  // a.name; also the target of an assignment to a namespace
  kItem,       // a[b]
  kSlice,      // a[b:c:d]; absent parts are null
  kCall,       // a(arguments)
  kFilter,     // a | name(arguments); a is null at the head of a filter block
  kTest,       // a is name(arguments)
  kNot,
  kNegative,
  kPositive,
  kAnd,
  kOr,
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kFloorDivide,
  kModulo,
  kConcatenate,  // list, by ~
  kCompare,      // a, then the pairs of `comparisons`
  kChoice,       // a if b else c; c may be null
};

enum class Comparison : uint8_t {
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kMore,
  kMoreEqual,
  kIn,
  kNotIn
};

struct Expr;

struct KeywordArgument {
  std::string_view name;
  const Expr* value;
};

struct ComparisonStep {
  Comparison op;
  const Expr* right;
};

struct CallArguments {
  std::span<const Expr* const> positional = {};
  std::span<const KeywordArgument> named = {};
  const Expr* rest = nullptr;  // *rest
};

struct Expr {
  ExprKind kind;
  uint32_t line;
  std::string_view name = {};
  Value value = {};
  mutable const Value* variable = nullptr;  // kName: the host's, once it was looked for
  const Expr* a = nullptr;
  const Expr* b = nullptr;
  const Expr* c = nullptr;
  const Expr* d = nullptr;
  std::span<const Expr* const> list = {};
  std::span<const ComparisonStep> comparisons = {};
  CallArguments arguments = {};
  bool is_key = false;  // kAttribute: of a dict, it can only be a key
};

enum class StatementKind : uint8_t {
  kText,      // text
  kOutput,    // {{ value }}
  kIf,        // value, body, otherwise (elif: a single kIf)
  kFor,       // target in value if condition: body, else otherwise
  kSet,       // target = value
  kSetBlock,  // target = body, through the filter `value` if there is one
  kMacro,     // macro
  kCall,      // value(caller = macro)
  kFilter,    // value (filters without a subject), body
  kScope,     // body, with names of its own
  kBreak,
  kContinue,
};

struct Statement;

struct Parameter {
  std::string_view name;
  const Expr* fallback;  // may be null
};

struct MacroDefinition {
  std::string_view name;
  std::span<const Parameter> parameters = {};
  const Statement* body = nullptr;
};

struct Scope;
struct Macro {
  const MacroDefinition* definition;
  Scope* scope;  // where it was defined
};

struct Statement {
  StatementKind kind;
  uint32_t line;
  Statement* next = nullptr;
  std::string_view text = {};
  const Expr* target = nullptr;
  const Expr* value = nullptr;
  const Expr* condition = nullptr;
  const Statement* body = nullptr;
  const Statement* otherwise = nullptr;
  const MacroDefinition* macro = nullptr;
};

}  // namespace rondo::jinja
