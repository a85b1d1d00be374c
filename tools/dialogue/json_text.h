// JSON of models and of other programs, which may be anything.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace rondo::tools {

// Discarded where it is no JSON, or nested too deep: who walks over it calls himself level by
// level.
nlohmann::ordered_json ParseJson(const std::string& text);

}  // namespace rondo::tools
