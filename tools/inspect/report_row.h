// Lines of a report in two columns.
#pragma once

#include <cstddef>
#include <string>

namespace rondo::tools {

// `text` and spaces up to a column, at least one.
std::string Padded(const std::string& text, size_t width);

// Adds a line to `out`.
void Row(const std::string& name, const std::string& value, std::string* out);

}  // namespace rondo::tools
