// A message that is nothing but names of pictures, as a terminal writes them where files are
// dropped on it.
#pragma once

#include <string>
#include <vector>

namespace rondo::tools {

// The files that the line names, in quotes or with escaped spaces; none where it says anything
// else.
std::vector<std::string> NamedPictures(const std::string& line);

}  // namespace rondo::tools
