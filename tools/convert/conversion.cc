#include "tools/convert/conversion.h"

#include <algorithm>
#include <cstdio>
#include <functional>

#include "tools/common/flags.h"
#include "tools/common/kv_formats.h"
#include "tools/common/library.h"
#include "tools/common/limits.h"
#include "tools/common/numbers.h"
#include "tools/common/options.h"
#include "tools/common/output.h"
#include "tools/common/progress_bar.h"
#include "tools/convert/convert.h"
#include "tools/convert/model_name.h"
#include "tools/convert/output/file_writer.h"
#include "tools/convert/output/metadata.h"
#include "tools/convert/output/write_adapter.h"

namespace rondo::tools {
namespace {

constexpr uint32_t kUsualFitContext = 4096;
// More than these lose so little that a text need not choose the weights.
constexpr uint32_t kMostBitsByText = 4;

// Which matrices got how many bits, and why.
void PrintChosen(const std::vector<convert::ChosenFormat>& chosen, bool by_text) {
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
  std::string out = row("matrix", "%12s  %16s  %-14s  %s", "weights",
                        by_text ? "KL alone in q3" : "weighed error", "format", "bits");
  for (const convert::ChosenFormat& c : chosen) {
    out += row(Printable(c.tensor), "%12llu  %16.3g  %-14s  %.3f",
               static_cast<unsigned long long>(c.weights), c.loss, c.format.c_str(), c.bits);
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
  for (const std::string& note : report.notes) Print("note: " + Printable(note) + "\n");
  Print(Printable(wish.output) + ": an adapter of rank " + std::to_string(report.rank) + " for " +
        FormatCount(report.modules, "module") + ", " + FormatCount(report.parameters, "parameter") +
        ", " + FormatBytes(report.file_bytes) + "\n");
}

// In place of a file's name, which it cannot be.
const std::string kOwnTexts(1, '\0');

}  // namespace

void CheckCombination(const ConversionWish& wish) {
  if (!wish.adapter_for.empty()) {
    const bool others = !wish.embedding.empty() || !wish.calibrate.empty() || wish.bits > 0 ||
                        wish.block > 0 || wish.mtp || !wish.merge.empty() || wish.reranker ||
                        wish.fit > 0 || wish.text_only || !wish.media.empty() ||
                        !wish.mmproj.empty();
    if (others || (!wish.weights.empty() && wish.weights != "f32")) {
      throw CLI::ValidationError("--adapter-for",
                                 "goes with --weights f32 or none, and no other option of weights");
    }
  }
  if (!wish.calibrate.empty() && wish.fit == 0 && wish.weights != "auto") {
    std::string others;
    bool is_one = false;
    for (const std::string& name : convert::FormatNames(kMostBitsByText)) {
      is_one = is_one || wish.weights == name;
      others += (others.empty() ? "" : ", ") + name;
    }
    if (!is_one) {
      throw CLI::ValidationError("--calibrate", "goes with --weights " + others + " or auto");
    }
  }
  if (wish.fit > 0 && (!wish.weights.empty() || wish.bits > 0 || wish.block > 0)) {
    throw CLI::ValidationError("--fit",
                               "chooses the weights: it goes without --weights and --bits");
  }
  if (wish.context > 0 && wish.fit == 0) {
    throw CLI::ValidationError("--context", "goes with --fit");
  }
  if (wish.bits > 0 && wish.weights != "auto") {
    throw CLI::ValidationError("--bits", "goes with --weights auto");
  }
  if (wish.text_only && !wish.media.empty()) {
    throw CLI::ValidationError("--media-weights", "there is nothing that sees with --text-only");
  }
  if (wish.text_only && !wish.mmproj.empty()) {
    throw CLI::ValidationError("--mmproj", "there is nothing that sees with --text-only");
  }
  if (wish.block > 0 && !convert::LiesInBlocks(wish.weights) &&
      !convert::LiesInBlocks(wish.embedding) && !convert::LiesInBlocks(wish.media)) {
    throw CLI::ValidationError("--block", "only weights in q4b lie in blocks of a size to choose");
  }
}

void CheckOutput(const ConversionWish& wish) {
  const ContainerKind& kind = wish.adapter_for.empty() ? kModelContainer : kAdapterContainer;
  const convert::FileWriter target(wish.output, wish.replace, kind);
}

void RunConversion(const std::string& model, const ConversionWish& wish) {
  if (!wish.adapter_for.empty()) return RunAdapterConversion(model, wish);
  convert::ConvertOptions options;
  options.directory = model;
  options.output = wish.output;
  const std::string weights = wish.weights.empty() ? "keep" : wish.weights;
  options.keep_weights = weights == "keep" && wish.fit == 0;
  options.fit = {wish.fit, wish.context > 0 ? wish.context : kUsualFitContext};
  options.keep_embedding = options.keep_weights && wish.embedding.empty();
  const bool is_named = weights != "keep" && weights != "auto";
  options.weights = is_named                             ? convert::FormatNamed(weights)
                    : wish.fit == 0 && weights == "keep" ? format::TensorFormat::Q8
                                                         : format::TensorFormat::Q4;
  if (wish.block > 0) options.block = wish.block;
  if (weights == "auto") options.bits = wish.bits > 0 ? wish.bits : 4.5;
  const std::string usual = weights == "f32" ? "f32" : "q8";
  options.embedding = convert::FormatNamed(wish.embedding.empty() ? usual : wish.embedding);
  if (!wish.calibrate.empty()) {
    options.calibration = wish.calibrate == kOwnTexts ? std::string() : wish.calibrate;
  }
  options.media_weights = convert::FormatNamed(wish.media.empty() ? usual : wish.media);
  options.text_only = wish.text_only;
  options.mmproj = wish.mmproj;
  options.draft_head = wish.mtp;
  options.reranker = wish.reranker;
  if (!wish.merge.empty()) options.merge = FindNamed(wish.merge, "", Named::kAdapter);
  options.replace = wish.replace;
  options.run_token = true;
  convert::ConvertReport report;
  {
    ProgressBar bar;
    report = convert::Convert(options, std::bind_front(&ProgressBar::Update, &bar));
  }
  if (!report.chosen.empty()) PrintChosen(report.chosen, !wish.calibrate.empty());
  for (const std::string& note : report.notes) Print("note: " + Printable(note) + "\n");
  const std::string sees = Fact(OpenModel(wish.output), "sees");
  Print(Printable(wish.output) + ": " + Printable(report.architecture) + ", " +
        FormatCount(report.parameters, "parameter") + ", " + FormatBytes(report.file_bytes) +
        (sees.empty() ? "" : "; sees pictures, by weights in " + sees) + "\n");
  if (!report.fitted) return;
  Print("an engine takes " + FormatBytes(report.fitted->arena_bytes) + " with --context " +
        std::to_string(options.fit.context) + " --kv " + KvFormatOf(report.fitted->kv_format).word +
        "\n");
}

void AddAdapterFlags(CLI::App* command, ConversionWish* wish) {
  AddFile(command, "--adapter-for", &wish->adapter_for,
          "MODEL is a LoRA adapter as PEFT saves it (adapter_config.json, "
          "adapter_model.safetensors): make it a file for this Rondo model, which `rondo run "
          "--adapter` takes, in bfloat16, or with --weights f32 in float32; default: none")
      ->group(kWeightsGroup);
  AddFile(command, "--merge", &wish->merge,
          "A LoRA adapter as PEFT saves it, or its ORG/NAME in the local cache, which is added to "
          "the weights before they get their format; default: none")
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
  const std::vector<std::string> formats = convert::FormatNames();
  std::vector<std::string> wishes = formats;
  wishes.insert(wishes.begin(), "keep");
  wishes.push_back("auto");
  add_word(
      "--weights", &wish->weights, wishes,
      "Format of the weights: keep (q8; what is quantised already as it is, where a format of "
      "ours holds it, else in the nearest one), f32, q8 (int8 per output channel), q4, q3 or "
      "q2 (codes of 4, 3 or "
      "2 bits for int8 values), q4b (4 bits in blocks with a scale each) or auto (q2 to q8 "
      "by what each matrix needs on the text of --calibrate, or without one by its kind); default: "
      "keep");
  add_word("--embedding", &wish->embedding, formats,
           "Format of embedding and output head; default: f32 with --weights "
           "f32, as the weights with keep, else q8");
  add_word("--media-weights", &wish->media, formats,
           "Format of what sees pictures for the model; default: f32 with --weights f32, else q8");
  command
      ->add_flag(
          "--text-only", wish->text_only,
          "Leave out what sees (vision: the tower that makes rows of pictures), which is else "
          "taken along where its family is known: the model then reads texts alone")
      ->group(kWeightsGroup);
  AddFile(command, "--mmproj", &wish->mmproj,
          "What sees pictures for the model of a GGUF file; default: the only file beside it that "
          "is called "
          "mmproj, if there is one")
      ->group(kWeightsGroup);
  AddBlockOption(command, &wish->block)->group(kWeightsGroup);
  command
      ->add_option_function<std::string>(
          "--calibrate",
          [wish](const std::string& text) {
            const std::string wrong = WrongFileName(text);
            if (text != kOwnTexts && !wrong.empty()) {
              throw CLI::ValidationError("--calibrate", wrong);
            }
            wish->calibrate = text;
          },
          "With --weights q4, q3, q2, q4b or auto: the weights are chosen so that the predictions "
          "on a text change least: on one like those the model is meant for, or without FILE on "
          "Rondo's own, prose, other scripts, calls of tools and programs; default: on none")
      ->expected(0, 1)
      ->default_str(kOwnTexts)
      ->type_name("[FILE]")
      ->group(kWeightsGroup);
  AddSize(command, "--fit", &wish->fit,
          "In place of --weights: the bits of the weights, each matrix by what it needs, and the "
          "format of the KV cache that lose least in so many bytes of memory; default: none")
      ->group(kWeightsGroup);
  AddInteger(command, "--context", &wish->context, {1, kMostContext},
             "With --fit: tokens that a session shall see", FormatCount(kUsualFitContext))
      ->group(kWeightsGroup);
  AddReal(command, "--bits", &wish->bits, {2.25, 9, true, true, "from 2.25 to 9"},
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
  command
      ->add_flag("--reranker", wish->reranker,
                 "The checkpoint, a Qwen3-Reranker without a modules.json, answers yes or no to a "
                 "query and a document: convert it for `rondo rerank`")
      ->group(kWeightsGroup);
  AddForceFlag(command, &wish->replace);
}

}  // namespace rondo::tools
