// White space as Python has it, whose programs embedders are trained and judged with.
#pragma once

#include <string_view>

namespace rondo::tools {

// `text`, UTF-8, without the white space at its ends: what Python's str.strip leaves.
std::string_view Stripped(std::string_view text);

}  // namespace rondo::tools
