// The page at /: files that are in the program.
#pragma once

#include <string_view>

namespace rondo::tools::serve {

struct Page {
  std::string_view path;
  const char* type;
  std::string_view text;
};

// Null: there is none at this path.
const Page* FindPage(std::string_view path);

}  // namespace rondo::tools::serve
