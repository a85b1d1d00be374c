// The subcommand `rondo convert`.
#pragma once

#include <CLI/CLI.hpp>

namespace rondo::tools {

// Its callback throws std::exception, whose what() is a sentence for the user, where the
// conversion fails; the program then exits with 1. Wrong usage is CLI11's own error, an
// interruption (after which nothing is left of the file) a CLI::RuntimeError of 130.
void AddConvertCommand(CLI::App& app);

}  // namespace rondo::tools
