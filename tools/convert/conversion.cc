#include "tools/convert/conversion.h"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <iostream>

#include "tools/common/flags.h"
#include "tools/common/numbers.h"
#include "tools/common/progress_bar.h"
#include "tools/convert/convert.h"
#include "tools/convert/output/metadata.h"

namespace rondo::tools {
namespace {

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

}  // namespace

void CheckCombination(const ConversionWish& wish) {
  const bool calibrates = !wish.calibrate.empty();
  if (calibrates && wish.weights != "q4" && wish.weights != "q3" && wish.weights != "q4b" &&
      wish.weights != "auto") {
    throw CLI::ValidationError("--calibrate", "goes with --weights q4, q3, q4b or auto");
  }
  if (!calibrates && wish.weights == "auto") {
    throw CLI::ValidationError("--weights", "auto needs a text to decide by: --calibrate FILE");
  }
  if (wish.block > 0 && wish.weights != "q4b" && wish.embedding != "q4b") {
    throw CLI::ValidationError("--block", "only weights in q4b lie in blocks of a size to choose");
  }
}

void RunConversion(const std::string& model, const ConversionWish& wish) {
  convert::ConvertOptions options;
  options.directory = model;
  options.output = wish.output;
  const std::string weights = wish.weights.empty() ? "q8" : wish.weights;
  options.weights = convert::FormatNamed(weights == "auto" ? "q4" : weights);
  options.keep_q4b = wish.weights.empty() && wish.embedding.empty();
  if (wish.block > 0) options.block = wish.block;
  if (weights == "auto") options.bits = wish.bits;
  const std::string embedding = weights == "f32" ? "f32" : "q8";
  options.embedding = convert::FormatNamed(wish.embedding.empty() ? embedding : wish.embedding);
  options.calibration = wish.calibrate;
  options.replace = wish.replace;
  convert::ConvertReport report;
  {
    ProgressBar bar;
    report = convert::Convert(options, std::bind_front(&ProgressBar::Update, &bar));
  }
  if (!report.chosen.empty()) PrintChosen(report.chosen);
  for (const std::string& note : report.notes) std::cout << "note: " << note << '\n';
  std::cout << wish.output << ": " << report.architecture << ", "
            << FormatCount(report.parameters, "parameter") << ", " << FormatBytes(report.file_bytes)
            << '\n';
}

void AddConversionFlags(CLI::App* command, ConversionWish* wish) {
  // Without the validators' own descriptions, which repeat the type names.
  const CLI::Validator formats = CLI::IsMember({"f32", "q8", "q4", "q3", "q4b"}).description("");
  const CLI::Validator blocks = CLI::IsMember({32, 64, 128}).description("");
  command
      ->add_option(
          "--weights", wish->weights,
          "Format of the weights: f32, q8 (int8 per output channel), q4 or q3 (codes of 4 or 3 "
          "bits for int8 values), q4b (4 bits in blocks with a scale each) or auto (q3, q4 or q8 "
          "by what each matrix needs); default: q8, but what a GGUF file has in Q4_0 becomes q4b "
          "as it is")
      ->check(CLI::IsMember({"f32", "q8", "q4", "q3", "q4b", "auto"}).description(""))
      ->type_name("f32|q8|q4|q3|q4b|auto")
      ->group(kWeightsGroup);
  command
      ->add_option("--embedding", wish->embedding,
                   "Format of embedding and output head; default: f32 with --weights f32, else q8")
      ->check(formats)
      ->type_name("f32|q8|q4|q3|q4b")
      ->group(kWeightsGroup);
  command->add_option("--block", wish->block, "Weights that share a scale in q4b; default: 32")
      ->check(blocks)
      ->type_name("32|64|128")
      ->group(kWeightsGroup);
  command
      ->add_option(
          "--calibrate", wish->calibrate,
          "With --weights q4, q3, q4b or auto: a text like those the model is meant for; the "
          "weights are chosen so that the predictions on it change least; default: none")
      ->type_name("FILE")
      ->group(kWeightsGroup);
  command
      ->add_option("--bits", wish->bits,
                   "With --weights auto: bits per weight on average, 3.25 to 9, scales included, "
                   "embedding and output head apart; default: 4.5")
      ->check(CLI::Range(3.25, 9.0).description(""))
      ->type_name("N")
      ->group(kWeightsGroup);
  AddForceFlag(command, &wish->replace);
}

}  // namespace rondo::tools
