// Turns texts into vectors.
#include "tools/commands.h"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tools/common/embedder.h"
#include "tools/common/flags.h"
#include "tools/common/limits.h"
#include "tools/common/long_texts.h"
#include "tools/common/numbers.h"
#include "tools/common/options.h"
#include "tools/common/output.h"
#include "tools/common/text_io.h"
#include "tools/common/white_space.h"
#include "tools/embed/speed.h"

namespace rondo::tools {
namespace {

constexpr const char* kExamples = R"(
Examples:
  rondo embed qwen3-embedding.rondo --prompt query "What is the capital of China?"
  rondo embed embeddinggemma.rondo --prompt document --dimensions 256 < lines.txt
  rondo embed bge.rondo --json "one text" "another"
  rondo embed bge.rondo --bench

White space at the ends of a text is left out, and what the model does not take of a long one, both
as sentence-transformers does. The texts of special tokens ("<|im_end|>") become these tokens.)";

struct Arguments {
  std::string model;
  std::vector<std::string> texts;
  TokenIds ids;
  std::string prompt;
  bool has_prompt = false;
  TooLong too_long = TooLong::kCut;
  uint32_t dimensions = 0;
  uint32_t batch = 8;
  bool json = false;
  bool bench = false;
  EngineOptions engine;
};

std::vector<TokenIds> Texts(const Arguments& a, const Model& model) {
  if (!a.ids.empty()) return {a.ids};
  const bool are_lines = a.texts.empty();
  const LongTexts read(model, a.too_long);
  const char* prompt = a.has_prompt ? a.prompt.c_str() : nullptr;
  std::vector<TokenIds> texts;
  for (const std::string& text : are_lines ? ReadLines() : a.texts) {
    const std::string with_prompt = EmbeddingText(model, prompt, text);
    texts.push_back(read.Read(PlaceOf("text", are_lines, texts.size()), Stripped(with_prompt)));
  }
  if (texts.empty()) throw Error("there is no text: give some, or lines on standard input");
  return texts;
}

void PrintVectors(const std::vector<std::vector<float>>& vectors, bool as_json) {
  if (as_json) return PrintBytes(nlohmann::json(vectors).dump() + "\n");
  std::string lines;
  for (const std::vector<float>& vector : vectors) {
    for (size_t i = 0; i < vector.size(); ++i) {
      char number[32];
      std::snprintf(number, sizeof number, i == 0 ? "%.9g" : " %.9g", double{vector[i]});
      lines += number;
    }
    lines += '\n';
  }
  PrintBytes(lines);
}

void Run(const Arguments& a) {
  const Model model = OpenModel(a.model);
  const rondo_embedder_facts facts = EmbedderFacts(model);
  if (facts.scores_pairs != 0) {
    throw Error("the model scores pairs of a query and a document: use `rondo rerank`");
  }
  if (a.bench) return MeasureSpeed(model, a.engine);
  const uint32_t dimensions = a.dimensions == 0 ? facts.dimensions : a.dimensions;
  const std::vector<TokenIds> texts = Texts(a, model);
  Embedder embedder(model, a.engine, texts, a.batch);
  PrintVectors(embedder.Embed(texts, dimensions), a.json);
}

}  // namespace

void AddEmbedCommand(CLI::App& app) {
  const auto a = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("embed", "Turn texts into vectors");
  AddModelArgument(command, &a->model);
  CLI::Option* texts = AddTexts(command, "TEXT", &a->texts,
                                "The texts; default: the lines of standard input, one each")
                           ->type_name("")
                           ->group(kTextGroup);
  CLI::Option* prompt =
      command
          ->add_option_function<std::string>(
              "--prompt",
              [a](const std::string& name) {
                a->prompt = name;
                a->has_prompt = true;
              },
              "The prompt that goes before each text, by its name in the model's file; \"\": none; "
              "default: the model's usual one")
          ->type_name("NAME")
          ->group(kTextGroup);
  CLI::Option* ids =
      AddIntegersTo(command, "--ids", {0, INT32_MAX},
                    "Token ids of one text, separated by commas, as they are", "none",
                    [a](uint64_t id) { a->ids.push_back(static_cast<int32_t>(id)); })
          ->type_name("1,2,3")
          ->excludes(texts)
          ->excludes(prompt)
          ->group(kTextGroup);
  AddTooLongFlag(command, &a->too_long);
  AddInteger(
      command, "--dimensions", &a->dimensions, {1, kMostDimensions},
      "Only the first numbers of each vector, for models that were trained for it; of length 1 "
      "again where the model's vectors are",
      "all")
      ->group(kOutputGroup);
  command
      ->add_flag("--json", a->json,
                 "Answer in JSON: an array of vectors; else a line for each, numbers with spaces "
                 "between")
      ->group(kOutputGroup);
  command
      ->add_flag("--bench", a->bench,
                 "Measure texts a second, of random tokens: 1, 8 and 32 at a time, of 64 and 512 "
                 "tokens")
      ->excludes(texts)
      ->excludes(prompt)
      ->excludes(ids)
      ->group(kOutputGroup);
  AddInteger(command, "--batch", &a->batch, {1, kMostSessions}, "Texts under way at a time",
             FormatCount(a->batch))
      ->group(kMemoryGroup);
  AddKvFlag(command, &a->engine.kv_format);
  AddThreadsFlag(command, &a->engine);
  command->footer(kExamples);
  command->callback([a] { Run(*a); });
}

}  // namespace rondo::tools
