// All that the tool prints. What could not be written is an error in every command: who reads an
// empty result must not take it for one.
#pragma once

#include <string>
#include <string_view>

#include "tools/common/error.h"
#include "tools/common/printable.h"

namespace rondo::tools {

// Standard output cannot be written.
class OutputError : public Error {
 public:
  using Error::Error;
};

// To standard output, at once. Throws OutputError or Interrupted, as those below do.
void PrintBytes(std::string_view bytes);  // as they are: for other programs
void Print(std::string_view text);        // of many lines, as PrintableLines shows it
// What a model says: as it is, but to a terminal as PrintableLines shows it.
void PrintAnswer(std::string_view text);

// One line to standard error, as Printable shows it. Nothing is thrown: nobody could be told.
void TellLine(std::string_view line);

// The same of pieces that make a line.
template <typename... Pieces>
void Tell(const Pieces&... pieces) {
  std::ostringstream line;
  (line << ... << pieces);
  TellLine(line.str());
}

}  // namespace rondo::tools
