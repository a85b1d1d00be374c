// Vocabulary: the model's tokens and the added ones, by id and by text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "tools/convert/tokenizer/json_value.h"
#include "tools/convert/tokenizer/pipeline.h"

namespace rondo::convert {

struct AddedTokenSpec {
  uint32_t id = 0;
  std::string text;
  std::string match;  // normalised where `normalized`
  bool special = false;
  bool normalized = false;
  bool strip_left = false;
  bool strip_right = false;
  bool single_word = false;
};

struct Vocabulary {
  // The model's own tokens, as written in tokenizer.json.
  std::unordered_map<std::string, uint32_t> ids;
  // By id, the text that decoding starts from; the added tokens included. Ids may be missing.
  std::vector<std::optional<std::string>> texts;
  // Those without `normalized` first, each half ascending by match.
  std::vector<AddedTokenSpec> added;

  uint32_t size() const { return static_cast<uint32_t>(texts.size()); }
  std::optional<uint32_t> Find(const std::string& text) const;
  // [256] the id of "<0x00>" and so on, -1 where there is none.
  std::vector<int32_t> ByteTokens() const;

  // The whole document. Throws Error: ids out of range or given twice, contradictions.
  static Vocabulary Parse(const JsonValue& root, const Pipeline& pipeline);
};

}  // namespace rondo::convert
