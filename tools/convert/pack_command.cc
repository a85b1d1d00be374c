#include "tools/commands.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "runtime/kernels/kernel_set.h"
#include "tools/common/flags.h"
#include "tools/common/numbers.h"
#include "tools/common/options.h"
#include "tools/common/output.h"
#include "tools/common/progress_bar.h"
#include "tools/convert/output/pack.h"

namespace rondo::tools {
namespace {

constexpr const char* kExamples = R"(
Examples:
  rondo pack llama.rondo                                  # for this machine
  rondo pack llama.rondo --cpu x86-64-v3 -o llama-v3.rondo
  rondo pack llama.rondo --cpu armv8.2-dotprod

A packed file is used where it lies: engines start at once, whatever the model's size, and processes
share its memory. It fits the kernels of the CPUs that it was packed for, and no others; keep the
portable file. FILE appears whole or not at all.)";

// Names of CPU levels for kernel sets.
struct Alias {
  const char* cpu;
  const char* kernels;
};
constexpr Alias kAliases[] = {
    {"x86-64-v2", "sse41"}, {"x86-64-v3", "avx2"},          {"x86-64-v4-vnni", "avx512vnni"},
    {"armv8-a", "neon"},    {"armv8.2-dotprod", "neondot"}, {"armv8.6-i8mm", "i8mm"},
};

struct Arguments {
  std::string input, output;
  std::string cpu = "host";
  Replace replace = Replace::kSameKind;
};

NamedLayout Target(const std::string& cpu) {
  std::string kernels = cpu == "host" ? SelectKernelSet("")->name : cpu;
  for (const Alias& alias : kAliases) {
    if (cpu == alias.cpu) kernels = alias.kernels;
  }
  std::string known = "host";
  for (const NamedLayout& named : NamedLayouts()) {
    if (kernels == named.kernels) return named;
    known += std::string(", ") + named.kernels;
  }
  for (const Alias& alias : kAliases) known += std::string(", ") + alias.cpu;
  throw CLI::ValidationError("--cpu", cpu + " is not one of " + known);
}

// model.rondo, avx2: model-avx2.rondo
std::filesystem::path DefaultOutput(const std::filesystem::path& input, const char* kernels) {
  return input.parent_path() / (input.stem().string() + "-" + kernels + ".rondo");
}

void Run(const Arguments& arguments) {
  convert::PackOptions options;
  options.target = Target(arguments.cpu);
  options.input = arguments.input;
  options.output = arguments.output.empty() ? DefaultOutput(options.input, options.target.kernels)
                                            : std::filesystem::path(arguments.output);
  options.replace = arguments.replace;
  convert::PackReport report;
  {
    ProgressBar bar;
    report = convert::Pack(options, std::bind_front(&ProgressBar::Update, &bar));
  }
  Print(Printable(options.output.string()) + ": packed for " + options.target.kernels + " (" +
        report.layout + "), " + FormatBytes(report.file_bytes) + "\n");
}

}  // namespace

void AddPackCommand(CLI::App& app) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand(
      "pack", "Lay a model's weights out for one kind of CPU, so that it loads at once");
  AddFile(command, "MODEL", &arguments->input, "A portable Rondo file, made by `rondo convert`")
      ->required()
      ->type_name("");
  command
      ->add_option("--cpu", arguments->cpu,
                   "What to pack for: host, a kernel set (amx, avx512vnni, avxvnni, avx2, sse41, "
                   "i8mm, neondot, sme, neon, scalar) or a level (x86-64-v2, x86-64-v3, "
                   "x86-64-v4-vnni, armv8-a, armv8.2-dotprod, armv8.6-i8mm); default: host")
      ->type_name("NAME")
      ->group(kWeightsGroup);
  AddOutputFile(command, &arguments->output, "The file to write; default: MODEL-KERNELS.rondo");
  AddForceFlag(command, &arguments->replace);
  command->footer(kExamples);
  command->callback([arguments] { Run(*arguments); });
}

}  // namespace rondo::tools
