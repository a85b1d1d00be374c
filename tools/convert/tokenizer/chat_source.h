// ChatSource: what a model's makers say of conversations.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace rondo::convert {

using NamedTexts = std::vector<std::pair<std::string, std::string>>;

struct ChatSource {
  NamedTexts templates;  // name and Jinja text; the first serves where no other is asked for
  NamedTexts tokens;     // "bos_token" and its text, and the like
};

}  // namespace rondo::convert
