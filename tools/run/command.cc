// Streams the continuation of a prompt.
#include "tools/run/command.h"

#include <chrono>
#include <cstdio>
#include <iostream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "tools/common/flags.h"
#include "tools/common/interrupt.h"
#include "tools/common/library.h"
#include "tools/common/load_engine.h"
#include "tools/common/numbers.h"

namespace rondo::tools {
namespace {

constexpr const char* kExamples = R"(
Examples:
  rondo run model.rondo "Once upon a time"
  rondo run model.rondo "Once upon a time" --temperature 0.8 --top-p 0.95 --seed 7
  cat chapter.txt | rondo run model.rondo - --policy slide --max-tokens 0

Temperature 0 takes the most likely token; equal options give equal text, whatever the machine's
number of threads. Ctrl-C ends the text.)";

constexpr int kExitInterrupted = 130;

struct Arguments {
  std::string model;
  std::string prompt;
  rondo_engine_options engine = EngineDefaults();
  rondo_session_options session = SessionDefaults();
  std::vector<std::string> stop;
  bool raw = false;
  bool verbose = false;
};

using Clock = std::chrono::steady_clock;
double Seconds(Clock::duration time) { return std::chrono::duration<double>(time).count(); }

std::string ReadPrompt(const std::string& argument) {
  if (argument != "-") return argument;
  return {std::istreambuf_iterator<char>(std::cin), std::istreambuf_iterator<char>()};
}

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

void Print(const char* text, size_t bytes) {
  if (std::fwrite(text, 1, bytes, stdout) != bytes || std::fflush(stdout) != 0) {
    throw Error("cannot write the text to standard output");
  }
}

void PrintSpeed(const char* what, size_t tokens, double seconds) {
  std::fprintf(stderr, "%s: %zu tokens in %.3f s", what, tokens, seconds);
  if (tokens > 0 && seconds > 0) {
    std::fprintf(stderr, ", %.1f tokens/s", static_cast<double>(tokens) / seconds);
  }
  std::fputc('\n', stderr);
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
  const std::vector<int32_t> ids =
      Tokenize(model.get(), ReadPrompt(arguments.prompt), !arguments.raw);
  if (ids.empty()) throw Error("the prompt is empty; give a text, or - to read standard input");
  const Engine engine = LoadEngine(model.get(), arguments.engine);

  rondo_session_options options = arguments.session;
  std::vector<const char*> stop;
  for (const std::string& s : arguments.stop) stop.push_back(s.c_str());
  options.stop_strings = stop.data();
  options.n_stop_strings = stop.size();
  const Session session = OpenSession(engine.get(), options);
  if (arguments.verbose) PrintMemory(Memory(engine.get()));

  const InterruptGuard guard(session.get());
  const Clock::time_point start = Clock::now();
  int32_t status = rondo_session_prefill(session.get(), ids.data(), ids.size());
  const Clock::time_point prefilled = Clock::now();
  rondo_event event = {};
  event.struct_size = sizeof event;
  size_t generated = 0;
  while (status == RONDO_STATUS_OK && event.reason == RONDO_REASON_NONE) {
    status = rondo_session_next(session.get(), &event);
    if (event.token >= 0) ++generated;
    if (event.text_bytes > 0) Print(event.text, event.text_bytes);
  }
  const Clock::time_point end = Clock::now();
  if (!(status == RONDO_STATUS_CANCELLED && guard.interrupted())) Check(session.get(), status);
  Print("\n", 1);
  if (arguments.verbose) {
    PrintSpeed("prefill", ids.size(), Seconds(prefilled - start));
    // The first token needs no pass of its own: the prefill has made its logits.
    PrintSpeed("decode", generated > 0 ? generated - 1 : 0, Seconds(end - prefilled));
    std::fprintf(stderr, "generated: %zu tokens, ended by %s\n", generated,
                 ReasonText(event.reason));
  }
  if (status == RONDO_STATUS_CANCELLED) throw CLI::RuntimeError(kExitInterrupted);
}

}  // namespace

void AddRunCommand(CLI::App& app) {
  const auto a = std::make_shared<Arguments>();
  a->session.max_tokens = 256;
  CLI::App* command = app.add_subcommand("run", "Continue a prompt, streaming the text");
  AddModelArgument(command, &a->model);
  command->add_option("PROMPT", a->prompt, "The text to continue; - reads standard input")
      ->type_name("");
  AddSamplingFlags(command, &a->session, &a->stop);
  AddContextFlag(command, &a->engine);
  AddThreadsFlag(command, &a->engine);
  AddPolicyFlags(command, &a->engine);
  command->add_flag("--raw", a->raw, "Take the prompt as it is, without the model's BOS");
  command->add_flag("--verbose", a->verbose, "Tell memory and speed on standard error");
  command->footer(kExamples);
  command->callback([a] { Run(*a); });
}

}  // namespace rondo::tools
