// LineReader: lines as a person types them, or as a pipe brings them.
#pragma once

#include <memory>
#include <optional>
#include <string>

namespace rondo::tools {

class LineReader {
 public:
  // Lines are edited and remembered where standard input and output are terminals, the program was
  // built with libedit and the system has a locale of UTF-8.
  LineReader();
  ~LineReader();

  bool is_terminal() const { return is_terminal_; }
  struct Line {
    std::string text;
    bool is_pasted = false;  // from its begin, or with line ends
  };

  // The next line without its end; nothing at the end of the input. `prompt` is shown on a terminal
  // only. Throws Error or Interrupted; the line is then lost.
  std::optional<Line> Read(const std::string& prompt);

 private:
  struct Editor;

  const bool is_terminal_;
  std::unique_ptr<Editor> editor_;  // null: lines come as they are
  std::string input_;               // then: what was read behind the last line
  bool is_begun_ = false;           // the input's begin was read
};

// What stands for itself: no line of it is a command.
struct Message {
  std::string text;
  bool is_quoted = false;  // it stood between """, or was pasted
  bool is_block = false;   // it stood between """
};

// One message of several lines: those that end with a backslash go on in the next; from a line that
// begins with """ to the next one that ends with it, all belongs together; so does what is pasted.
// Nothing at the end of the input; an empty one where a person ends it within a text.
std::optional<Message> ReadMessage(LineReader& lines);

}  // namespace rondo::tools
