// The subcommand `rondo bench`.
#pragma once

#include <CLI/CLI.hpp>

namespace rondo::tools {

// Its callback throws std::exception with a sentence for the user.
void AddBenchCommand(CLI::App& app);

}  // namespace rondo::tools
