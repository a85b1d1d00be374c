#include "tools/convert/tokenizer/surroundings.h"

#include <algorithm>

namespace rondo::convert {

void PutSurroundings(const Surroundings& surroundings, nlohmann::json& document) {
  using nlohmann::json;
  json added = json::array();
  for (const AddedToken& token : surroundings.added) {
    added.push_back({{"id", token.id},
                     {"content", token.text},
                     {"special", token.special},
                     {"normalized", token.normalized},
                     {"lstrip", token.strip_left},
                     {"rstrip", token.strip_right},
                     {"single_word", token.single_word}});
  }
  document["added_tokens"] = std::move(added);
  document["post_processor"] = nullptr;
  if (surroundings.before.empty() && surroundings.after.empty()) return;

  json single = json::array();
  json special_tokens = json::object();
  const auto put = [&](const std::vector<uint32_t>& ids) {
    for (const uint32_t id : ids) {
      const auto token =
          std::find_if(surroundings.added.begin(), surroundings.added.end(),
                       [&](const AddedToken& candidate) { return candidate.id == id; });
      const std::string name = token == surroundings.added.end() ? std::to_string(id) : token->text;
      single.push_back({{"SpecialToken", {{"id", name}, {"type_id", 0}}}});
      special_tokens[name] = {{"id", name}, {"ids", {id}}, {"tokens", {name}}};
    }
  };
  put(surroundings.before);
  single.push_back({{"Sequence", {{"id", "A"}, {"type_id", 0}}}});
  put(surroundings.after);
  document["post_processor"] = {{"type", "TemplateProcessing"},
                                {"single", std::move(single)},
                                {"special_tokens", std::move(special_tokens)}};
}

}  // namespace rondo::convert
