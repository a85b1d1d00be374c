// Which files are called as those of what sees for a model are, by llama.cpp and by those who
// publish its files.
#pragma once

#include <algorithm>
#include <cctype>
#include <string>

namespace rondo::convert {

// `name`: without folders.
inline bool IsMmprojName(std::string name) {
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
  return name.ends_with(".gguf") && name.find("mmproj") != std::string::npos;
}

}  // namespace rondo::convert
