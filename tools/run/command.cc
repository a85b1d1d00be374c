// Streams the continuation of a prompt.
#include "tools/commands.h"

#include <cstdio>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "tools/common/flags.h"
#include "tools/common/interrupt.h"
#include "tools/common/library.h"
#include "tools/common/numbers.h"
#include "tools/common/stopwatch.h"
#include "tools/common/text_io.h"

namespace rondo::tools {
namespace {

constexpr const char* kExamples = R"(
Examples:
  rondo run model.rondo "Once upon a time"
  rondo run model.rondo "Once upon a time" --temperature 0.8 --top-p 0.95 --seed 7
  cat chapter.txt | rondo run model.rondo - --policy slide --max-tokens 0

Temperature 0 takes the most likely token; equal options give equal text, whatever the machine's
number of threads. Ctrl-C ends the text.)";

struct Arguments {
  std::string model;
  std::string prompt;
  rondo_engine_options engine = EngineDefaults();
  SessionSetup session;
  bool raw = false;
  bool verbose = false;
};

const char* ReasonText(int32_t reason) {
  switch (reason) {
    case RONDO_REASON_EOS:
      return "end token";
    case RONDO_REASON_STOP_STRING:
      return "stop string";
    case RONDO_REASON_TOKEN_LIMIT:
      return "token limit";
    case RONDO_REASON_CONTEXT_FULL:
      return "context full";
    default:
      return "interrupted";
  }
}

void PrintMemory(const rondo_memory_plan& plan) {
  std::fprintf(stderr, "memory: %s: weights %s, kv pool %s, all else %s\n",
               FormatBytes(plan.arena_bytes).c_str(), FormatCount(plan.weights_bytes).c_str(),
               FormatCount(plan.kv_pool_bytes).c_str(),
               FormatCount(plan.arena_bytes - plan.weights_bytes - plan.kv_pool_bytes).c_str());
  if (plan.mapped_bytes > 0) {
    std::fprintf(stderr, "mapped: %s of packed weights\n", FormatBytes(plan.mapped_bytes).c_str());
  }
  std::fprintf(stderr, "engine: kernels %s, %u threads, context %u\n", plan.kernels, plan.threads,
               plan.context);
}

void Run(const Arguments& arguments) {
  const Model model = OpenModel(arguments.model);
  const std::string prompt = arguments.prompt == "-" ? ReadAllInput() : arguments.prompt;
  const std::vector<int32_t> ids = Tokenize(model.get(), prompt, !arguments.raw);
  if (ids.empty()) throw Error("the prompt is empty; give a text, or - to read standard input");
  const Engine engine = CreateEngine(model.get(), arguments.engine);
  const Session session = OpenSession(engine.get(), arguments.session);
  if (arguments.verbose) PrintMemory(Memory(engine.get()));

  const CancelOnSignal guard(session.get());
  const Stopwatch whole;
  int32_t status = rondo_session_prefill(session.get(), ids.data(), ids.size());
  const double prefill_seconds = whole.seconds();
  rondo_event event = {};
  event.struct_size = sizeof event;
  size_t generated = 0;
  while (status == RONDO_STATUS_OK && event.reason == RONDO_REASON_NONE) {
    status = rondo_session_next(session.get(), &event);
    if (event.token >= 0) ++generated;
    if (event.text_bytes > 0) Print({event.text, event.text_bytes});
  }
  const double decode_seconds = whole.seconds() - prefill_seconds;
  if (status != RONDO_STATUS_CANCELLED) Check(session.get(), status);
  Print("\n");
  if (arguments.verbose) {
    // The first token needs no pass of its own: the prefill has made its logits.
    const size_t decoded = generated > 0 ? generated - 1 : 0;
    std::cerr << FormatSpeed("prefill", ids.size(), prefill_seconds) << '\n'
              << FormatSpeed("decode", decoded, decode_seconds) << '\n'
              << "generated: " << generated << " tokens, ended by " << ReasonText(event.reason)
              << '\n';
  }
  Check(session.get(), status);  // an interrupted text ends in a whole line, too
}

}  // namespace

void AddRunCommand(CLI::App& app) {
  const auto a = std::make_shared<Arguments>();
  a->session.options.max_tokens = 256;
  CLI::App* command = app.add_subcommand("run", "Continue a prompt, streaming the text");
  AddModelArgument(command, &a->model);
  command->add_option("PROMPT", a->prompt, "The text to continue; - reads standard input")
      ->type_name("");
  AddSamplingFlags(command, &a->session);
  AddContextFlag(command, &a->engine);
  AddThreadsFlag(command, &a->engine);
  AddPolicyFlags(command, &a->engine);
  command->add_flag("--raw", a->raw, "Take the prompt as it is, without the model's BOS");
  command->add_flag("--verbose", a->verbose, "Tell memory and speed on standard error");
  command->footer(kExamples);
  command->callback([a] { Run(*a); });
}

}  // namespace rondo::tools
