// Text that this program did not write, as a terminal may show it: names and values out of files,
// what a model says, paths. A control character in it could move the cursor, change the colours or
// the window's title, or make a line look like one of ours.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace rondo::tools {

// In one line: control characters, line ends among them, marks that turn the direction of the text
// and bytes that are not UTF-8 become "\n", "\x1b", "\u202e".
std::string Printable(std::string_view text);

// The same for a text of many lines: its line ends and tabs stay.
std::string PrintableLines(std::string_view text);

// How many bytes of UTF-8 the text begins with: all of a text that is UTF-8.
size_t Utf8Prefix(std::string_view text);

}  // namespace rondo::tools
