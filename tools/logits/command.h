// The subcommand `rondo logits`.
#pragma once

#include <CLI/CLI.hpp>

namespace rondo::tools {

// Its callback throws std::exception with a sentence for the user.
void AddLogitsCommand(CLI::App& app);

}  // namespace rondo::tools
