// The `rondo` program: one subcommand per folder of tools/. Exit codes: 0 done, 1 failed with one
// sentence on stderr, 2 wrong usage, 128 and the signal's number where one ended it (130: Ctrl-C).
#include <exception>
#include <iostream>

#include <CLI/CLI.hpp>

#include "rondo/rondo.h"
#include "tools/commands.h"
#include "tools/common/interrupt.h"

namespace {

constexpr int kExitFailure = 1;
constexpr int kExitUsage = 2;

constexpr const char* kExamples = R"(
Examples:
  rondo convert Llama-3.2-1B -o llama-1b.rondo
  rondo run llama-1b.rondo "Once upon a time"
  rondo chat llama-1b.rondo
  rondo inspect llama-1b.rondo --plan

`rondo COMMAND --help` tells more. Exit codes: 0 done, 1 failed, 2 wrong usage, 128 + N
ended by signal N (130: Ctrl-C).)";

}  // namespace

// Without memory for the options nobody can be told anything.
int main(int argc, char** argv) {  // NOLINT(bugprone-exception-escape)
  CLI::App app("Rondo runs language models inside one planned block of memory.", "rondo");
  app.require_subcommand(1);
  app.set_version_flag("--version", std::string("rondo ") + rondo_version_string());
  app.footer(kExamples);
  rondo::tools::NoteSignals();
  try {
    rondo::tools::AddConvertCommand(app);
    rondo::tools::AddPackCommand(app);
    rondo::tools::AddRunCommand(app);
    rondo::tools::AddChatCommand(app);
    rondo::tools::AddInspectCommand(app);
    rondo::tools::AddLogitsCommand(app);
    rondo::tools::AddEvalCommand(app);
    rondo::tools::AddBenchCommand(app);
    app.parse(argc, argv);
  } catch (const CLI::RuntimeError& error) {
    return error.get_exit_code();  // a command's own
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kExitUsage;  // 0: --help, --version
  } catch (const rondo::tools::Interrupted& interruption) {
    std::cerr << "rondo: " << interruption.what() << '\n';
    return interruption.exit_code();
  } catch (const std::exception& error) {
    std::cerr << "rondo: " << error.what() << '\n';
    return kExitFailure;
  }
  return 0;
}
