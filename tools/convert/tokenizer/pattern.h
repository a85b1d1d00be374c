// Regular expressions of tokenizer.json (Oniguruma's dialect) put into PCRE2's words.
#pragma once

#include <string>

#include "tools/convert/tokenizer/json_value.h"

namespace rondo::convert {

// The two dialects read many things differently: \s, \h, \v, ^, {,n}, [a[b]], possessive
// intervals. This passes on what both read alike, spells out what differs, and refuses the rest
// by name, so that a pattern either means the same or is not converted. `where` names it in errors.
// `over_bytes`: the pattern sees the printable stand-ins of single bytes, so only ASCII characters
// that stand for themselves may be named.
std::string TranslatePattern(const std::string& pattern, bool over_bytes, const JsonValue& where);

// For PCRE2: a run of word characters, or of what is neither one nor whitespace.
std::string WordsPattern();
// A Han character, as BertNormalizer has them.
std::string HanPattern();

// A pattern that matches `text` and nothing else.
std::string QuotePattern(const std::string& text);

}  // namespace rondo::convert
