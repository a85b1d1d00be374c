// Nearest: what a mistyped name was meant to be.
#pragma once

#include <string>
#include <vector>

namespace rondo::tools {

// Of `names` the one that `word` begins, or else becomes with the fewest letters changed, left out,
// added or swapped with the next: at most two, and a third of the word. Empty where none is.
std::string Nearest(const std::string& word, const std::vector<std::string>& names);

}  // namespace rondo::tools
