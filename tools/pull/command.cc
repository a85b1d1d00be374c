#include <algorithm>
#include <cstdlib>
#include <memory>

#include "tools/commands.h"
#include "tools/common/error.h"
#include "tools/common/flags.h"
#include "tools/common/output.h"
#include "tools/common/progress_bar.h"
#include "tools/convert/conversion.h"
#include "tools/pull/pull.h"

namespace rondo::tools {
namespace {

constexpr const char* kHubGroup = "Hub";
constexpr const char* kExamples = R"(
Examples:
  rondo pull HuggingFaceTB/SmolLM2-135M-Instruct
  rondo pull HuggingFaceTB/SmolLM2-135M-Instruct -o smollm2-q4.rondo --weights q4
  rondo pull ORG/MODEL-GGUF --file "*Q4_0.gguf"
  HF_TOKEN=... rondo pull meta-llama/Llama-3.2-1B

The files stay in the cache that the hub's own clients use (HF_HUB_CACHE, else HF_HOME/hub, else
~/.cache/huggingface/hub); a download that broke off is gone on with. HF_TOKEN is sent to the hub
alone. No other command of rondo opens a connection, and the library never does.)";

struct Arguments {
  std::string model;
  PullOptions pull;
  ConversionWish wish;
};

std::string Variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

void Run(Arguments& arguments) {
  CheckCombination(arguments.wish);
  PullOptions& options = arguments.pull;
  const auto name = ParseHubName(arguments.model);
  if (!name) Fail(arguments.model, " is not the name of a model in a hub, expected ORG/MODEL");
  options.name = *name;
  options.token = Variable("HF_TOKEN");
  if (arguments.wish.output.empty()) arguments.wish.output = name->model + ".rondo";
  std::filesystem::path snapshot;
  {
    ProgressBar bar;
    snapshot = Pull(options, std::bind_front(&ProgressBar::Update, &bar),
                    [](const std::string& sentence) { Tell("note: ", sentence); });
  }
  Print("downloaded to " + Printable(snapshot.string()) + "\n");
  RunConversion(ModelInSnapshot(snapshot).string(), arguments.wish);
}

}  // namespace

void AddPullCommand(CLI::App& app) {
  const auto arguments = std::make_shared<Arguments>();
  PullOptions& pull = arguments->pull;
  if (const std::string hub = Variable("HF_ENDPOINT"); !hub.empty()) pull.hub = hub;
  CLI::App* command = app.add_subcommand("pull", "Download a model from a hub and convert it");
  command->add_option("ORG/MODEL", arguments->model, "The model's name in the hub")
      ->required()
      ->type_name("");
  command
      ->add_option("--file", pull.files,
                   "Only files that PATTERN stands for (* ? [a-z]); can be given again; default: "
                   "those that convert reads")
      ->type_name("PATTERN")
      ->group(kHubGroup);
  command->add_option("--revision", pull.revision, "A branch, tag or commit; default: main")
      ->type_name("NAME")
      ->group(kHubGroup);
  command
      ->add_option("--hub", pull.hub,
                   "The hub, or a mirror of it; default: HF_ENDPOINT, else https://huggingface.co")
      ->type_name("URL")
      ->group(kHubGroup);
  AddConversionFlags(command, &arguments->wish);
  AddOutputFile(command, &arguments->wish.output, "The file to write; default: MODEL.rondo, here");
  command->footer(kExamples);
  command->callback([arguments] { Run(*arguments); });
}

}  // namespace rondo::tools
