// Streams the continuation of a prompt.
#include "tools/commands.h"

#include <algorithm>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tools/common/constraint.h"
#include "tools/common/context.h"
#include "tools/common/flags.h"
#include "tools/common/interrupt.h"
#include "tools/common/library.h"
#include "tools/common/numbers.h"
#include "tools/common/options.h"
#include "tools/common/output.h"
#include "tools/common/picture_flags.h"
#include "tools/common/prompt_pictures.h"
#include "tools/common/sampling.h"
#include "tools/common/sight.h"
#include "tools/common/stopwatch.h"
#include "tools/common/text_io.h"
#include "tools/run/trace.h"
#include "tools/system/standard_files.h"

namespace rondo::tools {
namespace {

constexpr const char* kExamples = R"(
Examples:
  rondo run model.rondo "Once upon a time"
  rondo run model.rondo "Once upon a time" --greedy
  rondo run model.rondo "Once upon a time" --temperature 0.8 --top-p 0.95 --seed 7
  rondo run model.rondo "A person, as JSON: " --json-schema person.json
  rondo run model.rondo "1 + 1 = " --grammar arithmetic.gbnf
  rondo run model.rondo "Once upon a time" --adapter my-lora.rondo
  rondo run model.rondo "shows" --image cat.jpg
  cat chapter.txt | rondo run model.rondo - --policy slide --max-tokens 0
  rondo run model.rondo "Once upon a time" --trace trace.json   (for chrome://tracing)

A prompt is continued as it stands. What was trained to be asked answers in `rondo chat`, which
writes the model's own template around a question.

Many models recommend how to sample from them (`rondo inspect` shows it), and that is done unless
options say otherwise; with no recommendation the most likely token is taken. Equal options give
equal text, whatever the machine's number of threads. Ctrl-C ends the text.)";

struct Arguments {
  std::string model;
  std::string prompt = "-";
  EngineOptions engine;
  std::string draft;    // a model's path; empty: none
  std::string adapter;  // the same of an adapter's
  SessionOptions session;
  ConstraintWish constraint;
  PicturesWish pictures;
  bool raw = false;
  bool verbose = false;
  bool usual_limit = true;  // --max-tokens is not given
  std::string trace;        // a file to write; empty: none
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
    case RONDO_REASON_GRAMMAR:
      return "whole text";
    default:
      return "interrupted";
  }
}

std::string Rounded(uint64_t bytes) { return RoundBytes(static_cast<double>(bytes)); }

void PrintMemory(const rondo_memory_plan& plan) {
  Tell("memory: ", FormatBytes(plan.arena_bytes), ": weights ", Rounded(plan.weights_bytes),
       ", kv pool ", Rounded(plan.kv_pool_bytes), ", all else ",
       Rounded(plan.arena_bytes - plan.weights_bytes - plan.kv_pool_bytes));
  if (plan.mapped_bytes > 0) {
    Tell("mapped: ", FormatBytes(plan.mapped_bytes), " of packed weights");
  }
  Tell("engine: kernels ", plan.kernels, ", ", FormatCount(plan.threads, "thread"), ", context of ",
       FormatCount(plan.context, "token"));
}

std::string ReadPrompt(const Arguments& arguments) {
  if (arguments.prompt != "-") return arguments.prompt;
  if (IsTerminal(kStandardInput)) {
    Tell("reads the prompt from the terminal until Ctrl-D; for a conversation: rondo chat ",
         arguments.model);
  }
  std::string text = ReadAllInput();
  // `echo` and editors end the last line; the text is meant to go on in it.
  if (!arguments.raw && text.ends_with('\n')) {
    text.pop_back();
    if (text.ends_with('\r')) text.pop_back();
  }
  return text;
}

// Room for the prompt and what is generated; where that has no limit, for a usual text behind the
// prompt.
uint32_t ContextFor(const Model& model, uint64_t prompt, uint64_t max_tokens) {
  const uint64_t answer = max_tokens > 0 ? max_tokens : kUsualContext;
  return tools::ContextFor(model, prompt + std::min<uint64_t>(answer, UINT32_MAX));
}

void FinishTrace(TraceFile* trace) {
  const uint64_t lost = trace->Finish();
  if (lost == 0) return;
  Tell("the trace begins late: ", FormatCount(lost, "event"), " of the prompt's are more than fit");
}

bool Slides(const Arguments& arguments) {
  return arguments.engine.context_policy == RONDO_POLICY_SLIDE;
}

// What the user should know of a text that did not end by itself, nor where they wanted it to.
void TellReason(int32_t reason, const Arguments& arguments, bool is_constrained, const Model& model,
                uint32_t context) {
  if (reason == RONDO_REASON_CONTEXT_FULL) {
    const std::string more = WhatSeesMore(model, context, Slides(arguments));
    Tell("(the context of ", FormatCount(context),
         " tokens is full: ", more.empty() ? "the model sees no more" : more + " goes on", ")");
  } else if (reason == RONDO_REASON_TOKEN_LIMIT && (arguments.usual_limit || is_constrained)) {
    Tell("(the limit of --max-tokens, ", FormatCount(arguments.session.max_tokens),
         is_constrained ? ": the text is not whole)" : ")");
  }
}

void TellDrafts(const Session& session) {
  const rondo_session_counters counters = session.Stats();
  if (counters.drafts_proposed == 0) return;
  Tell("drafts: ", FormatCount(counters.drafts_accepted), " of ",
       FormatCount(counters.drafts_proposed), " were right");
}

void Run(Arguments arguments) {
  SessionOptions& options = arguments.session;
  const Model model = OpenModel(arguments.model);
  CheckStops(options);
  options.grammar = OpenConstraint(arguments.constraint, model);
  const std::optional<Model> draft = OpenDraft(arguments.draft, &arguments.engine, &options);
  UseAdapter(arguments.adapter, model, &arguments.engine, &options);
  PromptPictures pictures(model, arguments.pictures);
  const std::string prompt = ReadPrompt(arguments);
  const std::vector<int32_t> ids = pictures.Tokenize(prompt, !arguments.raw);
  const uint64_t positions = pictures.PositionsOf(ids);
  if (ids.empty()) throw Error("the prompt is empty; give a text, or - to read standard input");
  if (arguments.engine.context == 0) {
    arguments.engine.context = ContextFor(model, positions, options.max_tokens);
  }
  arguments.engine.max_media_rows = pictures.rows();
  std::optional<TraceFile> trace;
  if (!arguments.trace.empty()) {
    trace.emplace(arguments.trace);
    arguments.engine.profile_events = TraceFile::kEvents;
  }
  const Engine engine = CreateEngine(model, arguments.engine);
  const rondo_memory_plan memory = engine.Memory();
  Session session(engine, options);
  if (arguments.verbose) {
    PrintMemory(memory);
    Tell("sampling: ", DescribeDraw(model, options));
  } else {
    TellSampling(model, options);
  }

  const Stopwatch encoding;
  pictures.Encode(engine);
  const double encode_seconds = encoding.seconds();
  const CancelOnSignal guard(session.get());
  const Stopwatch whole;
  double prefill_seconds = 0;
  size_t generated = 0;
  Event event = {};
  std::exception_ptr interruption;
  try {
    PrefillMedia(&session, ids, pictures.token(), pictures.media());
    prefill_seconds = whole.seconds();
    if (trace) trace->Collect(engine);
    while (event.reason == RONDO_REASON_NONE) {
      event = session.Next();
      if (event.token >= 0) ++generated;
      if (trace) trace->Collect(engine);
      if (!event.text.empty()) PrintAnswer(event.text);
    }
  } catch (const rondo::Error& error) {
    if (error.status() == RONDO_STATUS_CONTEXT_FULL) {
      const std::string more = WhatSeesMore(model, memory.context, Slides(arguments));
      throw Error(std::string(error.what()) +
                  (more.empty() ? " (the model sees no more)" : " (" + more + " goes on)"));
    }
    if (error.status() != RONDO_STATUS_CANCELLED) throw;
    interruption = std::current_exception();
  }
  const double decode_seconds = whole.seconds() - prefill_seconds;
  Print("\n");  // an interrupted text ends in a whole line, too
  if (trace) FinishTrace(&*trace);
  if (!arguments.verbose) {
    TellReason(event.reason, arguments, options.grammar.has_value(), model, memory.context);
  } else {
    // The first token needs no pass of its own: the prefill has made its logits.
    const size_t decoded = generated > 0 ? generated - 1 : 0;
    if (!pictures.empty()) Tell(FormatSpeed("pictures", pictures.rows(), encode_seconds));
    Tell(FormatSpeed("prefill", positions, prefill_seconds));
    Tell(FormatSpeed("decode", decoded, decode_seconds));
    TellDrafts(session);
    Tell("generated: ", FormatCount(generated, "token"), ", ended by ", ReasonText(event.reason));
  }
  if (interruption) std::rethrow_exception(interruption);
}

}  // namespace

void AddRunCommand(CLI::App& app) {
  const auto a = std::make_shared<Arguments>();
  a->session.max_tokens = 256;
  a->session.speculation = RONDO_SPECULATION_PROMPT_LOOKUP;
  CLI::App* command = app.add_subcommand("run", "Continue a prompt, streaming the text");
  AddModelArgument(command, &a->model);
  command
      ->add_option(
          "PROMPT", a->prompt,
          "The text to continue, in quotes; default: -, which reads standard input, without "
          "the end of its last line")
      ->type_name("");
  AddImageFlags(command, &a->pictures);
  AddSamplingFlags(command, &a->session);
  AddConstraintFlags(command, &a->constraint);
  AddContextFlag(command, &a->engine,
                 "the model's own, but at most " + FormatCount(kUsualContext) +
                     " unless the prompt and --max-tokens need more");
  AddThreadsFlag(command, &a->engine);
  AddKvFlag(command, &a->engine.kv_format);
  AddPolicyFlags(command, &a->engine);
  AddSpeculationFlags(command, &a->engine, &a->session, &a->draft);
  AddAdapterFlag(command, &a->adapter)->group(kMemoryGroup);
  command
      ->add_flag("--raw", a->raw,
                 "Take the prompt as it is, to the last byte and without the model's BOS")
      ->group(kTextGroup);
  command->add_flag("--verbose", a->verbose, "Tell memory, sampling and speed on standard error")
      ->group(kOutputGroup);
  AddFile(command, "--trace", &a->trace,
          "Write when each part of the model ran to FILE, for chrome://tracing; default: do not")
      ->group(kOutputGroup);
  command->footer(kExamples);
  command->callback([a, command] {
    CheckImageOptions(a->pictures.options, !a->pictures.files.empty());
    a->usual_limit = command->count("--max-tokens") == 0;
    Run(*a);
  });
}

}  // namespace rondo::tools
