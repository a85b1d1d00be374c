// Python's two ways to fill values into a text: "%s" % value and "{}".format(value).
#pragma once

#include "runtime/chat/jinja/call.h"

namespace rondo::jinja {

// %s %r %d %i %u %f %e %g %x %X %o %c %% with flags, width and precision, and %(key)s of a dict.
Value FormatPercent(Machine& machine, Value format, Value values);
// {} {0} {name} {name.part} {name[0]} with !s, !r and a format of fill, align, sign, width, comma,
// precision and type.
Value FormatBraces(Machine& machine, std::string_view format, const Arguments& arguments);

}  // namespace rondo::jinja
