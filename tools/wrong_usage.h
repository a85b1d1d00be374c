// What the tool says to a command line that it does not understand: one sentence in the voice of
// all its others, and where to read on.
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace rondo::tools {

std::vector<std::string> CommandNames(const CLI::App& app);

// "there is no command rnu; did you mean run?"
std::string UnknownCommand(const CLI::App& app, const std::string& name);

// For CLI::App::failure_message. The help, where there is no command at all.
std::string WrongUsage(const CLI::App* app, const CLI::Error& error);

}  // namespace rondo::tools
