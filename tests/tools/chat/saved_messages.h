// The messages of a file that `rondo chat` wrote: what it begins with.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace rondo {

inline nlohmann::json SavedMessages(const std::string& file) {
  return nlohmann::json::parse(file.substr(0, file.find("\n]\n") + 3));
}

}  // namespace rondo
