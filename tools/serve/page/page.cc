#include "tools/serve/page/page.h"

#include <algorithm>

#include "tools/serve/page/files.h"

namespace rondo::tools::serve {

const Page* FindPage(std::string_view path) {
  const std::span<const Page> pages = PageFiles();
  const auto found =
      std::find_if(pages.begin(), pages.end(), [&](const Page& page) { return path == page.path; });
  return found == pages.end() ? nullptr : &*found;
}

}  // namespace rondo::tools::serve
