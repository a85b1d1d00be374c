// Patterns as ECMA-262 writes them (and so JSON Schema), read into expressions over bytes.
#pragma once

#include <string_view>

#include "runtime/base/status.h"
#include "runtime/grammar/code_points.h"
#include "runtime/grammar/regexes.h"

namespace rondo::grammar {

// The texts in which the pattern is found: anywhere, but for ^ and $. With `whole` it must be the
// whole text. Characters stand in the text as `spelling` says.
//
// Understood: characters and escapes, classes, groups, alternatives, quantifiers (lazy ones, too),
// anchors where a text can begin or end, lookahead outside of groups. Refused by name and place:
// back references, lookbehind, word boundaries, \p, names of groups that are used, flags; patterns
// nested over 64 deep. Errors: kInvalidArgument (not well formed), kUnsupported, kOutOfMemory
// (where the budget ran out); all name the byte.
Result<Regex> ReadPattern(std::string_view pattern, bool whole, Spelling spelling, Regexes& regexes,
                          Budget& budget);

}  // namespace rondo::grammar
