#include "tools/commands.h"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <iostream>
#include <memory>

#include "tools/common/flags.h"
#include "tools/common/numbers.h"
#include "tools/common/progress_bar.h"
#include "tools/convert/convert.h"
#include "tools/convert/output/metadata.h"

namespace rondo::tools {
namespace {

constexpr const char* kExamples = R"(
Examples:
  rondo convert Llama-3.2-1B -o llama-1b.rondo --weights q8
  rondo convert Llama-3.2-1B -o llama-1b-q4.rondo --weights q4
  rondo convert Llama-3.2-1B -o llama-1b-q4.rondo --weights q4 --calibrate book.txt
  rondo convert Llama-3.2-1B -o llama-1b-5.rondo --weights auto --bits 5 --calibrate book.txt
  rondo convert Llama-3.2-1B.Q4_0.gguf -o llama-1b-q4b.rondo

FILE appears whole or not at all; an existing Rondo file of that name is replaced.)";

struct Arguments {
  std::string model, output;
  std::string weights;    // empty: not given
  std::string embedding;  // empty: not given
  std::string calibrate;  // empty: not given
  uint32_t block = 0;     // the same
  double bits = 4.5;
  Replace replace = Replace::kSameKind;
};

void CheckCombination(const Arguments& a) {
  const bool calibrates = !a.calibrate.empty();
  if (calibrates && a.weights != "q4" && a.weights != "q3" && a.weights != "q4b" &&
      a.weights != "auto") {
    throw CLI::ValidationError("--calibrate", "goes with --weights q4, q3, q4b or auto");
  }
  if (!calibrates && a.weights == "auto") {
    throw CLI::ValidationError("--weights", "auto needs a text to decide by: --calibrate FILE");
  }
  if (a.block > 0 && a.weights != "q4b" && a.embedding != "q4b") {
    throw CLI::ValidationError("--block", "only weights in q4b lie in blocks of a size to choose");
  }
}

// Which matrices got how many bits, and why.
void PrintChosen(const std::vector<convert::ChosenFormat>& chosen) {
  size_t width = 6;
  double bits = 0, weights = 0;
  for (const convert::ChosenFormat& c : chosen) width = std::max(width, c.tensor.size());
  std::printf("%-*s  %12s  %16s  %-14s  %s\n", static_cast<int>(width), "matrix", "weights",
              "KL alone in q3", "format", "bits");
  for (const convert::ChosenFormat& c : chosen) {
    std::printf("%-*s  %12llu  %16.3g  %-14s  %.3f\n", static_cast<int>(width), c.tensor.c_str(),
                static_cast<unsigned long long>(c.weights), c.divergence, c.format.c_str(), c.bits);
    bits += c.bits * static_cast<double>(c.weights);
    weights += static_cast<double>(c.weights);
  }
  std::printf("%-*s  %12.0f  %16s  %-14s  %.3f\n", static_cast<int>(width), "all", weights, "", "",
              bits / weights);
  std::fflush(stdout);
}

void Run(const Arguments& arguments) {
  convert::ConvertOptions options;
  options.directory = arguments.model;
  options.output = arguments.output;
  CheckCombination(arguments);
  const std::string weights = arguments.weights.empty() ? "q8" : arguments.weights;
  options.weights = convert::FormatNamed(weights == "auto" ? "q4" : weights);
  options.keep_q4b = arguments.weights.empty() && arguments.embedding.empty();
  if (arguments.block > 0) options.block = arguments.block;
  if (weights == "auto") options.bits = arguments.bits;
  const std::string embedding = weights == "f32" ? "f32" : "q8";
  options.embedding =
      convert::FormatNamed(arguments.embedding.empty() ? embedding : arguments.embedding);
  options.calibration = arguments.calibrate;
  options.replace = arguments.replace;
  convert::ConvertReport report;
  {
    ProgressBar bar;
    report = convert::Convert(options, std::bind_front(&ProgressBar::Update, &bar));
  }
  if (!report.chosen.empty()) PrintChosen(report.chosen);
  for (const std::string& note : report.notes) std::cout << "note: " << note << '\n';
  std::cout << arguments.output << ": " << report.architecture << ", "
            << FormatCount(report.parameters, "parameter") << ", " << FormatBytes(report.file_bytes)
            << '\n';
}

}  // namespace

void AddConvertCommand(CLI::App& app) {
  const auto arguments = std::make_shared<Arguments>();
  // Without the validators' own descriptions, which repeat the type names.
  const CLI::Validator formats = CLI::IsMember({"f32", "q8", "q4", "q3", "q4b"}).description("");
  const CLI::Validator blocks = CLI::IsMember({32, 64, 128}).description("");
  CLI::App* command =
      app.add_subcommand("convert", "Make a Rondo file from a Hugging Face folder or a GGUF file");
  command
      ->add_option("MODEL", arguments->model,
                   "Folder with config.json, *.safetensors and tokenizer.json (or tokenizer.model, "
                   "*.tiktoken), or a GGUF file")
      ->required()
      ->type_name("");
  command
      ->add_option(
          "--weights", arguments->weights,
          "Format of the weights: f32, q8 (int8 per output channel), q4 or q3 (codes of 4 or 3 "
          "bits for int8 values), q4b (4 bits in blocks with a scale each) or auto (q3, q4 or q8 "
          "by what each matrix needs); default: q8, but what a GGUF file has in Q4_0 becomes q4b "
          "as it is")
      ->check(CLI::IsMember({"f32", "q8", "q4", "q3", "q4b", "auto"}).description(""))
      ->type_name("f32|q8|q4|q3|q4b|auto")
      ->group(kWeightsGroup);
  command
      ->add_option("--embedding", arguments->embedding,
                   "Format of embedding and output head; default: f32 with --weights f32, else q8")
      ->check(formats)
      ->type_name("f32|q8|q4|q3|q4b")
      ->group(kWeightsGroup);
  command->add_option("--block", arguments->block, "Weights that share a scale in q4b; default: 32")
      ->check(blocks)
      ->type_name("32|64|128")
      ->group(kWeightsGroup);
  command
      ->add_option(
          "--calibrate", arguments->calibrate,
          "With --weights q4, q3, q4b or auto: a text like those the model is meant for; the "
          "weights are chosen so that the predictions on it change least; default: none")
      ->type_name("FILE")
      ->group(kWeightsGroup);
  command
      ->add_option("--bits", arguments->bits,
                   "With --weights auto: bits per weight on average, 3.25 to 9, scales included, "
                   "embedding and output head apart; default: 4.5")
      ->check(CLI::Range(3.25, 9.0).description(""))
      ->type_name("N")
      ->group(kWeightsGroup);
  command->add_option("-o,--output", arguments->output, "The file to write")
      ->required()
      ->type_name("FILE")
      ->group(kOutputGroup);
  AddForceFlag(command, &arguments->replace);
  command->footer(kExamples);
  command->callback([arguments] { Run(*arguments); });
}

}  // namespace rondo::tools
