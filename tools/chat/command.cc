// A conversation, line by line.
#include "tools/commands.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

#include "tools/chat/conversation.h"
#include "tools/chat/conversation_file.h"
#include "tools/chat/line_reader.h"
#include "tools/common/context.h"
#include "tools/common/flags.h"
#include "tools/common/interrupt.h"
#include "tools/common/library.h"
#include "tools/common/numbers.h"
#include "tools/common/output_file.h"
#include "tools/common/sampling.h"
#include "tools/common/text_io.h"

namespace rondo::tools {
namespace {

constexpr const char* kExamples = R"(
Examples:
  rondo chat model.rondo
  rondo chat model.rondo --system "You answer in one sentence." --temperature 0.7 --seed 7
  echo "What is a rondo?" | rondo chat model.rondo --max-tokens 100
  rondo chat model.rondo --session today.chat      # goes on with it the next time

Commands of the conversation: /reset /save FILE /load FILE /stats /help /exit. A line that ends
with a backslash goes on in the next; """ begins and ends a text of many lines. Ctrl-C stops an
answer and keeps the conversation; at the prompt it takes back what was typed. Ctrl-D ends.

A conversation in a file (--session, /save) begins with its messages as JSON; behind them is what
the model has computed of them, so that a later run of the same model, with the same --policy and,
where it slides, the same --context, reads nothing twice. --session writes its file after every
turn.)";

constexpr const char* kHelp =
    "/reset      begin anew, with the same system prompt\n"
    "/save FILE  keep the conversation: its messages as JSON, and what was computed of them;\n"
    "            /save --force FILE replaces a file of another kind\n"
    "/load FILE  go on with a conversation that was kept, in place of this one\n"
    "/stats      tokens in the context, the speed of the last turn, and how tokens are chosen\n"
    "/help       this\n"
    "/exit       end; so does Ctrl-D\n"
    "Ctrl-C stops an answer, or takes back what was typed.\n"
    "A line that ends with \\ goes on in the next; \"\"\" begins and ends a text of many lines.\n"
    "A space before / sends the line as a message.\n";

struct Arguments {
  std::string model;
  std::string system;
  std::string template_path;
  std::string session_path;
  rondo_engine_options engine = EngineDefaults();
  SamplingWish sampling;
};

void RequireTemplate(const rondo_model* model, const Arguments& arguments) {
  size_t length = 0;
  if (!arguments.template_path.empty() ||
      rondo_model_chat_template_name(model, 0, nullptr, 0, &length) !=
          RONDO_STATUS_INVALID_ARGUMENT) {
    return;
  }
  throw Error(arguments.model +
              " has no chat template: give one with --template FILE (Jinja, as the "
              "chat_template.jinja of a model trained alike), or continue texts with `rondo run`");
}

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

// "FILE" or "--force FILE".
void Save(const Conversation& conversation, std::string path) {
  constexpr std::string_view kForce = "--force ";
  Replace replace = Replace::kSameKind;
  if (path.starts_with(kForce)) {
    replace = Replace::kAnyFile;
    path = path.substr(std::min(path.find_first_not_of(' ', kForce.size()), path.size()));
  }
  if (path.empty() || path == "--force") throw Error("/save needs the name of a file");
  if (conversation.messages().empty()) throw Error("there is nothing to save yet");
  WriteConversation(path, replace, conversation);
  std::fprintf(stderr, "saved: %s\n", path.c_str());
}

void Load(const std::string& path, Conversation* conversation) {
  if (ReadConversation(path, conversation)) return;
  std::fprintf(stderr, "%s has messages only: the next turn reads them all\n", path.c_str());
}

// Of --session.
void Keep(const std::string& path, const Conversation& conversation) {
  if (!path.empty()) WriteConversation(path, Replace::kSameKind, conversation);
}

// Goes on with what --session's file has.
void Resume(const Arguments& arguments, Conversation* conversation) {
  const std::string& path = arguments.session_path;
  if (path.empty()) return;
  CheckConversationFile(path);
  if (!std::filesystem::exists(path)) return;
  Load(path, conversation);
  const auto& messages = conversation->messages();
  if (arguments.system.empty() || (!messages.empty() && messages[0]["role"] == "system" &&
                                   messages[0]["content"] == arguments.system)) {
    return;
  }
  throw Error(path + " is a conversation with another system prompt than --system: leave it out");
}

// What the user should know of an answer that did not end by itself.
void PrintReason(int32_t reason) {
  switch (reason) {
    case RONDO_REASON_NONE:
      std::fprintf(stderr, "(stopped)\n");
      break;
    case RONDO_REASON_TOKEN_LIMIT:
      std::fprintf(stderr, "(the limit of --max-tokens)\n");
      break;
    case RONDO_REASON_CONTEXT_FULL:
      std::fprintf(stderr, "(the context is full: /reset, or a larger --context)\n");
      break;
    default:
      break;
  }
}

// False for /exit.
bool RunCommand(const std::string& line, const std::string& session_path,
                Conversation& conversation) {
  const size_t space = std::min(line.find(' '), line.size());
  const std::string name = line.substr(0, space);
  const size_t begin = std::min(line.find_first_not_of(' ', space), line.size());
  const std::string argument = line.substr(begin);
  if (name == "/exit") return false;
  if (name == "/save") {
    Save(conversation, argument);
  } else if (name == "/load") {
    if (argument.empty()) throw Error("/load needs the name of a file");
    Load(argument, &conversation);
    Keep(session_path, conversation);
  } else if (!argument.empty()) {
    throw Error(name + " takes nothing behind it (/help)");
  } else if (name == "/reset") {
    conversation.Reset();
    Keep(session_path, conversation);
  } else if (name == "/stats") {
    PrintStats(conversation);
  } else if (name == "/help") {
    Print(kHelp);
  } else {
    throw Error("no command " + name + " (/help); a space before it sends it as a message");
  }
  return true;
}

// Answers one message or command; false at the end.
bool Turn(const std::string& message, const std::string& session_path, Conversation& conversation) {
  if (message.find_first_not_of(" \t\n") == message.npos) return true;
  if (message[0] == '/') return RunCommand(message, session_path, conversation);
  const int32_t reason = conversation.Ask(message, [](std::string_view text) { Print(text); });
  Print("\n");
  PrintReason(reason);
  Keep(session_path, conversation);
  return true;
}

void Chat(Arguments arguments) {
  const Model model = OpenModel(arguments.model);
  RequireTemplate(model.get(), arguments);
  std::string template_text;
  if (!arguments.template_path.empty()) {
    template_text = ReadFile("the chat template", arguments.template_path);
    if (template_text.empty()) throw Error("the chat template is empty");
  }
  const SessionSetup setup = arguments.sampling.For(model.get());
  if (arguments.engine.context == 0) arguments.engine.context = ContextFor(model.get(), 0);
  const Engine engine = CreateEngine(model.get(), arguments.engine);
  Conversation conversation(model.get(), engine.get(), setup, arguments.system, template_text);
  Resume(arguments, &conversation);

  LineReader lines;
  if (lines.is_terminal()) {
    Print("/help tells what there is.\n");
    TellSampling(setup.options);
  }
  bool failed = false;
  for (bool going_on = true; going_on;) {
    try {
      const std::optional<std::string> message = ReadMessage(lines);
      going_on = message && Turn(*message, arguments.session_path, conversation);
    } catch (const Error& error) {
      // A person reads it and goes on; a script wants to know at the end.
      std::fprintf(stderr, "rondo: %s\n", error.what());
      failed = true;
    } catch (const Interrupted& interruption) {
      // At the prompt Ctrl-C takes back what was typed.
      if (interruption.signal() != SIGINT || !lines.is_terminal()) throw;
      ForgetCtrlC();
      Print("\n");
    }
  }
  if (failed && !lines.is_terminal()) throw CLI::RuntimeError(1);
}

}  // namespace

void AddChatCommand(CLI::App& app) {
  const auto a = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("chat", "Talk with a model, by its own chat template");
  AddModelArgument(command, &a->model);
  command->add_option("--system", a->system, "The system prompt; default: none")
      ->type_name("TEXT")
      ->group(kTextGroup);
  command
      ->add_option("--template", a->template_path,
                   "A Jinja file with the chat template; default: the model's own")
      ->type_name("FILE")
      ->group(kTextGroup);
  command
      ->add_option("--session", a->session_path,
                   "Keeps the conversation in this file, and goes on with it where it exists; "
                   "default: it is forgotten")
      ->type_name("FILE")
      ->group(kTextGroup);
  AddSamplingFlags(command, &a->sampling);
  AddContextFlag(command, &a->engine, "the model's own, but at most " + FormatCount(kUsualContext));
  AddThreadsFlag(command, &a->engine);
  AddPolicyFlags(command, &a->engine);
  command->footer(kExamples);
  command->callback([a] { Chat(*a); });
}

}  // namespace rondo::tools
