#include "tools/dialogue/json_text.h"

namespace rondo::tools {
namespace {

constexpr int kMostLevels = 256;

}  // namespace

nlohmann::ordered_json ParseJson(const std::string& text) {
  using Json = nlohmann::ordered_json;
  bool deep = false;
  const auto look = [&deep](int depth, Json::parse_event_t, const Json&) {
    deep = deep || depth > kMostLevels;
    return !deep;
  };
  Json value = Json::parse(text, look, /*allow_exceptions=*/false);
  return deep ? Json(Json::value_t::discarded) : value;
}

}  // namespace rondo::tools
