// Tells whether a grammar is understood, what it takes, and what is written by it.
#include "tools/commands.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "tools/common/constraint.h"
#include "tools/common/flags.h"
#include "tools/common/interrupt.h"
#include "tools/common/library.h"
#include "tools/common/numbers.h"
#include "tools/common/options.h"
#include "tools/common/output.h"
#include "tools/common/text_io.h"

namespace rondo::tools {
namespace {

constexpr const char* kExamples = R"(
Examples:
  rondo grammar check model.rondo person.json
  rondo grammar check model.rondo arithmetic.gbnf --samples 10
  rondo grammar check model.rondo date.txt --kind regex --samples 0

The grammar is read as `rondo run` and `rondo chat` read it; what is not understood is refused by
its line, JSON pointer or byte. Samples are written by the model, at temperature 1 and behind
nothing, up to 256 tokens or as many as the model takes.)";

constexpr uint64_t kSampleTokens = 256;

struct Kind {
  const char* word;
  const char* extension;
  int32_t number;
};
constexpr Kind kKinds[] = {{"json-schema", ".json", RONDO_GRAMMAR_JSON_SCHEMA},
                           {"regex", nullptr, RONDO_GRAMMAR_PATTERN},
                           {"gbnf", ".gbnf", RONDO_GRAMMAR_GBNF}};

struct Arguments {
  std::string model;
  std::string file;
  std::string kind;  // empty: by the file's name
  uint32_t samples = 1;
  uint64_t seed = 0;
  bool any_json = false;
};

const Kind& KindOf(const Arguments& arguments) {
  for (const Kind& kind : kKinds) {
    const bool is = arguments.kind.empty()
                        ? kind.extension != nullptr && arguments.file.ends_with(kind.extension)
                        : arguments.kind == kind.word;
    if (is) return kind;
  }
  throw Error("the name of " + arguments.file +
              " ends with neither .json nor .gbnf; --kind tells what it is");
}

void WriteSample(const Engine& engine, const SessionOptions& options,
                 const std::vector<int32_t>& ids) {
  Session session(engine, options);
  const CancelOnSignal guard(session.get());
  session.Prefill(ids);
  Event event = {};
  std::string text;
  while (event.reason == RONDO_REASON_NONE) {
    event = session.Next();
    text += event.text;
  }
  Print("sample: ");
  PrintAnswer(text);
  const bool goes_on =
      event.reason == RONDO_REASON_TOKEN_LIMIT || event.reason == RONDO_REASON_CONTEXT_FULL;
  Print(goes_on ? " (goes on)\n" : "\n");
}

void WriteSamples(const Arguments& arguments, const Model& model, const Grammar& grammar) {
  std::vector<int32_t> ids = Tokenize(model, "", true);
  if (ids.empty()) ids = Tokenize(model, "\n", true);
  EngineOptions engine_options;
  const uint64_t most = model.Info().context_length;
  engine_options.context =
      static_cast<uint32_t>(std::min<uint64_t>(ids.size() + kSampleTokens, most));
  engine_options.max_sessions = 1;
  const Engine engine = CreateEngine(model, engine_options);
  SessionOptions options;
  options.recommended = false;
  options.grammar = grammar;
  options.temperature = 1;
  options.max_tokens = kSampleTokens;
  for (uint32_t i = 0; i < arguments.samples; ++i) {
    options.seed = arguments.seed + i;
    WriteSample(engine, options, ids);
  }
}

void CheckGrammar(const Arguments& arguments) {
  const Kind& kind = KindOf(arguments);
  std::string text = ReadTextFile("the grammar", arguments.file);
  if (kind.number == RONDO_GRAMMAR_PATTERN) {
    if (text.ends_with('\n')) text.pop_back();
    if (text.ends_with('\r')) text.pop_back();
  }
  const Model model = OpenPredictor(arguments.model);
  GrammarOptions options;
  options.kind = kind.number;
  if (kind.number != RONDO_GRAMMAR_PATTERN) options.flags = SchemaFlags(arguments.any_json);
  const Grammar grammar = MakeGrammar(model, &options, text, arguments.file);
  const uint64_t bytes = model.PlanGrammar(text.size(), options);
  Print(Printable(arguments.file) + ": understood (" + kind.word + "), takes " +
        FormatBytes(bytes) + "\n");
  if (arguments.samples > 0) WriteSamples(arguments, model, grammar);
}

}  // namespace

void AddGrammarCommand(CLI::App& app) {
  const auto a = std::make_shared<Arguments>();
  CLI::App* command =
      app.add_subcommand("grammar", "Check a grammar, and show what a model writes by it");
  AddChoice(command, "check", {"check"}, "What is done: the word check", [](const std::string&) {
  })->required();
  AddModelArgument(command, &a->model);
  AddFile(command, "FILE", &a->file, "The grammar")->required();
  AddChoice(command, "--kind", {"json-schema", "regex", "gbnf"},
            "How it is written; default: what the file's name tells, .json or .gbnf",
            [a](const std::string& word) { a->kind = word; })
      ->group(kTextGroup);
  AddAnyJsonFlag(command, &a->any_json);
  AddInteger(command, "--samples", &a->samples, {0, 1000}, "Texts to write by it", "1")
      ->group(kTextGroup);
  AddInteger(command, "--seed", &a->seed, {0, UINT64_MAX},
             "The first text's seed; each next has the next", "0")
      ->group(kTextGroup);
  command->footer(kExamples);
  command->callback([a] { CheckGrammar(*a); });
}

}  // namespace rondo::tools
