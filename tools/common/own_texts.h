// Texts to judge a model by, or to choose its weights by, where none is given: what quantisation
// spoils in prose says little of what it spoils elsewhere.
#pragma once

#include <span>
#include <string_view>

namespace rondo::tools {

struct OwnText {
  const char* name;
  std::string_view text;  // UTF-8
};

// Prose, other scripts and languages, calls of tools with what they answer, programs. Each has some
// thousand tokens or less.
std::span<const OwnText> OwnTexts();

}  // namespace rondo::tools
