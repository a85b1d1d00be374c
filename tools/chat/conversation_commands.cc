#include "tools/chat/conversation_commands.h"

#include <algorithm>
#include <cctype>
#include <vector>

#include "tools/chat/conversation_file.h"
#include "tools/chat/named_pictures.h"
#include "tools/common/nearest.h"
#include "tools/common/numbers.h"
#include "tools/common/options.h"
#include "tools/common/output.h"
#include "tools/common/output_file.h"

namespace rondo::tools {
namespace {

constexpr const char* kHelp =
    "/image FILE a picture for the next message, of models that see; a line that is nothing but\n"
    "            names of pictures does the same, and there may be several\n"
    "/reset      begin anew, with the same system prompt\n"
    "/save FILE  keep the conversation: its messages as JSON, and what was computed of them;\n"
    "            /save --force FILE replaces a file of another kind\n"
    "/load FILE  go on with a conversation that was kept, in place of this one\n"
    "/stats      tokens in the context, the speed of the last turn, and how tokens are chosen\n"
    "/help       this\n"
    "/exit       end; so does Ctrl-D where nothing was typed\n"
    "Ctrl-C stops an answer, or takes back what was typed, and where a call waits for its result "
    "the turn. Ctrl-D takes back a text of many lines.\n"
    "A line that ends with \\ goes on in the next; \"\"\" begins and ends a text of many lines.\n"
    "No line of such a text, nor of one that is pasted, is a command.\n"
    "A space before / sends the line as a message.\n";

const std::vector<std::string> kCommands = {"/image", "/reset", "/save", "/load",
                                            "/stats", "/help",  "/exit"};

void PrintStats(const Conversation& conversation) {
  const uint64_t remaining = conversation.remaining();
  const TurnStats& turn = conversation.stats();
  Print("context: " + FormatCount(conversation.position(), "token") + ", " +
        (remaining == UINT64_MAX ? "any number more"
                                 : "room for " + FormatCount(remaining) + " more") +
        "\nkept: " + FormatCount(turn.kept, "token") + " of the turns before\n" +
        FormatSpeed("prefill", turn.prefilled, turn.prefill_seconds) + "\n" +
        FormatSpeed("decode", turn.generated, turn.decode_seconds) +
        "\nsampling: " + conversation.sampling() + "\n");
}

// A name as it stands, or in quotes.
std::string Unquoted(const std::string& name) {
  const bool is_quoted =
      name.size() >= 2 && (name[0] == '"' || name[0] == '\'') && name.back() == name[0];
  return is_quoted ? name.substr(1, name.size() - 2) : name;
}

// "FILE" or "--force FILE".
void Save(const Conversation& conversation, std::string path) {
  constexpr std::string_view kForce = "--force ";
  Replace replace = Replace::kSameKind;
  if (path.starts_with(kForce)) {
    replace = Replace::kAnyFile;
    path = path.substr(std::min(path.find_first_not_of(' ', kForce.size()), path.size()));
  }
  path = Unquoted(path);
  if (path.empty() || path == "--force") throw Error("/save needs the name of a file");
  if (const std::string wrong = WrongFileName(path); !wrong.empty()) throw Error("/save: " + wrong);
  if (conversation.messages().empty()) throw Error("there is nothing to save yet");
  SaveConversation(path, replace, conversation);
  Tell("saved: ", path);
}

}  // namespace

void Load(const std::string& path, Conversation* conversation) {
  if (ReadConversation(path, conversation)) return;
  Tell(path, " has messages only: the next turn reads them all");
}

bool HasSystem(const Conversation& conversation, const std::string& system) {
  const auto& messages = conversation.messages();
  return !messages.empty() && messages[0]["role"] == "system" && messages[0]["content"] == system;
}

void Keep(const std::string& path, const Conversation& conversation) {
  if (!path.empty()) KeepConversation(path, conversation);
}

void Attach(const std::string& path, bool tells, Conversation* conversation) {
  const rondo_image_facts facts = conversation->Attach(path);
  if (!tells) return;
  Tell("(", path, ": ", FormatCount(facts.rows, "row"), ", for the next message)");
}

bool LooksLikeCommand(const std::string& line) {
  const size_t end = std::min(line.find(' '), line.size());
  return end > 1 && line[0] == '/' && line.find('\n') == line.npos &&
         std::all_of(line.begin() + 1, line.begin() + static_cast<std::ptrdiff_t>(end),
                     [](unsigned char c) { return std::isalpha(c) != 0; });
}

bool RunCommand(const std::string& line, const CommandPlace& place, Conversation& conversation) {
  const size_t space = std::min(line.find(' '), line.size());
  const std::string name = line.substr(0, space);
  const size_t begin = std::min(line.find_first_not_of(' ', space), line.size());
  const std::string argument = line.substr(begin);
  if (std::find(kCommands.begin(), kCommands.end(), name) == kCommands.end()) {
    const std::string nearest = Nearest(name, kCommands);
    throw Error("there is no command " + name +
                (nearest.empty() ? "" : "; did you mean " + nearest + "?") +
                " (/help tells what there is; a space before / sends the line as a message)");
  }
  if (name == "/image") {
    const std::vector<std::string> names = FileNames(argument);
    if (names.empty()) throw Error("/image needs the name of a file");
    for (const std::string& name : names) Attach(name, place.tells, &conversation);
  } else if (name == "/save") {
    Save(conversation, argument);
  } else if (name == "/load") {
    if (argument.empty()) throw Error("/load needs the name of a file");
    Load(Unquoted(argument), &conversation);
    if (!place.system.empty() && !HasSystem(conversation, place.system)) {
      Tell("(from now on with the system prompt of this conversation, not that of --system)");
    }
    Keep(place.session_path, conversation);
  } else if (!argument.empty()) {
    throw Error(name + " takes nothing behind it (a space before / sends the line as a message)");
  } else if (name == "/exit") {
    return false;
  } else if (name == "/reset") {
    conversation.Reset();
    Keep(place.session_path, conversation);
  } else if (name == "/stats") {
    PrintStats(conversation);
  } else {
    Print(kHelp);
  }
  return true;
}

}  // namespace rondo::tools
