#include "tools/app.h"

#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

#include "rondo/rondo.h"
#include "tools/commands.h"
#include "tools/common/commands_of.h"
#include "tools/common/help.h"
#include "tools/common/nearest.h"

namespace rondo::tools {
namespace {

constexpr const char* kExamples = R"(
Examples:
  rondo convert Llama-3.2-1B -o llama-1b.rondo
  rondo run llama-1b.rondo "Once upon a time"
  rondo chat llama-1b.rondo
  rondo inspect llama-1b.rondo --plan

`rondo COMMAND --help` tells more. Exit codes: 0 done, 1 failed, 2 wrong usage, 128 + N
ended by signal N (130: Ctrl-C).)";

constexpr const char* kHelpExamples = R"(
Examples:
  rondo help
  rondo help run)";

std::vector<std::string> CommandNames(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : CommandsOf(app)) names.push_back(command->get_name());
  return names;
}

// "--context" of a command.
std::vector<std::string> OptionNames(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : OptionsOf(command)) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::string DidYouMean(const std::string& word, const std::vector<std::string>& names) {
  const std::string nearest = Nearest(word, names);
  return nearest.empty() ? "" : "; did you mean " + nearest + "?";
}

std::string UnknownCommand(const CLI::App& app, const std::string& name) {
  return "there is no command " + name + DidYouMean(name, CommandNames(app));
}

// One sentence, and where to read on.
std::string WrongUsage(const CLI::App* app, const CLI::Error& error) {
  const std::vector<std::string> extra = app->remaining(/*recurse=*/true);
  const std::vector<CLI::App*> chosen = app->get_subcommands();
  if (chosen.empty() && extra.empty()) return app->help();
  std::string sentence = error.what();
  const std::string name = chosen.empty() ? "rondo" : "rondo " + chosen[0]->get_name();
  const bool is_extra =
      chosen.empty() || error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError);
  if (is_extra && !extra.empty()) {
    const std::string word = extra[0].substr(0, extra[0].find('='));
    if (word.starts_with("-")) {
      const CLI::App& command = chosen.empty() ? *app : *chosen[0];
      sentence = "there is no option " + word + DidYouMean(word, OptionNames(command));
    } else if (chosen.empty()) {
      sentence = UnknownCommand(*app, word);
    } else {
      sentence = "nothing is known to do with \"" + extra[0] +
                 "\" (a text of several words is given in quotes)";
    }
  }
  return name + ": " + sentence + "\n`" + name + " --help` shows what there is.\n";
}

void AddHelpCommand(CLI::App& app) {
  const auto name = std::make_shared<std::string>();
  CLI::App* help = app.add_subcommand("help", "Show the commands, or the options of one");
  help->add_option("COMMAND", *name, "The command; default: none, which shows all")->type_name("");
  help->footer(kHelpExamples);
  help->callback([&app, name] {
    const CLI::App* about = &app;
    if (!name->empty()) {
      const std::vector<std::string> names = CommandNames(app);
      if (std::find(names.begin(), names.end(), *name) == names.end()) {
        throw CLI::ParseError(UnknownCommand(app, *name), CLI::ExitCodes::ValidationError);
      }
      about = app.get_subcommand(*name);
    }
    const std::string shown = name->empty() ? "rondo" : "rondo " + *name;
    std::cout << app.get_formatter()->make_help(about, shown, CLI::AppFormatMode::Normal);
  });
}

}  // namespace

std::unique_ptr<CLI::App> MakeApp() {
  auto app = std::make_unique<CLI::App>(
      "Rondo runs language models inside one planned block of memory", "rondo");
  app->formatter(std::make_shared<HelpFormatter>());
  app->failure_message(WrongUsage);
  app->set_help_flag("-h,--help", "Show this");
  app->set_version_flag("--version", std::string("rondo ") + rondo_version_string(),
                        "Show the version");
  app->require_subcommand(1);
  app->footer(kExamples);
  AddPullCommand(*app);
  AddConvertCommand(*app);
  AddPackCommand(*app);
  AddRunCommand(*app);
  AddChatCommand(*app);
  AddInspectCommand(*app);
  AddLogitsCommand(*app);
  AddEvalCommand(*app);
  AddBenchCommand(*app);
  AddHelpCommand(*app);
  return app;
}

}  // namespace rondo::tools
