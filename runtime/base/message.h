// FormatMessage: printf for messages, which are UTF-8 whatever is in them and wherever they are
// cut.
#pragma once

#include <cstdarg>
#include <cstddef>
#include <string_view>

#include "runtime/base/format.h"

namespace rondo {

// As vsnprintf. What does not fit is cut between characters; each byte that is not UTF-8, as in a
// name out of a damaged file, becomes '?'.
RONDO_PRINTF(3, 0)
void FormatMessage(char* text, size_t text_bytes, const char* format, va_list arguments);

// The precision for "%.*s" that shows at most `limit` bytes of `text`, in whole characters.
int CutForMessage(std::string_view text, size_t limit);

}  // namespace rondo
