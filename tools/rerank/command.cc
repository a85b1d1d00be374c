// Orders documents by how well they answer a query.
#include "tools/commands.h"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
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

namespace rondo::tools {
namespace {

constexpr const char* kExamples = R"(
Examples:
  rondo rerank qwen3-reranker.rondo --query "capital of China" "Beijing." "Gravity is a force."
  rondo rerank qwen3-reranker.rondo --query "capital of China" --json < documents.txt

The best come first: score, number of the document from 0 on, document.)";

struct Arguments {
  std::string model;
  std::string query;
  std::vector<std::string> documents;
  std::string instruction;
  bool has_instruction = false;
  TooLong too_long = TooLong::kCut;
  uint32_t batch = 8;
  bool json = false;
  EngineOptions engine;
};

void Run(const Arguments& a) {
  const Model model = OpenModel(a.model);
  const bool are_lines = a.documents.empty();
  const std::vector<std::string> documents = are_lines ? ReadLines() : a.documents;
  if (documents.empty()) {
    throw Error("there is no document: give some, or lines on standard input");
  }
  const char* instruction = a.has_instruction ? a.instruction.c_str() : nullptr;
  const LongPairs read(model, a.too_long, instruction, a.query);
  std::vector<TokenIds> pairs;
  for (const std::string& document : documents) {
    const std::string place =
        are_lines ? PlaceOf("", true, pairs.size()) : "document " + std::to_string(pairs.size());
    pairs.push_back(read.Read(place + " with the query", document));
  }
  Embedder embedder(model, a.engine, pairs, a.batch);
  // Of each its score, and its logit: high scores are all 1, but in this order.
  const std::vector<std::vector<float>> scored = embedder.Embed(pairs, 2);
  std::vector<size_t> order(documents.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, [&](size_t i, size_t j) { return scored[i][1] > scored[j][1]; });
  nlohmann::json all = nlohmann::json::array();
  std::string lines;
  for (const size_t i : order) {
    const float score = scored[i][0], logit = scored[i][1];
    all.push_back({{"score", score}, {"logit", logit}, {"document", i}});
    char begin[64];
    std::snprintf(begin, sizeof begin, "%.6f  %zu  ", double{score}, i);
    lines += begin + documents[i] + "\n";
  }
  if (a.json) {
    PrintBytes(all.dump() + "\n");
  } else {
    Print(lines);
  }
}

}  // namespace

void AddRerankCommand(CLI::App& app) {
  const auto a = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("rerank", "Order documents by how they answer a query");
  AddModelArgument(command, &a->model);
  AddTexts(command, "DOCUMENT", &a->documents,
           "The documents; default: the lines of standard input, one each")
      ->type_name("")
      ->group(kTextGroup);
  command->add_option("--query", a->query, "What is looked for")
      ->type_name("TEXT")
      ->required()
      ->group(kTextGroup);
  command
      ->add_option_function<std::string>(
          "--instruction",
          [a](const std::string& text) {
            a->instruction = text;
            a->has_instruction = true;
          },
          "What makes a document fit, in words; default: the model's usual one")
      ->type_name("TEXT")
      ->group(kTextGroup);
  AddTooLongFlag(command, &a->too_long);
  command
      ->add_flag("--json", a->json, "Answer in JSON: an array of scores and logits, the best first")
      ->group(kOutputGroup);
  AddInteger(command, "--batch", &a->batch, {1, kMostSessions}, "Documents under way at a time",
             FormatCount(a->batch))
      ->group(kMemoryGroup);
  AddKvFlag(command, &a->engine.kv_format);
  AddThreadsFlag(command, &a->engine);
  command->footer(kExamples);
  command->callback([a] { Run(*a); });
}

}  // namespace rondo::tools
