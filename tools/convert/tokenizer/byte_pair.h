// Byte-level BPE given without a tokenizer.json: tokens as bytes, ranked; tiktoken's files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "tools/convert/tokenizer/surroundings.h"

namespace rondo::convert {

struct BytePairModel {
  struct Token {
    std::string bytes;
    uint32_t id = 0;  // also the rank: tokens with low ids are merged first
  };
  std::vector<Token> tokens;
  // The split pattern, as tokenizer.json would have it (Oniguruma's dialect).
  std::string pattern;
  bool nfc = false;  // text is normalised first
};

// Reads tiktoken's text: a line for each token, its bytes in base64, a space, its rank.
// Throws Error naming `source` and the line.
std::vector<BytePairModel::Token> ReadTiktoken(std::string_view text, const std::string& source);

// The tokenizer.json of such a model. Two tokens merge where their bytes together are a token; the
// lowest rank goes first, and a word that is a token stays whole.
nlohmann::json BytePairJson(const BytePairModel& model, const Surroundings& surroundings);

// How a family of byte-level models splits text: "gpt2", "r50k_base", "p50k_base", "cl100k_base",
// "o200k_base", "llama3", "qwen2". Nothing: not known.
std::optional<std::string> KnownPattern(std::string_view name);

}  // namespace rondo::convert
