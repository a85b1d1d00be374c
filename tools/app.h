// The command line of `rondo`: its commands, its help, and what it says to wrong usage.
#pragma once

#include <memory>

#include <CLI/CLI.hpp>

namespace rondo::tools {

// All commands, to be parsed. A command's callback throws as tools/commands.h says.
std::unique_ptr<CLI::App> MakeApp();

}  // namespace rondo::tools
