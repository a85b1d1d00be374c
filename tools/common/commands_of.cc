#include "tools/common/commands_of.h"

namespace rondo::tools {

std::vector<const CLI::App*> CommandsOf(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App* sub) { return !sub->get_name().empty(); });
}

std::vector<const CLI::Option*> OptionsOf(const CLI::App& command) {
  const auto named = [](const CLI::Option* option) { return option->nonpositional(); };
  std::vector<const CLI::Option*> options = command.get_options(named);
  for (const CLI::App* group :
       command.get_subcommands([](const CLI::App* sub) { return sub->get_name().empty(); })) {
    for (const CLI::Option* option : group->get_options(named)) {
      if (option != group->get_help_ptr()) options.push_back(option);
    }
  }
  return options;
}

}  // namespace rondo::tools
