// The subcommand `rondo run`.
#pragma once

#include <CLI/CLI.hpp>

namespace rondo::tools {

// Its callback throws std::exception with a sentence for the user. An interruption (Ctrl-C) ends
// the text and the program with exit code 130.
void AddRunCommand(CLI::App& app);

}  // namespace rondo::tools
