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
};

// Reads tiktoken's text: a line for each token, its bytes in base64, a space, its rank.
// Throws Error naming `source` and the line.
std::vector<BytePairModel::Token> ReadTiktoken(std::string_view text, const std::string& source);

// The tokenizer.json of such a model. Two tokens merge where their bytes together are a token; the
// lowest rank goes first, and a word that is a token stays whole.
nlohmann::json BytePairJson(const BytePairModel& model, const Surroundings& surroundings);

// How a family of byte-level models splits text: "gpt2", "cl100k", "o200k", "llama3", "qwen2", ...;
// also by the names of tiktoken's own files ("cl100k_base"). Nothing: not known.
std::optional<std::string> KnownPattern(std::string_view name);
// All names, for messages.
std::string KnownPatternNames();

}  // namespace rondo::convert
