// The `rondo` program: one subcommand per folder of tools/. Exit codes: 0 done, 1 failed with one
// sentence on stderr, 2 wrong usage, 128 and the signal's number where one ended it (130: Ctrl-C).
#include <exception>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "tools/app.h"
#include "tools/common/interrupt.h"
#include "tools/common/library.h"
#include "tools/common/output.h"
#include "tools/system/standard_files.h"

namespace {

constexpr int kExitFailure = 1;
constexpr int kExitUsage = 2;

// Of the command line, or of --help and --version.
int Answer(const CLI::App& app, const CLI::ParseError& error) {
  std::ostringstream out, err;
  const int code = app.exit(error, out, err);
  rondo::tools::Print(out.str());
  std::cerr << err.str();
  return code == 0 ? 0 : kExitUsage;
}

// From the last to the first, as CLI11 wants them. That would take "--name=" for an option whose
// value is the next argument: here its value is empty.
std::vector<std::string> Reversed(int argc, char** argv) {
  std::vector<std::string> arguments;
  bool options = true;  // up to "--"
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    options = options && argument != "--";
    if (options && argument.starts_with("--") && argument.find('=') == argument.size() - 1) {
      arguments.push_back(argument.substr(0, argument.size() - 1));
      arguments.emplace_back();
    } else {
      arguments.push_back(argument);
    }
  }
  return {arguments.rbegin(), arguments.rend()};
}

int Run(CLI::App& app, int argc, char** argv) {
  using rondo::tools::Tell;
  try {
    try {
      rondo::tools::Explained([&] { app.parse(Reversed(argc, argv)); });
    } catch (const CLI::RuntimeError& error) {
      return error.get_exit_code();  // a command's own
    } catch (const CLI::ParseError& error) {
      return Answer(app, error);
    } catch (const rondo::tools::OptionRefused& refused) {
      const std::vector<CLI::App*> chosen = app.get_subcommands();
      const bool is_typed =
          !chosen.empty() && chosen[0]->get_option_no_throw(refused.name()) != nullptr;
      if (!is_typed) throw;
      return Answer(app, CLI::ValidationError(refused.name(), refused.why()));
    }
  } catch (const rondo::tools::Interrupted& interruption) {
    Tell("rondo: ", interruption.what());
    return interruption.exit_code();
  } catch (const std::exception& error) {
    Tell("rondo: ", error.what());
    return kExitFailure;
  }
  return 0;
}

}  // namespace

// Without memory for the options nobody can be told anything.
int main(int argc, char** argv) {  // NOLINT(bugprone-exception-escape)
  rondo::tools::PrepareStandardFiles();
  const auto app = rondo::tools::MakeApp();
  rondo::tools::NoteSignals();
  return Run(*app, argc, argv);
}
