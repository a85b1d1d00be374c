// The commands of the command line, and the options of each, as it declares them.
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace rondo::tools {

// Without nameless subcommands, which only group options.
std::vector<const CLI::App*> CommandsOf(const CLI::App& app);
// Those of its groups, too; no positional arguments.
std::vector<const CLI::Option*> OptionsOf(const CLI::App& command);

}  // namespace rondo::tools
