// Surroundings: the ids that a model wants around a text, for sources that are not tokenizer.json.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace rondo::convert {

// A token that is found in text as it stands, before anything else happens to it.
struct AddedToken {
  uint32_t id = 0;
  std::string text;
  bool special = true;  // left out of decoded text when special tokens are skipped
  bool normalized = false;
  bool strip_left = false;
  bool strip_right = false;
  bool single_word = false;
};

struct Surroundings {
  std::vector<AddedToken> added;  // at most one per id
  std::vector<uint32_t> before;   // ids put before a text: BOS, or none
  std::vector<uint32_t> after;    // ids put behind it: EOS, or none
};

// The members `added_tokens` and `post_processor` of a tokenizer.json. Every id of `before` and
// `after` should be that of an added token.
void PutSurroundings(const Surroundings& surroundings, nlohmann::json& document);

}  // namespace rondo::convert
