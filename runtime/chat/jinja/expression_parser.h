// ExpressionParser: what stands inside of tags.
#pragma once

#include <string_view>

#include "runtime/chat/jinja/ast.h"
#include "runtime/chat/jinja/builtins.h"
#include "runtime/chat/jinja/token_stream.h"

namespace rondo::jinja {

// Collects the nodes of a list in the machine's memory.
template <typename T>
class ListBuilder {
 public:
  explicit ListBuilder(Machine& machine) : machine_(machine) {}
  void Add(T item) {
    if (count_ == items_.size()) {
      const std::span<T> more = machine_.NewArray<T>(items_.empty() ? 4 : items_.size() * 2);
      if (more.empty()) return;
      for (size_t i = 0; i < count_; ++i) more[i] = items_[i];
      items_ = more;
    }
    items_[count_++] = item;
  }
  std::span<const T> list() const { return items_.first(count_); }

 private:
  Machine& machine_;
  std::span<T> items_;
  size_t count_ = 0;
};

// Every method returns a node, never null: after a failure one that is of no use. Where
// `check_names`, a filter, a test or a method that Rondo does not have fails here, and not only
// where the template runs into it.
class ExpressionParser {
 public:
  ExpressionParser(Machine& machine, TokenStream& tokens, bool check_names)
      : machine_(machine), tokens_(tokens), check_names_(check_names) {}

  // `choice`: whether `a if b else c` may follow.
  const Expr* Parse(bool choice = true);
  // One expression, or a tuple without parentheses.
  const Expr* ParseTuple(bool choice = true);
  // Names, tuples of names, or one attribute of a name (where `attribute`).
  const Expr* ParseTarget(bool attribute);
  // name(arguments) | ... as in `{% filter ... %}`, where the subject is null.
  const Expr* ParseFilters(const Expr* subject);
  CallArguments ParseArguments();

 private:
  Expr* New(ExprKind kind);
  const Expr* Constant(Value value);
  Expr* Unary(ExprKind kind, const Expr* a);
  const Expr* ParseOperators(int lowest);
  const Expr* ParseComparisons(const Expr* left);
  const Expr* ParseConcatenation(const Expr* left);
  const Expr* ParseUnary(bool with_filters);
  const Expr* ParsePrimary();
  const Expr* ParseName();
  const Expr* ParseStrings();
  const Expr* ParseParentheses();
  const Expr* ParsePostfix(const Expr* left, bool with_filters);
  const Expr* ParseTest(const Expr* left);
  const Expr* ParseAttribute(const Expr* left);
  const Expr* ParseSubscript(const Expr* left);
  const Expr* ParseCall(const Expr* callee);
  const Expr* ParseListUntil(ExprKind kind, std::string_view close, const char* expected);
  using FindBuiltin = const Builtin* (*)(std::string_view name);
  std::string_view ParseBuiltinName(const char* what, FindBuiltin find);

  Machine& machine_;
  TokenStream& tokens_;
  const bool check_names_;
  Expr unused_ = {};  // written to after a failure
};

}  // namespace rondo::jinja
