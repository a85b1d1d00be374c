// The subcommand `rondo pack`.
#pragma once

#include <CLI/CLI.hpp>

namespace rondo::tools {

// Its callback throws std::exception with a sentence for the user.
void AddPackCommand(CLI::App& app);

}  // namespace rondo::tools
