// The files beside this one, which platforms/cmake/page.cmake writes into a source at build time.
#pragma once

#include <span>

#include "tools/serve/page/page.h"

namespace rondo::tools::serve {

std::span<const Page> PageFiles();

}  // namespace rondo::tools::serve
