#include "tools/chat/line_reader.h"

#include <clocale>
#include <cstdio>
#include <cstring>
#include <cwchar>

#ifdef RONDO_LINE_EDITING
#include <histedit.h>
#include <langinfo.h>
#endif

#include "tools/common/interrupt.h"
#include "tools/common/output.h"
#include "tools/common/text_io.h"
#include "tools/common/utf8.h"
#include "tools/system/standard_files.h"

namespace rondo::tools {
namespace {

constexpr const char* kQuotes = "\"\"\"";
constexpr size_t kQuotesSize = 3;

#ifdef RONDO_LINE_EDITING
// Whether the terminal's bytes are characters in UTF-8: as the environment says or, where it names
// no such locale, in the C library's own. What is typed there is UTF-8 all the same.
bool UseUtf8() {
  const auto is_utf8 = [] { return std::strcmp(nl_langinfo(CODESET), "UTF-8") == 0; };
  if (std::setlocale(LC_CTYPE, "") != nullptr && is_utf8()) return true;
  return std::setlocale(LC_CTYPE, "C.UTF-8") != nullptr && is_utf8();
}
#endif

// A text of several lines whose end does not come: of a script all that there is, but at a terminal
// Ctrl-D sends nothing.
Message Unended(const LineReader& lines, const std::string& text) {
  if (!lines.is_terminal()) return {text, true, true};
  Tell("(taken back; to end, type /exit, or Ctrl-D where nothing was begun)");
  return {};
}

// What follows the opening quotes in `first`, up to the closing ones.
Message ReadBlock(LineReader& lines, const std::string& first) {
  std::string text = first.substr(kQuotesSize);
  bool is_closed = text.ends_with(kQuotes);
  while (!is_closed) {
    const auto line = lines.Read("... ");
    if (!line) return Unended(lines, text);
    // A block that begins with a line break is one for the eye.
    text += (text.empty() ? "" : "\n") + line->text;
    is_closed = !line->is_pasted && line->text.ends_with(kQuotes);
  }
  text.resize(text.size() - kQuotesSize);
  if (text.ends_with("\n")) text.pop_back();
  return {text, true, true};
}

}  // namespace

#ifdef RONDO_LINE_EDITING

// Terminals that can be told so put marks around what is pasted ("bracketed paste").
constexpr const char* kTellPastes = "\x1b[?2004h";
constexpr const char* kTellNoPastes = "\x1b[?2004l";
constexpr const char* kPasteBegin = "\x1b[200~";
constexpr std::string_view kPasteEnd = "\x1b[201~";

// Terminals send line ends as the key does. The last one would only be an empty line.
std::string PastedText(const std::string& pasted) {
  std::string text;
  for (size_t i = 0; i < pasted.size(); ++i) {
    if (pasted[i] == '\r') {
      text += '\n';
      if (i + 1 < pasted.size() && pasted[i + 1] == '\n') ++i;
    } else if (pasted[i] != '\0') {
      text += pasted[i];
    }
  }
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

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
    // Which keeps these strings: narrow ones it would copy, and never free.
    el_wset(edit, EL_ADDFN, L"rondo-paste", L"Take what is pasted as text", Paste);
    el_set(edit, EL_BIND, kPasteBegin, "rondo-paste", nullptr);
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

  // What is pasted, up to its end mark, as text: no key, and no end of the line.
  static int Paste(EditLine* edit, int) {
    Editor* const editor = Of(edit);
    std::string& typed = editor->typed;
    size_t end = 0;
    try {
      while ((end = typed.find(kPasteEnd)) == std::string::npos) {
        const std::string more = ReadInput();
        if (more.empty()) return CC_EOF;
        typed += more;
      }
    } catch (const std::exception&) {
      return CC_ERROR;  // the next character ends the line
    }
    const std::string text = PastedText(typed.substr(0, end));
    typed.erase(0, end + kPasteEnd.size());
    const LineInfo* const line = el_line(edit);
    editor->is_pasted |= line->cursor == line->buffer || text.find('\n') != std::string::npos;
    return el_insertstr(edit, text.c_str()) == 0 ? CC_REFRESH : CC_ERROR;
  }

  std::optional<Line> Read(const std::string& shown) {
    prompt = shown;
    is_pasted = false;
    int count = 0;
    PrintBytes(kTellPastes);
    const char* const read = el_gets(edit, &count);
    PrintBytes(kTellNoPastes);
    if (InterruptFlag()) typed.clear();
    CheckInterrupt();
    if (read == nullptr || count <= 0) {
      Print("\n");
      return std::nullopt;
    }
    Line line = {read, is_pasted};
    if (line.text.ends_with('\n')) line.text.pop_back();
    // What is fetched back counts as typed, so nothing that could be a command may be.
    const bool is_kept = !line.text.empty() && !(is_pasted && line.text[0] == '/');
    HistEvent event;
    if (is_kept) history(past, &event, H_ENTER, line.text.c_str());
    return line;
  }

  static constexpr auto kIncomplete = static_cast<size_t>(-2);  // of mbrtowc

  EditLine* const edit;
  History* const past;
  std::string prompt;
  std::string typed;  // and not yet read
  bool is_pasted = false;
};

#else

struct LineReader::Editor {
  std::optional<Line> Read(const std::string&) { return std::nullopt; }
};

#endif

LineReader::LineReader() : is_terminal_(IsTerminal(kStandardInput) && IsTerminal(kStandardOutput)) {
#ifdef RONDO_LINE_EDITING
  if (is_terminal_ && UseUtf8()) editor_ = std::make_unique<Editor>();
#endif
}

LineReader::~LineReader() = default;

std::optional<LineReader::Line> LineReader::Read(const std::string& prompt) {
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
  Line line = {input_.substr(0, end)};
  input_.erase(0, end + 1);
  if (line.text.ends_with('\r')) line.text.pop_back();
  if (!is_begun_) DropByteOrderMark(&line.text);
  is_begun_ = true;
  return line;
}

std::optional<Message> ReadMessage(LineReader& lines) {
  const auto first = lines.Read("> ");
  if (!first) return std::nullopt;
  Message message = {first->text, first->is_pasted};
  if (message.is_quoted) return message;
  if (message.text.starts_with(kQuotes)) return ReadBlock(lines, message.text);
  while (message.text.ends_with("\\")) {
    message.text.back() = '\n';
    const auto line = lines.Read("... ");
    if (!line) return Unended(lines, message.text);
    message.text += line->text;
    if (line->is_pasted) break;
  }
  return message;
}

}  // namespace rondo::tools
