#include "tools/chat/line_reader.h"

#include <cstdio>
#include <cstdlib>
#include <iostream>

#include <unistd.h>

#ifdef RONDO_LINE_EDITING
#include <editline/readline.h>
#endif

namespace rondo::tools {
namespace {

constexpr const char* kQuotes = "\"\"\"";
constexpr size_t kQuotesSize = 3;

std::optional<std::string> ReadPlain() {
  std::string line;
  if (!std::getline(std::cin, line)) return std::nullopt;
  if (!line.empty() && line.back() == '\r') line.pop_back();
  return line;
}

// What follows the opening quotes in `first`, up to the closing ones.
std::optional<std::string> ReadBlock(LineReader& lines, const std::string& first) {
  std::string text = first.substr(kQuotesSize);
  while (text.size() < kQuotesSize || !text.ends_with(kQuotes)) {
    const std::optional<std::string> line = lines.Read("... ");
    if (!line) return text;  // the input ends: so does the message
    // A block that begins with a line break is one for the eye.
    if (text.empty()) {
      text = *line;
    } else {
      text += "\n" + *line;
    }
  }
  text.resize(text.size() - kQuotesSize);
  if (text.ends_with("\n")) text.pop_back();
  return text;
}

}  // namespace

LineReader::LineReader() : is_terminal_(isatty(STDIN_FILENO) != 0 && isatty(STDOUT_FILENO) != 0) {}

std::optional<std::string> LineReader::Read(const std::string& prompt) {
  if (!is_terminal_) return ReadPlain();
#ifdef RONDO_LINE_EDITING
  char* line = readline(prompt.c_str());
  if (line == nullptr) return std::nullopt;
  const std::string text = line;
  std::free(line);
  if (!text.empty()) add_history(text.c_str());
  return text;
#else
  std::cout << prompt << std::flush;
  return ReadPlain();
#endif
}

std::optional<std::string> ReadMessage(LineReader& lines) {
  std::optional<std::string> message = lines.Read("> ");
  if (!message) return std::nullopt;
  if (message->starts_with(kQuotes)) return ReadBlock(lines, *message);
  while (message->ends_with("\\")) {
    message->back() = '\n';
    const std::optional<std::string> line = lines.Read("... ");
    if (!line) break;
    *message += *line;
  }
  return message;
}

}  // namespace rondo::tools
