// Names of pictures' files, as people type them and as a terminal writes them where files are
// dropped on it.
#pragma once

#include <string>
#include <vector>

namespace rondo::tools {

// The files that a text names: one whose name it is, or as a shell reads it, in quotes or with
// escaped spaces, below ~, or as the URL of a file. None where a quote does not end.
std::vector<std::string> FileNames(const std::string& text);

// The pictures that a message is nothing but names of; none where it says anything else.
std::vector<std::string> NamedPictures(const std::string& line);

}  // namespace rondo::tools
