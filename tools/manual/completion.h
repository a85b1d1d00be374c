// Completion of commands and options in a shell's command line.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

namespace rondo::tools {

// What the shell reads: bash's bash-completion/completions/rondo, zsh's site-functions/_rondo,
// fish's vendor_completions.d/rondo.fish. Where no option can stand, files are completed.
std::string BashCompletion(const CLI::App& app);
std::string ZshCompletion(const CLI::App& app);
std::string FishCompletion(const CLI::App& app);

}  // namespace rondo::tools
