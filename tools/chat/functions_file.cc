#include "tools/chat/functions_file.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include <nlohmann/json.hpp>

#include "tools/common/error.h"
#include "tools/common/text_io.h"
#include "tools/dialogue/json_text.h"

namespace rondo::tools {
namespace {

using Json = nlohmann::ordered_json;

// Names of the schema of a function's arguments: of chat templates, MCP, and another maker.
constexpr std::array<std::string_view, 3> kSchemas = {"parameters", "inputSchema", "input_schema"};
// Objects of a function that are no schema of its arguments.
constexpr std::array<std::string_view, 8> kOthers = {"outputSchema", "output_schema", "returns",
                                                     "return",       "response",      "annotations",
                                                     "_meta",        "cache_control"};

class Reader {
 public:
  explicit Reader(const std::string& path) : path_(path) {}

  std::string Read() {
    const std::string text = ReadTextFile("the tools", path_);
    Json list = ParseJson(text);
    if (list.is_discarded()) Fail(path_, " is not JSON, expected a list of functions");
    // As servers of functions answer.
    if (list.contains("result") && list["result"].is_object()) list = Json(list["result"]);
    const bool is_answer = list.contains("tools") && list["tools"].is_array();
    if (is_answer) list = Json(list["tools"]);
    if (!list.is_array()) Fail(path_, " is no JSON list of functions");
    if (list.empty()) Fail(path_, " has no function");
    Json functions = Json::array();
    for (size_t i = 0; i < list.size(); ++i) {
      where_ = "tool " + std::to_string(i + 1);
      functions.push_back(Function(list[i]));
    }
    return functions == list && !is_answer ? text : functions.dump();
  }

 private:
  template <typename... Pieces>
  [[noreturn]] void Refuse(const Pieces&... pieces) const {
    Fail(path_, ": ", where_, pieces...);
  }

  static bool Has(const Json& object, std::string_view key) {
    const auto found = object.find(key);
    return found != object.end() && !found->is_null();
  }

  Json Function(const Json& item) {
    if (!item.is_object()) Refuse(" is no JSON object");
    if (const auto type = item.find("type");
        type != item.end() && type->is_string() && *type != "function" && *type != "custom") {
      Refuse(" is of type ", type->dump(), ", expected \"function\"");
    }
    const bool wrapped = Has(item, "function") && item["function"].is_object();
    const Json& function = wrapped ? item["function"] : item;
    const auto name = function.find("name");
    if (name == function.end() || !name->is_string() ||
        name->get_ref<const std::string&>().empty()) {
      Refuse(" has no name");
    }
    where_ = name->get<std::string>();
    if (!names_.insert(where_).second) Refuse(" is there twice");
    const std::string_view key = SchemaKey(function);
    if (wrapped && (key.empty() || key == kSchemas[0])) return item;
    Json made = {{"name", *name}};
    for (const auto& [member, value] : function.items()) {
      if (member == key) made["parameters"] = value;
      if (member == "description" || member == "strict") made[member] = value;
    }
    return {{"type", "function"}, {"function", made}};
  }

  // Which member is the schema; empty: none is.
  std::string_view SchemaKey(const Json& function) const {
    std::string_view found;
    for (const std::string_view key : kSchemas) {
      if (!Has(function, key)) continue;
      if (!function[key].is_object()) Refuse(": ", key, " is no JSON object");
      if (!found.empty()) Refuse(" has both ", found, " and ", key);
      found = key;
    }
    for (const auto& [key, value] : function.items()) {
      const bool known =
          key == found || std::find(kOthers.begin(), kOthers.end(), key) != kOthers.end();
      if (known || !found.empty() || !value.is_object()) continue;
      Refuse(" has no parameters, but ", Json(key).dump(),
             ": the schema of its arguments is expected in \"parameters\", \"inputSchema\" or "
             "\"input_schema\"");
    }
    return found;
  }

  const std::string path_;
  std::string where_;  // which function is read, for messages
  std::set<std::string> names_;
};

}  // namespace

std::string ReadFunctions(const std::string& path) { return Reader(path).Read(); }

}  // namespace rondo::tools
