// FormatTime: strftime, from a number of seconds alone: no time zone, no locale.
#pragma once

#include "runtime/chat/jinja/value.h"

namespace rondo::jinja {

// The time as C's strftime writes it in the C locale. `seconds` since 1970-01-01 00:00. Fails for
// conversions that no template uses.
Value FormatTime(Machine& machine, std::string_view format, int64_t seconds);

}  // namespace rondo::jinja
