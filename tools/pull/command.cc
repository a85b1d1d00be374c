#include <algorithm>
#include <cstdlib>
#include <memory>

#include "tools/commands.h"
#include "tools/common/error.h"
#include "tools/common/flags.h"
#include "tools/common/options.h"
#include "tools/common/output.h"
#include "tools/common/progress_bar.h"
#include "tools/convert/conversion.h"
#include "tools/convert/model_name.h"
#include "tools/convert/sources/mmproj_name.h"
#include "tools/pull/model_address.h"
#include "tools/pull/pull.h"
#include "tools/pull/token.h"

namespace rondo::tools {
namespace {

constexpr const char* kHubGroup = "Hub";
constexpr const char* kExamples = R"(
Examples:
  rondo pull HuggingFaceTB/SmolLM2-135M-Instruct
  rondo pull HuggingFaceTB/SmolLM2-135M-Instruct -o smollm2-q4.rondo --weights q4
  rondo pull ORG/MODEL-GGUF --file "*Q4_0.gguf"
  HF_TOKEN=... rondo pull meta-llama/Llama-3.2-1B
  rondo pull ORG/MY-LORA --adapter-for llama-1b.rondo

The address of a model's page, of a revision or of a file there stands for what it shows. The files
stay in the cache that the hub's own clients use (HF_HUB_CACHE, else HF_HOME/hub, else
~/.cache/huggingface/hub); a download that broke off is gone on with. The token in HF_TOKEN, or that
of whoever has logged in with the hub's own client, is sent to the hub alone; with HF_HUB_OFFLINE=1
nothing is downloaded. No other command of rondo opens a connection, and the library never does.)";

struct Arguments {
  std::string model;
  PullOptions pull;
  ConversionWish wish;
};

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
  const auto hub_address = HubAddress(options->hub);
  if (!hub_address) {
    throw CLI::ValidationError(
        "--hub", "\"" + options->hub + "\" is no address of a hub, expected https://HOST");
  }
  options->hub = *hub_address;
  const std::string& hub = options->hub;
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

// What sees for the model, of what was asked for; empty: that is none, or several.
std::filesystem::path MmprojAmong(const Pulled& pulled) {
  std::filesystem::path found;
  for (const std::string& file : pulled.files) {
    const std::filesystem::path path = pulled.snapshot / file;
    if (!convert::IsMmprojName(path.filename().string())) continue;
    if (!found.empty()) return {};
    found = path;
  }
  return found;
}

void Run(Arguments& arguments, bool has_revision) {
  CheckCombination(arguments.wish);
  PullOptions& options = arguments.pull;
  ReadModel(arguments.model, has_revision, &options);
  const std::string name = options.name.text();
  if (IsSwitchedOn("HF_HUB_OFFLINE")) {
    const bool is_usual = options.revision == PullOptions().revision;
    Fail("HF_HUB_OFFLINE is set, so nothing is downloaded; `rondo convert ", name,
         is_usual ? "" : " --revision " + options.revision, "` takes what was downloaded before");
  }
  options.token = HubToken();
  const bool is_adapter = !arguments.wish.adapter_for.empty();
  options.kind = is_adapter ? Named::kAdapter : Named::kModel;
  options.with_mmproj = !arguments.wish.text_only && arguments.wish.mmproj.empty();
  if (arguments.wish.output.empty()) arguments.wish.output = options.name.model + ".rondo";
  // What cannot be written, or is not there, is told before hours of a download.
  std::string& merge = arguments.wish.merge;
  if (!merge.empty()) merge = FindNamed(merge, "", Named::kAdapter).string();
  CheckOutput(arguments.wish);
  Pulled pulled;
  {
    ProgressBar bar;
    pulled = Pull(options, std::bind_front(&ProgressBar::Update, &bar),
                  [](const std::string& sentence) { Tell("note: ", sentence); });
  }
  Print("downloaded to " + Printable(pulled.snapshot.string()) + "\n");
  const FoundModel model = ModelAmong(pulled.snapshot, pulled.files);
  if (model.kind == Named::kAdapter && !is_adapter) {
    Fail(name, " is a LoRA adapter: `rondo convert ", name,
         " --adapter-for MODEL.rondo -o FILE` makes it a file for a model, `rondo convert BASE "
         "--merge ",
         name, " -o FILE` adds it to the weights of its base");
  }
  // Beside it may lie those of earlier downloads.
  if (options.with_mmproj) arguments.wish.mmproj = MmprojAmong(pulled).string();
  RunConversion(model.path.string(), arguments.wish);
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
  AddTexts(
      command, "--file", &pull.files,
      "Only files that PATTERN stands for (* ? [a-z]); can be given again; default: those that "
      "convert reads")
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
  AddAdapterFlags(command, &arguments->wish);
  AddOutputFile(command, &arguments->wish.output, "The file to write; default: MODEL.rondo, here");
  command->footer(kExamples);
  command->callback([arguments, command] { Run(*arguments, command->count("--revision") > 0); });
}

}  // namespace rondo::tools
