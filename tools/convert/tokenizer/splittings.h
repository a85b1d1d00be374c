// What tokenizer.ggml.pre stands for: what a byte-level tokenizer does before it merges.
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace rondo::convert {

// One step of a pre-tokenizer, each of which cuts the pieces of the one before.
struct SplitStep {
  enum Kind : uint8_t {
    kNone,
    kPattern,      // each match is a piece, and so is the text between two
    kDigits,       // each digit alone
    kNumbers,      // runs of digits
    kPunctuation,  // runs of punctuation
    kBytes,        // GPT-2's pattern; what follows sees bytes
  };
  Kind kind = kNone;
  std::string_view pattern = {};
};

struct Splitting {
  std::string_view pre;
  std::array<SplitStep, 6> steps;  // kNone: there are no more
  bool nfc = false;
  bool whole_words = false;  // a word that is a token is not merged
  bool bos = false;          // where tokenizer.ggml.add_bos_token is absent
};

// Null where the name is not known. Where the tokenizer.json is known that a name was made for, it
// says what the steps are, else the patterns that llama.cpp has for the name.
const Splitting* FindSplitting(std::string_view pre);

// Their names, for messages: "gpt-2, ...".
std::string KnownSplittings();

// The steps as the pre_tokenizer of a tokenizer.json.
nlohmann::json PreTokenizerOf(const Splitting& splitting);

}  // namespace rondo::convert
