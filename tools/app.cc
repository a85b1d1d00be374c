#include "tools/app.h"

#include <algorithm>
#include <string>
#include <vector>

#include "rondo/rondo.h"
#include "tools/commands.h"
#include "tools/common/help.h"
#include "tools/common/output.h"
#include "tools/wrong_usage.h"

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

// "--greedy=no" would be read as some number.
void RefuseValuesOfFlags(CLI::App& command) {
  for (CLI::Option* option : command.get_options()) {
    if (option->get_items_expected_max() == 0) option->disable_flag_override();
  }
  for (CLI::App* group : command.get_subcommands({})) RefuseValuesOfFlags(*group);
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
    Print(app.get_formatter()->make_help(about, shown, CLI::AppFormatMode::Normal));
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
  AddSplitCommand(*app);
  AddRunCommand(*app);
  AddChatCommand(*app);
  AddServeCommand(*app);
  AddBatchCommand(*app);
  AddGrammarCommand(*app);
  AddEmbedCommand(*app);
  AddRerankCommand(*app);
  AddInspectCommand(*app);
  AddLogitsCommand(*app);
  AddEvalCommand(*app);
  AddBenchCommand(*app);
  AddHelpCommand(*app);
  for (CLI::App* command : app->get_subcommands({})) RefuseValuesOfFlags(*command);
  return app;
}

}  // namespace rondo::tools
