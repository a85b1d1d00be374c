// RONDO_PRINTF(FORMAT, FIRST): parameter FORMAT of a function is printf's, with arguments from
// FIRST on; 0: in a va_list. Counted from 1, and 2 in members.
#pragma once

#if defined(__MINGW32__) && !defined(__clang__)
#define RONDO_PRINTF(format_at, first) [[gnu::format(gnu_printf, format_at, first)]]
#else
#define RONDO_PRINTF(format_at, first) [[gnu::format(printf, format_at, first)]]
#endif
