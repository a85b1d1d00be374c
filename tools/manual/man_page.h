// Man pages, made of what --help shows.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

namespace rondo::tools {

// rondo.1 (`command` null), or rondo-COMMAND.1, as roff for the macros of man(7).
std::string ManPage(const CLI::App& app, const CLI::App* command);

}  // namespace rondo::tools
