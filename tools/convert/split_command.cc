#include <filesystem>
#include <memory>
#include <string>

#include "tools/commands.h"
#include "tools/common/flags.h"
#include "tools/common/numbers.h"
#include "tools/common/options.h"
#include "tools/common/output.h"
#include "tools/convert/output/split.h"

namespace rondo::tools {
namespace {

constexpr const char* kExamples = R"(
Examples:
  rondo split llama.rondo --part-bytes 512MiB    # llama-00001-of-00003.rondo, ...
  rondo split llama.rondo --part-bytes 1.9GB -o site/llama

The parts, one behind the other, are the file: `cat` makes it again. A program takes them as they
are (rondo_model_open_parts; in the browser `open` with a list). A part ends between two weights, so
that it has fewer bytes, or more where one weight alone has more.)";

struct Arguments {
  std::string input, output;
  uint64_t part_bytes = uint64_t{512} << 20;
  Replace replace = Replace::kSameKind;
};

void Run(const Arguments& arguments) {
  const std::filesystem::path input = arguments.input;
  convert::SplitOptions options{input, arguments.output, arguments.part_bytes, arguments.replace};
  if (arguments.output.empty()) options.output = input.parent_path() / input.stem();
  for (const std::filesystem::path& part : convert::Split(options)) {
    Print(Printable(part.string()) + ": " + FormatBytes(std::filesystem::file_size(part)) + "\n");
  }
}

}  // namespace

void AddSplitCommand(CLI::App& app) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand(
      "split", "Cut a model file into parts, for browsers and hosts with limits");
  AddFile(command, "MODEL", &arguments->input, "A Rondo file")->required()->type_name("");
  AddSize(command, "--part-bytes", &arguments->part_bytes, "Most bytes of a part; default: 512MiB");
  AddFile(command, "-o,--output", &arguments->output,
          "What the parts' names begin with; default: MODEL without .rondo")
      ->type_name("NAME");
  AddForceFlag(command, &arguments->replace);
  command->footer(kExamples);
  command->callback([arguments] { Run(*arguments); });
}

}  // namespace rondo::tools
