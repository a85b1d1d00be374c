#include "tools/convert/tokenizer/pair_template.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "tools/convert/tokenizer/json_value.h"
#include "tools/convert/tokenizer/normalization.h"

namespace rondo::convert {
namespace {

// A special token of a template, by its id; or a text, of no id.
struct Item {
  std::optional<uint32_t> id;
  uint32_t type = 0;
};

std::vector<Item> ReadItems(const JsonValue& step, const char* name) {
  std::vector<Item> items;
  for (const JsonValue& item : step.At(name).Items()) {
    const JsonValue special = item.Find("SpecialToken");
    const JsonValue what = special.IsNull() ? item.At("Sequence") : special;
    const uint32_t type = what.At("type_id").Uint(UINT32_MAX);
    if (special.IsNull()) {
      items.push_back({std::nullopt, type});
      continue;
    }
    const JsonValue token = step.At("special_tokens").At(special.At("id").String());
    for (const JsonValue& id : token.At("ids").Items())
      items.push_back({id.Uint(UINT32_MAX), type});
  }
  return items;
}

uint32_t IdOf(const JsonValue& step, const char* name) {
  const std::vector<JsonValue> token = step.At(name).Items();
  if (token.size() != 2) step.At(name).Fail("is not a token and its id");
  return token[1].Uint(UINT32_MAX);
}

// The text by which a tokenizer finds this token in a text.
std::string TextOf(uint32_t id, const JsonValue& root) {
  for (const JsonValue& token : root.At("added_tokens").Items()) {
    if (token.At("id").Uint(UINT32_MAX) == id) return token.At("content").String();
  }
  root.At("post_processor")
      .Fail("names token " + std::to_string(id) + ", which is none of the added tokens");
}

// Both texts, and the tokens around them.
struct Pair {
  std::vector<Item> before, between, behind;
  uint32_t second_type;
};

Pair ReadTemplate(const JsonValue& step) {
  const auto is_text = [](const Item& item) { return !item.id; };
  const std::vector<Item> pair = ReadItems(step, "pair"), single = ReadItems(step, "single");
  const auto first = std::ranges::find_if(pair, is_text);
  const auto second = first == pair.end() ? first : std::find_if(first + 1, pair.end(), is_text);
  const auto alone = std::ranges::find_if(single, is_text);
  if (second == pair.end() || alone == single.end()) {
    step.At("pair").Fail("does not have two texts");
  }
  Pair read = {{pair.begin(), first}, {first + 1, second}, {second + 1, pair.end()}, second->type};
  const auto same_ids = [](const Item& a, const Item& b) { return a.id == b.id; };
  if (!std::equal(read.before.begin(), read.before.end(), single.begin(), alone, same_ids) ||
      !std::equal(read.behind.begin(), read.behind.end(), alone + 1, single.end(), same_ids)) {
    step.At("pair").Fail("begins or ends with other tokens than a single text");
  }
  return read;
}

Pair ReadClassPair(const JsonValue& step, bool is_roberta) {
  const Item cls = {IdOf(step, "cls"), 0}, sep = {IdOf(step, "sep"), 0};
  if (is_roberta) return {{cls}, {sep, sep}, {sep}, 0};
  return {{cls}, {sep}, {{sep.id, 1}}, 1};
}

PairTemplate Of(const Pair& pair, const JsonValue& root) {
  PairTemplate result;
  for (const Item& item : pair.between) result.between += TextOf(*item.id, root);
  const auto is_first = [](const Item& item) { return item.type == 0; };
  const auto is_second = [](const Item& item) { return item.type == 1; };
  const bool begins =
      std::ranges::all_of(pair.before, is_first) && std::ranges::all_of(pair.between, is_first);
  if (begins && pair.second_type == 0 && std::ranges::all_of(pair.behind, is_first)) return result;
  const bool changes = begins && pair.between.size() == 1 && pair.second_type == 1 &&
                       std::ranges::all_of(pair.behind, is_second);
  const auto is_separator = [&](const Item& item) { return item.id == pair.between[0].id; };
  if (!changes || std::ranges::any_of(pair.before, is_separator)) {
    root.At("post_processor")
        .Fail("has types of a pair's tokens that do not change behind the one token between them");
  }
  result.separator = *pair.between[0].id;
  return result;
}

}  // namespace

std::optional<PairTemplate> ReadPairTemplate(const SourceText& text) {
  if (!text.tokenizer.is_object()) return std::nullopt;
  const JsonValue root(text.tokenizer, text.tokenizer_file, "");
  for (const JsonValue& step : Flatten(root.Find("post_processor"), "processors")) {
    const std::string type = step.Type();
    const bool is_roberta = type == "RobertaProcessing";
    if (type == "BertProcessing" || is_roberta) return Of(ReadClassPair(step, is_roberta), root);
    if (type != "TemplateProcessing" || step.Find("pair").IsNull()) continue;
    if (step.At("pair").Items().empty()) continue;
    return Of(ReadTemplate(step), root);
  }
  return std::nullopt;
}

}  // namespace rondo::convert
