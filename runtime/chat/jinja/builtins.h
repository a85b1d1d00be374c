// What templates find without setting it: filters, tests, global functions.
#pragma once

#include "runtime/chat/jinja/call.h"

namespace rondo::jinja {

std::span<const NamedBuiltin> TextFilters();
std::span<const NamedBuiltin> SequenceFilters();
std::span<const NamedBuiltin> ValueFilters();
std::span<const NamedBuiltin> Tests();

// range, dict, namespace, cycler, joiner, raise_exception and, where there is a clock,
// strftime_now; undefined for other names.
Value FindGlobal(Interpreter& interpreter, std::string_view name);
// The call of a cycler's or joiner's value.
Value CallObject(Interpreter& interpreter, Value object, const Arguments& arguments);

// The time as C's strftime writes it in the C locale. `seconds` since 1970-01-01 00:00.
Value FormatTime(Machine& machine, std::string_view format, int64_t seconds);

}  // namespace rondo::jinja
