// A conversation, line by line.
#include "tools/chat/command.h"

#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "tools/chat/conversation.h"
#include "tools/chat/line_reader.h"
#include "tools/common/flags.h"
#include "tools/common/library.h"
#include "tools/common/load_engine.h"
#include "tools/common/numbers.h"
#include "tools/common/output_file.h"

namespace rondo::tools {
namespace {

constexpr const char* kExamples = R"(
Examples:
  rondo chat model.rondo
  rondo chat model.rondo --system "You answer in one sentence." --temperature 0.7 --seed 7
  echo "What is a rondo?" | rondo chat model.rondo --max-tokens 100

Commands of the conversation: /reset /save FILE /stats /help /exit. A line that ends with a
backslash goes on in the next; """ begins and ends a text of many lines. Ctrl-C stops an answer and
keeps the conversation; where none is running it ends the program.)";

constexpr const char* kHelp =
    "/reset      begin anew, with the same system prompt\n"
    "/save FILE  write the messages as JSON\n"
    "/stats      tokens in the context, and the speed of the last turn\n"
    "/help       this\n"
    "/exit       end; so does Ctrl-D\n"
    "A line that ends with \\ goes on in the next; \"\"\" begins and ends a text of many lines.\n"
    "A space before / sends the line as a message.\n";

struct Arguments {
  std::string model;
  std::string system;
  std::string template_path;
  rondo_engine_options engine = EngineDefaults();
  rondo_session_options session = SessionDefaults();
  std::vector<std::string> stop;
};

void Print(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
    throw Error("cannot write to standard output");
  }
}

std::string ReadTemplate(const std::string& path) {
  if (path.empty()) return {};
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file || text.empty()) throw Error("cannot read the chat template " + path);
  return text;
}

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

void PrintSpeed(const char* what, size_t tokens, double seconds) {
  std::printf("%s: %zu tokens in %.3f s", what, tokens, seconds);
  if (tokens > 0 && seconds > 0) {
    std::printf(", %.1f tokens/s", static_cast<double>(tokens) / seconds);
  }
  std::printf("\n");
}

void PrintStats(const Conversation& conversation) {
  const uint64_t remaining = conversation.remaining();
  std::printf("context: %s tokens, %s\n", FormatCount(conversation.position()).c_str(),
              remaining == UINT64_MAX ? "any number more"
                                      : ("room for " + FormatCount(remaining) + " more").c_str());
  const TurnStats& turn = conversation.stats();
  std::printf("kept: %zu tokens of the turns before\n", turn.kept);
  PrintSpeed("prefill", turn.prefilled, turn.prefill_seconds);
  PrintSpeed("decode", turn.generated, turn.decode_seconds);
  Print("");
}

void Save(const Conversation& conversation, const std::string& path) {
  if (path.empty()) throw Error("/save needs the name of a file");
  const std::string json = conversation.messages().dump(2) + "\n";
  OutputFile file(path);
  file.Write(json.data(), json.size());
  file.Commit();
  std::fprintf(stderr, "saved: %s\n", path.c_str());
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
bool RunCommand(const std::string& line, Conversation& conversation) {
  const size_t space = std::min(line.find(' '), line.size());
  const std::string name = line.substr(0, space);
  const size_t begin = std::min(line.find_first_not_of(' ', space), line.size());
  const std::string argument = line.substr(begin);
  if (name == "/exit") return false;
  if (name == "/save") {
    Save(conversation, argument);
  } else if (!argument.empty()) {
    throw Error(name + " takes nothing behind it (/help)");
  } else if (name == "/reset") {
    conversation.Reset();
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
bool Turn(const std::string& message, Conversation& conversation) {
  if (message.find_first_not_of(" \t\n") == message.npos) return true;
  if (message[0] == '/') return RunCommand(message, conversation);
  const int32_t reason = conversation.Ask(message, [](std::string_view text) { Print(text); });
  Print("\n");
  PrintReason(reason);
  return true;
}

void Chat(const Arguments& arguments) {
  const Model model = OpenModel(arguments.model);
  RequireTemplate(model.get(), arguments);
  const std::string template_text = ReadTemplate(arguments.template_path);
  const Engine engine = LoadEngine(model.get(), arguments.engine);
  rondo_session_options options = arguments.session;
  std::vector<const char*> stop;
  for (const std::string& s : arguments.stop) stop.push_back(s.c_str());
  options.stop_strings = stop.data();
  options.n_stop_strings = stop.size();
  Conversation conversation(model.get(), engine.get(), options, arguments.system, template_text);

  LineReader lines;
  if (lines.is_terminal()) Print("/help tells what there is.\n");
  bool failed = false;
  while (const std::optional<std::string> message = ReadMessage(lines)) {
    try {
      if (!Turn(*message, conversation)) break;
    } catch (const Error& error) {
      // A person reads it and goes on; a script wants to know at the end.
      std::fprintf(stderr, "rondo: %s\n", error.what());
      failed = true;
    }
  }
  if (failed && !lines.is_terminal()) throw CLI::RuntimeError(1);
}

}  // namespace

void AddChatCommand(CLI::App& app) {
  const auto a = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("chat", "Talk with a model, by its own chat template");
  AddModelArgument(command, &a->model);
  command->add_option("--system", a->system, "The system prompt")->type_name("TEXT");
  command
      ->add_option("--template", a->template_path, "A Jinja file in place of the model's template")
      ->type_name("FILE");
  AddSamplingFlags(command, &a->session, &a->stop);
  AddContextFlag(command, &a->engine);
  AddThreadsFlag(command, &a->engine);
  AddPolicyFlags(command, &a->engine);
  command->footer(kExamples);
  command->callback([a] { Chat(*a); });
}

}  // namespace rondo::tools
