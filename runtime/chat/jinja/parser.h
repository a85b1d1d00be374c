// Parser: a template's text to its syntax tree.
#pragma once

#include <string_view>

#include "runtime/chat/jinja/ast.h"

namespace rondo::jinja {

// The first statement of the template, nullptr for an empty one. The tree lives as long as the
// machine, which fails for what is not Jinja and for statements that Rondo does not have. Where
// `check_names`, so it does for filters, tests and methods; otherwise a part of the template that
// does not run may have any. `source` must be UTF-8.
const Statement* ParseTemplate(Machine& machine, std::string_view source, bool check_names = false);

}  // namespace rondo::jinja
