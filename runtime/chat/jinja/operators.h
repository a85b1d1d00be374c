// Python's operators on values.
#pragma once

#include "runtime/chat/jinja/ast.h"
#include "runtime/chat/jinja/value.h"

namespace rondo::jinja {

// `op`: kAdd to kModulo. Integers are of 64 bits; beyond is an OverflowError.
Value Arithmetic(Machine& machine, ExprKind op, Value a, Value b);
// `op`: kNegative or kPositive.
Value Sign(Machine& machine, ExprKind op, Value value);
bool Compare(Machine& machine, Comparison op, Value a, Value b);
// a < b; fails for types that have no order.
bool Less(Machine& machine, Value a, Value b);
// & < > ' " as entities, unless the string is marked safe.
Value EscapeHtml(Machine& machine, Value text);

}  // namespace rondo::jinja
