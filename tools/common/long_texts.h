// Texts that have more tokens than an embedder takes: cut where transformers cuts them, or refused.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <CLI/CLI.hpp>

#include "tools/common/embedder.h"

namespace rondo::tools {

enum class TooLong { kCut, kRefuse };
// --too-long.
void AddTooLongFlag(CLI::App* command, TooLong* too_long);

// Who is told of a text that is cut: which, how many tokens it has and how many the model takes.
using CutTold = void (*)(const std::string& place, size_t tokens, size_t most);
void TellCut(const std::string& place, size_t tokens, size_t most);  // on standard error

// What is given on the command line is "text 2", what is read "line 2", of the second one.
std::string PlaceOf(const char* what, bool is_line, size_t index);

// The texts of one call, one after another.
class LongTexts {
 public:
  // Throws Error for a model that embeds nothing.
  LongTexts(const Model& model, TooLong too_long, CutTold told = TellCut);

  // What the model reads of `text`, with the tokenizer's tokens around it, which stay. Throws Error
  // where it is too long and is not to be cut, and where nothing is there to be read.
  TokenIds Read(const std::string& place, std::string_view text) const;
  // The same of tokens that are there, with those around them.
  TokenIds Fit(const std::string& place, TokenIds ids) const;

 private:
  const Model* model_;
  TooLong too_long_;
  CutTold told_;
  size_t most_;    // tokens of one
  size_t behind_;  // of these those that the tokenizer puts at the end
};

// The same of a query and its documents. Whichever of the two has more tokens loses its last ones
// first: "longest_first" in transformers' words.
class LongPairs {
 public:
  // `instruction`: as PairText's. The texts must outlive it.
  LongPairs(const Model& model, TooLong too_long, const char* instruction, std::string_view query,
            CutTold told = TellCut);

  TokenIds Read(const std::string& place, std::string_view document) const;

 private:
  TokenIds Tokens(std::string_view query, std::string_view document) const;
  TokenIds Cut(const TokenIds& whole) const;

  const Model* model_;
  TooLong too_long_;
  const char* instruction_;
  std::string_view query_;
  CutTold told_;
  size_t most_;
};

}  // namespace rondo::tools
