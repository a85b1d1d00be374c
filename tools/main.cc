// The `rondo` program: one subcommand per folder of tools/. Exit codes: 0 done, 1 failed with one
// sentence on stderr, 2 wrong usage, 128 and the signal's number where one ended it (130: Ctrl-C).
#include <exception>
#include <iostream>

#include "tools/app.h"
#include "tools/common/interrupt.h"

namespace {

constexpr int kExitFailure = 1;
constexpr int kExitUsage = 2;

int Run(CLI::App& app, int argc, char** argv) {
  try {
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

}  // namespace

// Without memory for the options nobody can be told anything.
int main(int argc, char** argv) {  // NOLINT(bugprone-exception-escape)
  const auto app = rondo::tools::MakeApp();
  rondo::tools::NoteSignals();
  return Run(*app, argc, argv);
}
