// Measures how well a model predicts a text.
#include "tools/eval/command.h"

#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include <unistd.h>

#include <nlohmann/json.hpp>

#include "tools/common/flags.h"
#include "tools/common/library.h"
#include "tools/eval/perplexity.h"

namespace rondo::tools {
namespace {

constexpr const char* kExamples = R"(
Examples:
  rondo eval model.rondo --text book.txt
  rondo eval model.rondo --text book.txt --context 2048 --kv f32 --json

The text is tokenised whole and cut into chunks of context tokens, the first of each replaced by
BOS; the second half of each chunk is scored (as llama.cpp's perplexity tool does). Only figures of
one text and one context compare.)";

struct Arguments {
  std::string model;
  std::string text;
  rondo_engine_options engine = EngineDefaults();
  bool json = false;
};

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (!file.is_open() || file.bad()) {
    throw Error("cannot read the text " + path + "; give --text a readable file");
  }
  return text;
}

// On a terminal one line that renews itself; else silence.
void ShowProgress(uint64_t done, uint64_t total, double perplexity) {
  if (isatty(STDERR_FILENO) == 0) return;
  std::fprintf(stderr, "\rchunk %llu of %llu, perplexity %.4f ",
               static_cast<unsigned long long>(done), static_cast<unsigned long long>(total),
               perplexity);
  if (done == total) std::fputs("\r\x1b[K", stderr);
}

void Run(const Arguments& arguments) {
  const Model model = OpenModel(arguments.model);
  const rondo_model_facts facts = Facts(model.get());
  if (facts.bos_token < 0) {
    throw Error("the model has no BOS token, with which this measure begins each chunk");
  }
  const std::string text = ReadFile(arguments.text);
  const std::vector<int32_t> tokens = Tokenize(model.get(), text, true);
  const Engine engine = CreateEngine(model.get(), arguments.engine);
  const Session session = OpenSession(engine.get(), SessionDefaults());
  const Perplexity result = MeasurePerplexity(session.get(), tokens, facts.bos_token,
                                              arguments.engine.context, ShowProgress);
  if (arguments.json) {
    nlohmann::ordered_json out;
    out["perplexity"] = result.perplexity;
    out["standard_error"] = result.standard_error;
    out["mean_nll"] = result.mean_nll;
    out["tokens_scored"] = result.tokens;
    out["chunks"] = result.chunks;
    out["context"] = arguments.engine.context;
    out["kv"] = arguments.engine.kv_format == RONDO_KV_FLOAT32 ? "f32" : "int8";
    out["kernels"] = Memory(engine.get()).kernels;
    std::cout << out.dump(2) << '\n';
    return;
  }
  std::printf("perplexity %.4f +- %.4f (%llu tokens scored in %llu chunks of context %u)\n",
              result.perplexity, result.standard_error,
              static_cast<unsigned long long>(result.tokens),
              static_cast<unsigned long long>(result.chunks), arguments.engine.context);
}

}  // namespace

void AddEvalCommand(CLI::App& app) {
  const auto a = std::make_shared<Arguments>();
  a->engine.context = 512;
  CLI::App* command = app.add_subcommand("eval", "Measure the perplexity of a text");
  AddModelArgument(command, &a->model);
  command->add_option("--text", a->text, "The text, UTF-8")->required()->type_name("FILE");
  command->add_option("--context", a->engine.context, "Tokens of a chunk; 512 if not given")
      ->check(CLI::Range(uint32_t{4}, UINT32_MAX).description(""))
      ->type_name("N");
  AddKvFlag(command, &a->engine);
  AddThreadsFlag(command, &a->engine);
  command->add_flag("--json", a->json, "Answer in JSON");
  command->footer(kExamples);
  command->callback([a] { Run(*a); });
}

}  // namespace rondo::tools
