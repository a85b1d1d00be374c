// Format: printf's texts, the same on every system. C libraries for bare machines know neither %zu
// nor %llu, and elsewhere a host's locale can put a comma into a number.
#pragma once

#include <cstdarg>
#include <cstddef>

// Parameter `format_at` of a function is printf's, with arguments from `first` on (0: a va_list).
#if defined(__MINGW32__) && !defined(__clang__)
#define RONDO_PRINTF(format_at, first) [[gnu::format(gnu_printf, format_at, first)]]
#else
#define RONDO_PRINTF(format_at, first) [[gnu::format(printf, format_at, first)]]
#endif

namespace rondo {

// Writes what fits of the text, and a zero; returns the bytes of the whole text. Knows %% %c %s %d
// %u %x, with widths of digits, '0' and '#', lengths l, ll, z and t, precisions of texts; and %g
// and %.Nf (N at most 9), which from 10^15 on is as %g.
RONDO_PRINTF(3, 4) size_t Format(char* text, size_t text_bytes, const char* format, ...);
RONDO_PRINTF(3, 0)
size_t FormatV(char* text, size_t text_bytes, const char* format, va_list arguments);

}  // namespace rondo
