// The subcommand `rondo chat`.
#pragma once

#include <CLI/CLI.hpp>

namespace rondo::tools {

// Its callback throws std::exception with a sentence for the user. Ctrl-C ends an answer, and the
// program where none is running.
void AddChatCommand(CLI::App& app);

}  // namespace rondo::tools
