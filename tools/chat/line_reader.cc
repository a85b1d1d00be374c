#include "tools/chat/line_reader.h"

#include <clocale>
#include <cstdio>
#include <cstring>
#include <cwchar>

#include <langinfo.h>
#include <unistd.h>

#ifdef RONDO_LINE_EDITING
#include <histedit.h>
#endif

#include "tools/common/interrupt.h"
#include "tools/common/text_io.h"

namespace rondo::tools {
namespace {

constexpr const char* kQuotes = "\"\"\"";
constexpr size_t kQuotesSize = 3;

// Whether the terminal's bytes are characters in UTF-8: as the environment says or, where it names
// no such locale, in the C library's own. What is typed there is UTF-8 all the same.
[[maybe_unused]] bool UseUtf8() {
  const auto is_utf8 = [] { return std::strcmp(nl_langinfo(CODESET), "UTF-8") == 0; };
  if (std::setlocale(LC_CTYPE, "") != nullptr && is_utf8()) return true;
  return std::setlocale(LC_CTYPE, "C.UTF-8") != nullptr && is_utf8();
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

#ifdef RONDO_LINE_EDITING

// libedit, reading characters in a way that a signal ends.
struct LineReader::Editor {
  Editor() : edit(el_init("rondo", stdin, stdout, stderr)), past(history_init()) {
    HistEvent event;
    history(past, &event, H_SETSIZE, 1000);
    el_set(edit, EL_CLIENTDATA, this);
    el_set(edit, EL_PROMPT, Prompt);
    el_set(edit, EL_EDITOR, "emacs");
    el_set(edit, EL_HIST, history, past);
    el_wset(edit, EL_GETCFN, ReadCharacter);
    el_source(edit, nullptr);  // the user's ~/.editrc
  }
  ~Editor() {
    el_end(edit);
    history_end(past);
  }

  static Editor* Of(EditLine* edit) {
    Editor* editor = nullptr;
    el_get(edit, EL_CLIENTDATA, &editor);
    return editor;
  }

  static char* Prompt(EditLine* edit) { return Of(edit)->prompt.data(); }

  // 1; 0 at the end of the input, -1 for an error or an interruption. No exception may pass through
  // libedit.
  static int ReadCharacter(EditLine* edit, wchar_t* character) {
    std::string& typed = Of(edit)->typed;
    std::mbstate_t state = {};
    for (;;) {
      try {
        if (typed.empty()) typed = ReadInput();
      } catch (const std::exception&) {
        return -1;
      }
      if (typed.empty()) return 0;
      const char byte = typed.front();
      typed.erase(0, 1);
      const size_t result = std::mbrtowc(character, &byte, 1, &state);
      if (result <= 1) return 1;
      if (result != kIncomplete) state = {};  // no character: left out
    }
  }

  std::optional<std::string> Read(const std::string& shown) {
    prompt = shown;
    int count = 0;
    const char* const line = el_gets(edit, &count);
    if (InterruptFlag()) typed.clear();
    CheckInterrupt();
    if (line == nullptr || count <= 0) {
      Print("\n");
      return std::nullopt;
    }
    std::string text = line;
    if (text.ends_with('\n')) text.pop_back();
    HistEvent event;
    if (!text.empty()) history(past, &event, H_ENTER, text.c_str());
    return text;
  }

  static constexpr auto kIncomplete = static_cast<size_t>(-2);  // of mbrtowc

  EditLine* const edit;
  History* const past;
  std::string prompt;
  std::string typed;  // and not yet read
};

#else

struct LineReader::Editor {
  std::optional<std::string> Read(const std::string&) { return std::nullopt; }
};

#endif

LineReader::LineReader() : is_terminal_(isatty(STDIN_FILENO) != 0 && isatty(STDOUT_FILENO) != 0) {
#ifdef RONDO_LINE_EDITING
  if (is_terminal_ && UseUtf8()) editor_ = std::make_unique<Editor>();
#endif
}

LineReader::~LineReader() = default;

std::optional<std::string> LineReader::Read(const std::string& prompt) {
  if (editor_) return editor_->Read(prompt);
  if (is_terminal_) Print(prompt);
  size_t end = 0;
  while ((end = input_.find('\n')) == input_.npos) {
    const std::string more = ReadInput();
    input_ += more;
    if (!more.empty()) continue;
    if (input_.empty()) return std::nullopt;
    input_ += '\n';  // the last line has no end
  }
  std::string line = input_.substr(0, end);
  input_.erase(0, end + 1);
  if (line.ends_with('\r')) line.pop_back();
  return line;
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
