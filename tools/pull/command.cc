#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <memory>

#include "tools/commands.h"
#include "tools/common/error.h"
#include "tools/common/flags.h"
#include "tools/common/output.h"
#include "tools/common/progress_bar.h"
#include "tools/convert/conversion.h"
#include "tools/convert/output/file_writer.h"
#include "tools/pull/model_address.h"
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

The address of a model's page, of a revision or of a file there stands for what it shows. The files
stay in the cache that the hub's own clients use (HF_HUB_CACHE, else HF_HOME/hub, else
~/.cache/huggingface/hub); a download that broke off is gone on with. HF_TOKEN is sent to the hub
alone; with HF_HUB_OFFLINE=1 nothing is downloaded. No other command of rondo opens a connection,
and the library never does.)";

struct Arguments {
  std::string model;
  PullOptions pull;
  ConversionWish wish;
};

std::string Variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// As the hub's own clients read it.
bool IsOffline() {
  std::string value = Variable("HF_HUB_OFFLINE");
  std::transform(value.begin(), value.end(), value.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return value == "1" || value == "ON" || value == "YES" || value == "TRUE";
}

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// A pattern that stands for this file alone; of one in parts, "-00001-of-00003.gguf", for all.
std::string PatternOf(const std::string& file) {
  constexpr std::string_view kPart = "-NNNNN-of-NNNNN.gguf";
  std::string pattern;
  for (const char c : file) {
    if (std::string_view("*?[\\").find(c) != std::string_view::npos) pattern += '\\';
    pattern += c;
  }
  const size_t part = pattern.size() - std::min(pattern.size(), kPart.size());
  const std::string_view end = std::string_view{pattern}.substr(part);
  const bool is_part = std::equal(
      kPart.begin(), kPart.end(), end.begin(), end.end(),
      [](char expected, char c) { return expected == 'N' ? IsDigit(c) : expected == c; });
  if (is_part) pattern.replace(part + 1, 5, 5, '?');
  return pattern;
}

// Sets what the argument names: a model and, where it is an address, its revision and GGUF file.
void ReadModel(const std::string& text, bool has_revision, PullOptions* options) {
  std::string& hub = options->hub;
  while (hub.ends_with('/')) hub.pop_back();
  const auto address = ParseModelAddress(text, hub);
  if (!address) {
    const bool is_url = text.find("://") != text.npos;
    throw CLI::ValidationError(
        is_url ? text + " is no address of a model in the hub " + hub + ", expected ORG/MODEL or " +
                     hub + "/ORG/MODEL; --hub names another hub"
               : text + " is not the name of a model in a hub, expected ORG/MODEL");
  }
  options->name = address->name;
  if (!address->revision.empty() && !has_revision) options->revision = address->revision;
  const bool is_gguf = address->file.ends_with(".gguf");
  if (is_gguf && options->files.empty()) options->files = {PatternOf(address->file)};
}

void Run(Arguments& arguments, bool has_revision) {
  CheckCombination(arguments.wish);
  PullOptions& options = arguments.pull;
  ReadModel(arguments.model, has_revision, &options);
  const std::string name = options.name.text();
  if (IsOffline()) {
    Fail("HF_HUB_OFFLINE is set, so nothing is downloaded; `rondo convert ", name,
         "` takes what was downloaded before");
  }
  options.token = Variable("HF_TOKEN");
  if (arguments.wish.output.empty()) arguments.wish.output = options.name.model + ".rondo";
  {  // What cannot be written is told before hours of a download.
    const convert::FileWriter target(arguments.wish.output, arguments.wish.replace);
  }
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
  command
      ->add_option("ORG/MODEL", arguments->model,
                   "The model's name in the hub, or its address there")
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
  command->callback([arguments, command] { Run(*arguments, command->count("--revision") > 0); });
}

}  // namespace rondo::tools
