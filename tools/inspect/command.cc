// Tells what a model is, what it would take to run it, and whether its file is whole.
#include "tools/commands.h"

#include <memory>
#include <string>
#include <vector>

#include "tools/common/context.h"
#include "tools/common/flags.h"
#include "tools/common/library.h"
#include "tools/common/limits.h"
#include "tools/common/numbers.h"
#include "tools/common/options.h"
#include "tools/common/output.h"
#include "tools/common/picture_flags.h"
#include "tools/common/sight.h"
#include "tools/inspect/file_report.h"
#include "tools/inspect/plan_report.h"
#include "tools/inspect/sight_report.h"

namespace rondo::tools {
namespace {

constexpr const char* kExamples = R"(
Examples:
  rondo inspect model.rondo
  rondo inspect model.rondo --plan --context 4096
  rondo inspect model.rondo --fit 900M
  rondo inspect model.rondo --check
  rondo inspect model.rondo --adapter my-lora.rondo --plan
  rondo inspect model.rondo --image 1920x1080
  rondo inspect model.rondo --plan --image 1920x1080

Nothing of the plan is taken from the system: it is computed from the file alone. The options of
memory and speed go with --plan and, but for --context, with --fit; --adapter with these, which then
have room for it, or alone or with --check.)";

struct Arguments {
  std::string model;
  std::string adapter;
  EngineOptions engine;
  uint64_t fit_bytes = 0;  // 0: not asked for
  PictureSize picture;     // 0 x 0: not asked for
  ImageOptions image;
  bool plan = false;
  bool check = false;
  bool tensors = false;
};

void PrintFit(const Model& model, const EngineOptions& options, uint64_t bytes) {
  uint32_t context = 0;
  try {
    context = model.PlanFit(bytes, options);
  } catch (const rondo::Error& error) {
    // What could be advised is what was asked for.
    throw rondo::Error(RONDO_STATUS_INVALID_ARGUMENT, FormatCounts(error.what()));
  }
  const bool is_all = context >= model.Info().context_length;
  Print("the largest context for " + FormatBytes(bytes) + " is " + FormatCount(context, "token") +
        (is_all ? ", all that the model was trained for" : "") + "\n");
}

// An option that the report does not look at would be ignored in silence.
void CheckOptions(const CLI::App* command, const Arguments& arguments) {
  CheckImageOptions(arguments.image, arguments.picture.width > 0);
  for (const CLI::Option* option : command->get_options()) {
    if (option->get_group() != kMemoryGroup || option->count() == 0 || arguments.plan) continue;
    const std::string name = option->get_name();
    if (name == "--context") {
      throw CLI::ValidationError(
          name, arguments.fit_bytes > 0 ? "goes with --plan; --fit tells the largest there can be"
                                        : "goes with --plan");
    }
    if (arguments.fit_bytes == 0) throw CLI::ValidationError(name, "goes with --plan or --fit");
  }
}

void Run(Arguments arguments) {
  const Model model = OpenModel(arguments.model);
  if (arguments.engine.context == 0) arguments.engine.context = ContextFor(model, 0);
  SessionOptions session;
  UseAdapter(arguments.adapter, model, &arguments.engine, &session);
  rondo_image_facts picture = {};
  if (arguments.picture.width > 0) {
    picture = model.ImagePlan(arguments.picture.width, arguments.picture.height, arguments.image);
    if (arguments.engine.max_media_rows == 0) arguments.engine.max_media_rows = picture.rows;
  }
  if (arguments.plan) {
    Print(DescribePlan(model.Plan(arguments.engine), model.PlanRegions(arguments.engine)));
  } else if (arguments.fit_bytes > 0) {
    PrintFit(model, arguments.engine, arguments.fit_bytes);
  } else if (arguments.check) {
    Print(CheckModel(arguments.model, model));
    if (session.adapter) Print(arguments.adapter + ": every checksum is right\n");
  } else if (arguments.picture.width > 0) {
    Print(DescribePicture(arguments.picture, picture));
  } else if (arguments.tensors) {
    Print(DescribeTensors(arguments.model));
  } else {
    Print(DescribeModel(model) + DescribeSight(arguments.model, model));
    if (session.adapter) Print(DescribeAdapter(session.adapter->Facts()));
  }
}

}  // namespace

void AddInspectCommand(CLI::App& app) {
  const auto a = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand(
      "inspect", "Tell what a model is, what memory it takes, whether its file is whole");
  AddModelArgument(command, &a->model);
  CLI::Option_group* what =
      command->add_option_group("Report (at most one; default: the model's facts)");
  what->require_option(0, 1);
  what->add_flag("--plan", a->plan, "The memory that `rondo run` would take: every region");
  AddSize(what, "--fit", &a->fit_bytes,
          "The largest context whose plan fits so many bytes (k, M, G: powers of 1000; Ki, Mi, Gi: "
          "of 1024); default: none");
  CLI::Option* check = what->add_flag("--check", a->check,
                                      "Compare every checksum and the tokenizer's stored texts");
  CLI::Option* tensors = what->add_flag("--tensors", a->tensors, "Every tensor");
  AddImageSize(command, &a->picture,
               "What becomes of a picture of so many pixels; with --plan and --fit, room for one")
      ->excludes(check)
      ->excludes(tensors)
      ->group(kPicturesGroup);
  AddAdapterFlag(command, &a->adapter)->excludes(tensors);
  AddContextFlag(
      command, &a->engine,
      "the model's own, but at most " + FormatCount(kUsualContext) + ", as of `rondo run`");
  AddInteger(command, "--sessions", &a->engine.max_sessions, {1, kMostSessions},
             "Sessions open at once", FormatCount(a->engine.max_sessions))
      ->group(kMemoryGroup);
  AddInteger(command, "--rows", &a->engine.max_rows, {1, kMostRows},
             "Tokens of one pass of a prefill", FormatCount(a->engine.max_rows))
      ->group(kMemoryGroup);
  AddImageRowsFlag(command, &a->engine, "0");
  AddPolicyFlags(command, &a->engine);
  AddKvFlag(command, &a->engine.kv_format);
  AddThreadsFlag(command, &a->engine);
  AddImageOptions(command, &a->image);
  command->footer(kExamples);
  command->callback([a, command] {
    CheckOptions(command, *a);
    Run(*a);
  });
}

}  // namespace rondo::tools
