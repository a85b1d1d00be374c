// JsonReader: the events of a whole text, and what its strings and numbers say.
#pragma once

#include "runtime/base/json_scanner.h"

namespace rondo {

class JsonReader {
 public:
  // `text` outlives this.
  JsonReader(std::string_view text, uint32_t most_nested) : text_(text), scanner_(most_nested) {}

  // Never kMore. Strings and keys are UTF-8. No more behind kEnd and kError.
  JsonEvent Next();

  // Behind the event; of an error the byte that is wrong, the text's size where it ends early.
  size_t at() const { return at_; }
  JsonProblem problem() const { return problem_; }
  // What is said of the problem: of `texts` the one in its place, from kValue on. A zero ends each.
  const char* Say(const char* texts) const;
  // Of a number its digits, of a string and a key what stands between the quotes.
  std::string_view token() const { return token_; }
  // It has escapes, of which UndoJsonEscapes makes what it says.
  bool escaped() const { return scanner_.escaped(); }

 private:
  const std::string_view text_;
  JsonScanner scanner_;
  JsonProblem problem_ = JsonProblem::kNone;
  size_t at_ = 0;
  std::string_view token_;
};

// Writes what a string's token says: `to` has room for as many bytes. Returns how many it took.
// What is half of a surrogate pair becomes U+FFFD; where the first stands in the token is `*half`,
// npos for none.
size_t UndoJsonEscapes(std::string_view token, char* to, size_t* half);

}  // namespace rondo
