// Measures a model, or random weights of a shape, against the limits of the machine.
#include "tools/commands.h"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tools/bench/costs.h"
#include "tools/bench/encode_runner.h"
#include "tools/bench/plot.h"
#include "tools/bench/probe/probe.h"
#include "tools/bench/random_model.h"
#include "tools/bench/report.h"
#include "tools/bench/runner.h"
#include "tools/bench/sessions_runner.h"
#include "tools/bench/shapes.h"
#include "tools/common/chart.h"
#include "tools/common/flags.h"
#include "tools/common/library.h"
#include "tools/common/limits.h"
#include "tools/common/numbers.h"
#include "tools/common/options.h"
#include "tools/common/output.h"
#include "tools/common/output_file.h"
#include "tools/common/picture_flags.h"
#include "tools/convert/output/metadata.h"

namespace rondo::tools {
namespace {

constexpr const char* kFooter = R"(
Examples:
  rondo bench model.rondo
  rondo bench --shape llama3.2-1b --weights q4 -p 512 -n 128 -d 0,4096,16384 -t 1,2
  rondo bench --shape qwen3-0.6b -b 1,2,4,8 --json > qwen3.json
  rondo bench --shape some/config.json --weights q4 --embedding q4
  rondo bench model.rondo --speculate 1,3,7 --acceptance 60,90 -d 0,4096
  rondo bench model.rondo --sessions 1,2,4,8,16 --rows-per-step 64 --fork --prefix --snapshot
  rondo bench model.rondo --adapter my-lora.rondo -t 2
  rondo bench model.rondo --image 512x512 -t 1,2
  rondo bench model.rondo --peer 'llama-bench -m m.gguf -p $P -n $N -d $D -t $T -r 1 -o json'

Tests: load (the engine's creation), prefill of -p tokens, decode of -n tokens, with -b verify, all
logits of some rows at once, and with --speculate drafts, -n tokens generated where so many drafts
are verified in each pass, of which --acceptance percent are right; all but the first after each of
-d tokens. prefill+ and decode+ are those of a session with --adapter. Figures are medians of
--reps, the fastest and slowest beside them. Before each repetition two probes look for the limits:
a plain sum over a gigabyte of memory, and int8 dot products that never leave the registers, each
the best of three passes; their medians are what shares are shares of. Decode and verify are held
against the sum (bytes of weights, keys, values and states), prefill of integer weights against the
dot products (2 operations for each weight and token; the attention's own are not counted).

Many sessions: --sessions, --fork, --prefix and --snapshot ask for tests of their own in place of
those above. --sessions: sessions that each have -p tokens decode -n tokens side by side, a pass for
all (one step gives each a token; "x" tells the throughput of all against one). Then a prompt of
--long-prompt tokens alone and beside a session that decodes, with the times between that one's
tokens, in passes, too: the median pass of the same mix. Then one thread of the host that calls
rondo_session_next, and two, each for a session of its own. --fork: a session of --long-prompt
tokens is forked 16 times in a KV pool that has room for one prompt and 16 ends, and no more; then
all forks get their first token. --prefix: the time to the first token of a prompt of --long-prompt
tokens, and again when the prefix cache has it. --snapshot: a session of --long-prompt tokens saved
and restored, against evaluating them again. What is compared takes turns in each repetition.

--image: a picture of random pixels is encoded, in place of the tests above; its tokens are its rows
in the text, and the time is that of resizing and of what sees. It is held against the dot products.

Of experts a pass reads those that its rows choose, which random rows do by chance. A layer with a
window reads no more keys and values than that shows; a recurrent state is read and written again.

--shape makes random weights in a temporary folder (TMPDIR) for a config.json, given as a file, or
known by one of these names:
)";

constexpr const char* kShapeGroup = "Random weights";
constexpr const char* kTestsGroup = "Tests";
constexpr const char* kSessionsGroup =
    "Many sessions (tests of their own, in place of those above)";

constexpr uint32_t kMostTokens = 1u << 22;
constexpr uint32_t kMostRepetitions = 1000;
constexpr uint32_t kSessionsTokens = 64;  // -p and -n of tests of many sessions, if not given

// Under the examples, in lines of their width.
std::string WrappedShapeNames() {
  std::string text;
  size_t line = 0;
  for (const NamedShape& shape : AllShapes()) {
    if (line + shape.name.size() > 96) {
      text += '\n';
      line = 0;
    }
    text += (line == 0 ? "  " : ", ") + std::string(shape.name);
    line += shape.name.size() + 2;
  }
  return text;
}

struct Arguments {
  std::string model;
  std::string shape;
  std::string weights = "q8";
  std::string embedding;  // empty: not given
  uint32_t block = 0;     // the same
  BenchOptions bench;
  std::optional<uint32_t> prompt_tokens, decode_tokens, long_prompt;
  std::string plot;  // path; empty: none
  Replace replace = Replace::kSameKind;
  bool csv = false;
  bool json = false;
};

CLI::Option* AddNumber(CLI::App* command, const std::string& name, const IntegerRange& range,
                       const std::string& about, const std::string& absent,
                       const std::function<void(uint32_t)>& set) {
  return AddIntegerTo(command, name, range, about, absent,
                      [set](uint64_t n) { set(static_cast<uint32_t>(n)); })
      ->group(kTestsGroup);
}

// None twice; ascending whatever the order given.
CLI::Option* AddNumbers(CLI::App* command, const std::string& name, const IntegerRange& range,
                        const std::string& about, const std::string& absent,
                        std::vector<uint32_t>* values) {
  const auto is_first = std::make_shared<bool>(true);
  return AddIntegersTo(command, name, range, about, absent,
                       [values, is_first](uint64_t n) {
                         if (std::exchange(*is_first, false)) values->clear();  // the default
                         const auto number = static_cast<uint32_t>(n);
                         const auto at = std::lower_bound(values->begin(), values->end(), number);
                         if (at == values->end() || *at != number) values->insert(at, number);
                       })
      ->group(kTestsGroup);
}

bool OfManySessions(const BenchOptions& bench) {
  return !bench.sessions.empty() || bench.fork || bench.prefix || bench.snapshot;
}

void CheckRows(const std::string& name, uint32_t rows, const BenchOptions& bench) {
  if (rows <= bench.max_rows) return;
  throw CLI::ValidationError(name, std::to_string(rows) +
                                       " rows do not fit into one pass of --rows " +
                                       std::to_string(bench.max_rows));
}

void CheckSessionsUsage(const Arguments& a) {
  const BenchOptions& bench = a.bench;
  if (!OfManySessions(bench)) {
    if (!a.long_prompt) return;
    throw CLI::ValidationError("--long-prompt",
                               "is for --sessions, --fork, --prefix and --snapshot");
  }
  if (bench.sessions.empty()) return;
  CheckRows("--sessions", bench.sessions.back(), bench);
  CheckRows("--rows-per-step", bench.rows_per_step, bench);
  if (a.prompt_tokens == 0u || a.decode_tokens == 0u) {
    throw CLI::ValidationError("--sessions", "sessions that decode need -p and -n of at least 1");
  }
}

void CheckUsage(const Arguments& a) {
  CheckImageOptions(a.bench.image, a.bench.picture.width > 0);
  if (a.model.empty() == a.shape.empty()) {
    throw CLI::ValidationError("MODEL", "give either a model or --shape");
  }
  if (a.block > 0 && !convert::LiesInBlocks(a.weights) && !convert::LiesInBlocks(a.embedding)) {
    throw CLI::ValidationError("--block", "only weights in q4b lie in blocks");
  }
  if (!a.shape.empty() && !IsShape(a.shape)) {
    throw CLI::ValidationError("--shape",
                               "\"" + a.shape + "\" is neither a file nor one of " + ShapeNames());
  }
  const BenchOptions& bench = a.bench;
  if (!bench.verified_rows.empty()) CheckRows("-b", bench.verified_rows.back(), bench);
  if (!bench.drafts.empty()) {
    CheckRows("--speculate", 1 + bench.drafts.back(), bench);
    if (bench.decode_tokens == 0) {
      throw CLI::ValidationError("--speculate", "there is nothing to generate with -n 0");
    }
  }
  if (!bench.peer.empty() && bench.prompt_tokens + bench.decode_tokens == 0) {
    throw CLI::ValidationError("--peer", "there is nothing to compare with -p 0 and -n 0");
  }
  if (!a.plot.empty() && bench.decode_tokens == 0 && bench.verified_rows.empty()) {
    throw CLI::ValidationError("--plot", "there is nothing to draw with -n 0 and without -b");
  }
  CheckSessionsUsage(a);
}

// What the options leave to us.
void Complete(Arguments* a) {
  BenchOptions& bench = a->bench;
  const bool many = OfManySessions(bench);
  bench.prompt_tokens = a->prompt_tokens.value_or(many ? kSessionsTokens : bench.prompt_tokens);
  bench.decode_tokens = a->decode_tokens.value_or(many ? kSessionsTokens : bench.decode_tokens);
  if (a->long_prompt) bench.long_prompt_tokens = *a->long_prompt;
  for (std::vector<uint32_t>* values : {&bench.verified_rows, &bench.sessions}) {
    if (!values->empty() && values->front() != 1) values->insert(values->begin(), 1);
  }
  // What drafts are compared with.
  if (!bench.drafts.empty()) bench.drafts.insert(bench.drafts.begin(), 0);
}

RandomModelOptions RandomOptions(const Arguments& a) {
  RandomModelOptions options;
  options.weights = a.weights;
  options.embedding = a.weights == "f32" ? "f32" : "q8";  // as `rondo convert` does
  if (!a.embedding.empty()) options.embedding = a.embedding;
  if (a.block > 0) options.block = a.block;
  return options;
}

void PrintSubject(const BenchModel& model, const Subject& subject) {
  std::string weights = subject.weights;
  if (subject.block > 0) weights += " in blocks of " + std::to_string(subject.block);
  Print(Printable(subject.shape) + ", " + weights + ": " +
        FormatCount(model.handle.Info().parameters) + " parameters; kernels " + subject.kernels +
        "; int8 peak of " + Int8PeakInstruction() + "\n" +
        ReadsLine(CostsOf(model.parts, subject.kernels)));
}

void Run(Arguments& a) {
  Complete(&a);
  CheckUsage(a);
  BenchModel model = a.shape.empty() ? OpenBenchModel(a.model)
                                     : MakeRandomModel(OpenShape(a.shape), RandomOptions(a));
  UseKvFormat(a.bench.kv_format, &model.parts);
  std::optional<OutputFile> plot;  // refused before an hour of measuring
  if (!a.plot.empty()) plot.emplace(a.plot, kSvg, a.replace);
  const bool peer = !a.bench.peer.empty();
  std::vector<Measurement> all;
  Subject subject;
  const BenchCallbacks callbacks = {.subject =
                                        [&](const Subject& s) {
                                          subject = s;
                                          if (a.json) return;
                                          if (!a.csv) PrintSubject(model, s);
                                          Print(a.csv ? CsvHeader() : TableHeader(peer));
                                        },
                                    .measured =
                                        [&](const Measurement& m) {
                                          all.push_back(m);
                                          if (a.json) return;
                                          Print(a.csv ? CsvLine(subject, m) : TableLine(m, peer));
                                        }};
  if (a.bench.picture.width > 0) {
    RunEncodeBench(model, a.bench, callbacks);
  } else if (OfManySessions(a.bench)) {
    RunSessionsBench(model, a.bench, callbacks);
  } else {
    RunBench(model, a.bench, callbacks);
  }
  if (a.json) {
    PrintBytes(ToJson(subject, all).dump(2, ' ', true, nlohmann::json::error_handler_t::replace) +
               "\n");
  } else if (!a.csv) {
    Print(TableNote(all));
  }
  if (!plot) return;
  plot->Write(PlotSvg(subject, all));
  plot->Commit();
}

}  // namespace

void AddBenchCommand(CLI::App& app) {
  const auto a = std::make_shared<Arguments>();
  CLI::App* command =
      app.add_subcommand("bench", "Measure speed, and how near it is to the machine's limits");
  AddFile(command, "MODEL", &a->model,
          "A Rondo file, made by `rondo convert`; default: none, with --shape")
      ->type_name("");
  CLI::Option* shape =
      AddFile(command, "--shape", &a->shape,
              "Random weights of this shape, in place of a model: a name below, or a file like "
              "config.json; default: none")
          ->type_name("NAME|FILE")
          ->group(kShapeGroup);
  const auto add_format = [&](const std::string& name, std::string* word,
                              const std::string& description) {
    AddChoice(command, name, convert::FormatNames(), description,
              [word](const std::string& text) { *word = text; })
        ->needs(shape)
        ->group(kShapeGroup);
  };
  add_format("--weights", &a->weights, "Format of the weights; default: " + a->weights);
  add_format("--embedding", &a->embedding,
             "Format of embedding and output head; default: f32 with --weights f32, else q8");
  AddBlockOption(command, &a->block)->needs(shape)->group(kShapeGroup);
  BenchOptions& bench = a->bench;
  const std::string of_many = ", of many sessions each " + std::to_string(kSessionsTokens);
  CLI::Option* prompt = AddNumber(command, "-p", {0, kMostTokens, "none"}, "Tokens of a prefill",
                                  std::to_string(bench.prompt_tokens) + of_many,
                                  [a](uint32_t n) { a->prompt_tokens = n; });
  CLI::Option* decoded = AddNumber(command, "-n", {0, kMostTokens, "none"}, "Tokens to decode",
                                   std::to_string(bench.decode_tokens) + of_many,
                                   [a](uint32_t n) { a->decode_tokens = n; });
  CLI::Option* depths =
      AddNumbers(command, "-d", {0, kMostTokens}, "Depths: tokens in the context before each test",
                 "0", &bench.depths);
  CLI::Option* verified =
      AddNumbers(command, "-b", {1, kMostRows}, "Rows to verify at once (1 is always among them)",
                 "none", &bench.verified_rows);
  CLI::Option* drafts =
      AddNumbers(command, "--speculate", {1, kMostDrafts},
                 "Drafts to verify beside a token (0 is always among them)", "none", &bench.drafts);
  CLI::Option* acceptance = AddNumbers(command, "--acceptance", {1, 100},
                                       "With --speculate: percents of drafts that are right",
                                       "50,70,90", &bench.right_percents)
                                ->needs(drafts);
  AddNumber(command, "--reps", {1, kMostRepetitions}, "Repetitions of each test",
            std::to_string(bench.repetitions), [&bench](uint32_t n) { bench.repetitions = n; });
  CLI::Option* peer =
      command
          ->add_option(
              "--peer", bench.peer,
              "Another program's benchmark, run once per repetition by /bin/sh with $P, $N, "
              "$D and $T set as -p, -n, -d and -t; it prints lines `prefill NUMBER` and "
              "`decode NUMBER` in tok/s, or JSON as llama-bench does; default: none")
          ->type_name("CMD")
          ->group(kTestsGroup);
  CLI::Option* adapter = AddFile(command, "--adapter", &bench.adapter,
                                 "A LoRA adapter for MODEL: prefill and decode with it, too, in "
                                 "turn; default: none")
                             ->excludes(shape)
                             ->group(kTestsGroup);
  CLI::Option* sessions = AddNumbers(command, "--sessions", {1, kMostSessions},
                                     "Sessions that decode side by side (1 is always among them)",
                                     "none", &bench.sessions)
                              ->group(kSessionsGroup);
  CLI::Option* fork =
      command->add_flag("--fork", bench.fork, "Forks of a session")->group(kSessionsGroup);
  CLI::Option* prefix =
      command->add_flag("--prefix", bench.prefix, "A prompt that the prefix cache has")
          ->group(kSessionsGroup);
  CLI::Option* snapshot =
      command->add_flag("--snapshot", bench.snapshot, "A session saved and restored")
          ->group(kSessionsGroup);
  AddNumber(command, "--long-prompt", {1, kMostTokens},
            "Tokens of the prompt that is evaluated beside others, forked, found or saved",
            std::to_string(bench.long_prompt_tokens), [a](uint32_t n) { a->long_prompt = n; })
      ->group(kSessionsGroup);
  AddNumber(command, "--rows-per-step", {1, kMostRows},
            "With --sessions: tokens of one pass in which a session decodes", "--rows",
            [&bench](uint32_t n) { bench.rows_per_step = n; })
      ->needs(sessions)
      ->group(kSessionsGroup);
  CLI::Option* picture =
      AddImageSize(command, &bench.picture, "A picture of so many pixels is encoded")
          ->excludes(shape)
          ->group(kTestsGroup);
  AddImageOptions(command, &bench.image);
  AddNumbers(command, "-t,--threads", {1, kMostThreads}, "Threads to compute with",
             "the performance cores", &bench.threads)
      ->group(kMemoryGroup);
  AddNumber(command, "--rows", {1, kMostRows}, "Tokens of one pass of a prefill",
            std::to_string(bench.max_rows), [&bench](uint32_t n) { bench.max_rows = n; })
      ->group(kMemoryGroup);
  AddKvFlag(command, &bench.kv_format);
  command->add_option("--kernels", bench.kernels, "A kernel set; default: the best for this CPU")
      ->type_name("NAME")
      ->group(kMemoryGroup);
  CLI::Option* plot =
      AddFile(command, "--plot", &a->plot,
              "Draw decode against depth, and the cost of rows verified at once, as SVG; default: "
              "no picture")
          ->group(kOutputGroup);
  AddForceFlag(command, &a->replace);
  for (CLI::Option* many : {sessions, fork, prefix, snapshot}) {
    for (CLI::Option* of_one : {depths, verified, drafts, acceptance, peer, adapter, plot}) {
      many->excludes(of_one);
    }
  }
  for (CLI::Option* other : {prompt, decoded, depths, verified, drafts, acceptance, peer, adapter,
                             plot, sessions, fork, prefix, snapshot}) {
    picture->excludes(other);
  }
  CLI::Option_group* form = command->add_option_group("Form (at most one; default: a table)");
  form->require_option(0, 1);
  form->add_flag("--csv", a->csv, "Answer in CSV");
  form->add_flag("--json", a->json, "Answer in JSON: an array of one object for each measurement");
  command->footer(kFooter + WrappedShapeNames());
  command->callback([a] { Run(*a); });
}

}  // namespace rondo::tools
