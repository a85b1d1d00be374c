#include "tools/convert/conversion.h"

#include <algorithm>
#include <cstdio>
#include <functional>

#include "tools/common/flags.h"
#include "tools/common/numbers.h"
#include "tools/common/options.h"
#include "tools/common/output.h"
#include "tools/common/progress_bar.h"
#include "tools/convert/convert.h"
#include "tools/convert/output/metadata.h"
#include "tools/convert/output/write_adapter.h"

namespace rondo::tools {
namespace {

// Which matrices got how many bits, and why.
void PrintChosen(const std::vector<convert::ChosenFormat>& chosen) {
  size_t width = 6;
  double bits = 0, weights = 0;
  for (const convert::ChosenFormat& c : chosen) {
    width = std::max(width, Printable(c.tensor).size());
  }
  const auto row = [width](const std::string& matrix, const char* format, auto... values) {
    char columns[256];
    std::snprintf(columns, sizeof columns, format, values...);
    return matrix + std::string(width - matrix.size() + 2, ' ') + columns + "\n";
  };
  std::string out =
      row("matrix", "%12s  %16s  %-14s  %s", "weights", "KL alone in q3", "format", "bits");
  for (const convert::ChosenFormat& c : chosen) {
    out += row(Printable(c.tensor), "%12llu  %16.3g  %-14s  %.3f",
               static_cast<unsigned long long>(c.weights), c.divergence, c.format.c_str(), c.bits);
    bits += c.bits * static_cast<double>(c.weights);
    weights += static_cast<double>(c.weights);
  }
  Print(out + row("all", "%12.0f  %16s  %-14s  %.3f", weights, "", "", bits / weights));
}

void RunAdapterConversion(const std::string& directory, const ConversionWish& wish) {
  convert::AdapterOptions options;
  options.directory = directory;
  options.model = wish.adapter_for;
  options.output = wish.output;
  options.replace = wish.replace;
  if (wish.weights == "f32") options.format = format::AdapterFormat::F32;
  const convert::AdapterReport report = convert::WriteAdapter(options);
  Print(Printable(wish.output) + ": an adapter of rank " + std::to_string(report.rank) + " for " +
        FormatCount(report.modules, "module") + ", " + FormatCount(report.parameters, "parameter") +
        ", " + FormatBytes(report.file_bytes) + "\n");
}

}  // namespace

void CheckCombination(const ConversionWish& wish) {
  if (!wish.adapter_for.empty()) {
    const bool others = !wish.embedding.empty() || !wish.calibrate.empty() || wish.bits > 0 ||
                        wish.block > 0 || wish.mtp || !wish.merge.empty();
    if (others || (!wish.weights.empty() && wish.weights != "f32")) {
      throw CLI::ValidationError("--adapter-for",
                                 "goes with --weights f32 or none, and no other option of weights");
    }
  }
  const bool calibrates = !wish.calibrate.empty();
  if (calibrates && wish.weights != "q4" && wish.weights != "q3" && wish.weights != "q4b" &&
      wish.weights != "auto") {
    throw CLI::ValidationError("--calibrate", "goes with --weights q4, q3, q4b or auto");
  }
  if (!calibrates && wish.weights == "auto") {
    throw CLI::ValidationError("--weights", "auto needs a text to decide by: --calibrate FILE");
  }
  if (wish.bits > 0 && wish.weights != "auto") {
    throw CLI::ValidationError("--bits", "goes with --weights auto");
  }
  if (wish.block > 0 && wish.weights != "q4b" && wish.embedding != "q4b") {
    throw CLI::ValidationError("--block", "only weights in q4b lie in blocks of a size to choose");
  }
}

void RunConversion(const std::string& model, const ConversionWish& wish) {
  if (!wish.adapter_for.empty()) return RunAdapterConversion(model, wish);
  convert::ConvertOptions options;
  options.directory = model;
  options.output = wish.output;
  const std::string weights = wish.weights.empty() ? "q8" : wish.weights;
  options.weights = convert::FormatNamed(weights == "auto" ? "q4" : weights);
  options.keep_q4b = wish.weights.empty() && wish.embedding.empty();
  if (wish.block > 0) options.block = wish.block;
  if (weights == "auto") options.bits = wish.bits > 0 ? wish.bits : 4.5;
  const std::string embedding = weights == "f32" ? "f32" : "q8";
  options.embedding = convert::FormatNamed(wish.embedding.empty() ? embedding : wish.embedding);
  options.calibration = wish.calibrate;
  options.draft_head = wish.mtp;
  options.merge = wish.merge;
  options.replace = wish.replace;
  options.run_token = true;
  convert::ConvertReport report;
  {
    ProgressBar bar;
    report = convert::Convert(options, std::bind_front(&ProgressBar::Update, &bar));
  }
  if (!report.chosen.empty()) PrintChosen(report.chosen);
  for (const std::string& note : report.notes) Print("note: " + Printable(note) + "\n");
  Print(Printable(wish.output) + ": " + Printable(report.architecture) + ", " +
        FormatCount(report.parameters, "parameter") + ", " + FormatBytes(report.file_bytes) + "\n");
}

void AddAdapterFlags(CLI::App* command, ConversionWish* wish) {
  AddFile(command, "--adapter-for", &wish->adapter_for,
          "MODEL is a LoRA adapter as PEFT saves it (adapter_config.json, "
          "adapter_model.safetensors): make it a file for this Rondo model, which `rondo run "
          "--adapter` takes, in bfloat16, or with --weights f32 in float32; default: none")
      ->group(kWeightsGroup);
  AddFile(command, "--merge", &wish->merge,
          "A LoRA adapter as PEFT saves it, which is added to the weights before they get their "
          "format; default: none")
      ->group(kWeightsGroup);
}

void AddConversionFlags(CLI::App* command, ConversionWish* wish) {
  const auto add_word = [command](const std::string& name, std::string* word,
                                  const std::vector<std::string>& words,
                                  const std::string& description) {
    AddChoice(command, name, words, description, [word](const std::string& text) {
      *word = text;
    })->group(kWeightsGroup);
  };
  add_word("--weights", &wish->weights, {"f32", "q8", "q4", "q3", "q4b", "auto"},
           "Format of the weights: f32, q8 (int8 per output channel), q4 or q3 (codes of 4 or 3 "
           "bits for int8 values), q4b (4 bits in blocks with a scale each) or auto (q3, q4 or q8 "
           "by what each matrix needs on the text of --calibrate, which it requires); default: q8, "
           "but what a GGUF file has in Q4_0 becomes q4b as it is; integers with a scale for each "
           "channel stay as they are in q8");
  add_word("--embedding", &wish->embedding, {"f32", "q8", "q4", "q3", "q4b"},
           "Format of embedding and output head; default: f32 with --weights f32, else q8");
  AddBlockOption(command, &wish->block)->group(kWeightsGroup);
  AddFile(command, "--calibrate", &wish->calibrate,
          "With --weights q4, q3, q4b or auto: a text like those the model is meant for; the "
          "weights are chosen so that the predictions on it change least; default: none")
      ->group(kWeightsGroup);
  AddReal(command, "--bits", &wish->bits, {3.25, 9, true, true, "from 3.25 to 9"},
          "With --weights auto: bits per weight on average, scales included, embedding and output "
          "head apart",
          "4.5")
      ->type_name("N")
      ->group(kWeightsGroup);
  command
      ->add_flag("--mtp", wish->mtp,
                 "Keep the checkpoint's head that predicts the token behind the next one, which "
                 "`rondo run --speculate head` lets draft")
      ->group(kWeightsGroup);
  AddForceFlag(command, &wish->replace);
}

}  // namespace rondo::tools
