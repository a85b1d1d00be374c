// The `rondo` program: one subcommand per folder of tools/. Exit codes: 0 done, 1 failed with one
// sentence on stderr, 2 wrong usage.
#include <exception>
#include <iostream>

#include <CLI/CLI.hpp>

#include "tools/convert/command.h"

namespace {

constexpr int kExitFailure = 1;
constexpr int kExitUsage = 2;

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Rondo runs language models inside one planned block of memory.", "rondo");
  app.require_subcommand(1);
  try {
    rondo::tools::AddConvertCommand(app);
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kExitUsage;  // 0: --help
  } catch (const std::exception& error) {
    std::cerr << "rondo: " << error.what() << '\n';
    return kExitFailure;
  }
  return 0;
}
