// Measures how well a model predicts a text, and how far quantisation took it from the original.
#include "tools/commands.h"

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "tools/common/chart.h"
#include "tools/common/flags.h"
#include "tools/common/kv_formats.h"
#include "tools/common/library.h"
#include "tools/common/limits.h"
#include "tools/common/numbers.h"
#include "tools/common/options.h"
#include "tools/common/output.h"
#include "tools/common/own_texts.h"
#include "tools/common/printable.h"
#include "tools/common/progress_bar.h"
#include "tools/common/text_io.h"
#include "tools/convert/loss_of_parts.h"
#include "tools/eval/evaluation.h"
#include "tools/eval/parts.h"
#include "tools/system/standard_files.h"

namespace rondo::tools {
namespace {

constexpr const char* kReferenceGroup = "Comparison";
constexpr uint64_t kTokensOfParts = 2048;

constexpr const char* kExamples = R"(
Examples:
  rondo eval model.rondo --text book.txt
  rondo eval model-q4.rondo --against model-f32.rondo     on Rondo's own texts, each by itself
  rondo eval model-q4.rondo --text book.txt --against model-f32.rondo
  rondo eval model.rondo --text book.txt --against model.rondo     what int8 KV costs
  rondo eval model.rondo --text book.txt --context 2048 --kv f32 --json
  rondo eval model-q4.rondo --parts llama-folder --plot parts.svg     where its loss comes from

The text is tokenised whole and cut into chunks of --context tokens, the first of each replaced by
the BOS where the tokenizer begins texts with one. Perplexity is over the second half of each chunk,
KL divergence and the share of positions with the same most likely token over all of it. Only
figures of one text and one context compare.

--parts converts SOURCE once more, to float32, and runs it for each kind of matrix in each layer
twice, on 2,048 tokens: with its weights as MODEL has them, and with what enters it in int8.)";

struct Arguments {
  std::string model;
  std::string text;     // empty: Rondo's own
  std::string against;  // empty: no second model
  std::string parts;    // what the model was made from; empty: its parts are not looked at
  std::string plot;     // of the parts; empty: none
  Replace replace = Replace::kSameKind;
  EngineOptions engine, reference;
  bool json = false;
};

// A model made ready to be measured.
struct Subject {
  Model model;
  Engine engine;
  Session session;

  Subject(const std::string& path, const EngineOptions& options)
      : model(OpenPredictor(path)), engine(CreateEngine(model, options)), session(engine) {}
};

// Divergence is between distributions over the same tokens: the text must read the same.
void RequireSameTokens(const Arguments& arguments, const Subject& reference, const Model& model,
                       const std::string& text, const std::vector<int32_t>& tokens) {
  const rondo_model_facts facts = model.Info(), theirs = reference.model.Info();
  const std::string both = arguments.model + " and " + arguments.against;
  if (theirs.vocab_size != facts.vocab_size) {
    throw Error(both + " cannot be compared: their vocabularies have " +
                FormatCount(facts.vocab_size) + " and " + FormatCount(theirs.vocab_size) +
                " tokens");
  }
  if (FindTokensAround(reference.model).before != FindTokensAround(model).before ||
      Tokenize(reference.model, text, false) != tokens) {
    throw Error(both + " cannot be compared: their tokenizers read the text differently");
  }
}

// On a terminal one line that renews itself; else silence.
void ShowProgress(uint64_t done, uint64_t total, const Evaluation& evaluation) {
  if (!IsTerminal(kStandardError)) return;
  std::fprintf(stderr, "\rchunk %llu of %llu, perplexity %.4f",
               static_cast<unsigned long long>(done), static_cast<unsigned long long>(total),
               evaluation.model.perplexity);
  if (evaluation.divergence) std::fprintf(stderr, ", KL %.5f", evaluation.divergence->kl);
  std::fputs(done == total ? "\r\x1b[K" : " ", stderr);
}

nlohmann::ordered_json PerplexityJson(const Perplexity& p) {
  return {{"perplexity", p.perplexity},
          {"standard_error", p.standard_error},
          {"mean_nll", p.mean_nll},
          {"tokens_scored", p.tokens}};
}

// A text, as it is called, and what was measured on it.
struct Judged {
  std::string name;
  uint64_t chunks;
  Evaluation evaluation;
};

nlohmann::ordered_json JsonOf(const Arguments& arguments, const Subject& subject,
                              const Judged& judged) {
  const Evaluation& e = judged.evaluation;
  nlohmann::ordered_json out = PerplexityJson(e.model);
  out["chunks"] = judged.chunks;
  out["context"] = arguments.engine.context;
  out["kv"] = KvFormatOf(arguments.engine.kv_format).word;
  out["kernels"] = subject.engine.Memory().kernels;
  if (e.divergence) {
    nlohmann::ordered_json against = PerplexityJson(*e.reference);
    against["kv"] = KvFormatOf(arguments.reference.kv_format).word;
    out["against"] = against;
    out["kl"] = e.divergence->kl;
    out["kl_standard_error"] = e.divergence->standard_error;
    out["top1"] = e.divergence->top1;
    out["positions"] = e.divergence->positions;
  }
  return out;
}

void PrintJson(const Arguments& arguments, const Subject& subject,
               const std::vector<Judged>& judged) {
  nlohmann::ordered_json out;
  if (!arguments.text.empty()) out = JsonOf(arguments, subject, judged.front());
  if (arguments.text.empty()) {
    for (const Judged& one : judged) out[one.name] = JsonOf(arguments, subject, one);
  }
  PrintBytes(out.dump(2) + "\n");
}

template <typename... Values>
std::string Formatted(const char* format, Values... values) {
  char text[256];
  std::snprintf(text, sizeof text, format, values...);
  return text;
}

void PrintTable(const Arguments& arguments, const Judged& judged) {
  const Evaluation& e = judged.evaluation;
  const auto name = [](const std::string& path) {
    return Printable(std::filesystem::path(path).filename().string());
  };
  const size_t width = std::max({size_t{5}, name(arguments.model).size(),
                                 arguments.against.empty() ? 0 : name(arguments.against).size()});
  const auto column = [width](const std::string& text) {
    return text + std::string(width - text.size(), ' ');
  };
  const auto row = [&](const std::string& path, const rondo_engine_options& options,
                       const Perplexity& p) {
    return column(name(path)) + Formatted("  %-4s  %9.4f +- %-8.4f",
                                          KvFormatOf(options.kv_format).word, p.perplexity,
                                          p.standard_error);
  };
  std::string out = column("model") + Formatted("  %-4s  %-22s", "kv", "perplexity");
  out += e.divergence ? "  KL divergence          same top token\n" : "\n";
  out += row(arguments.model, arguments.engine, e.model);
  if (e.divergence) {
    out += Formatted("  %.6f +- %.6f   ", e.divergence->kl, e.divergence->standard_error) +
           FormatShare(e.divergence->top1, 2) + "\n" +
           row(arguments.against, arguments.reference, *e.reference) + "  reference";
  }
  out += "\n" + FormatCount(e.model.tokens, "token") + " scored";
  if (e.divergence) out += ", " + FormatCount(e.divergence->positions, "position") + " compared";
  Print(out + " in " + FormatCount(judged.chunks, "chunk") + " of " +
        FormatCount(arguments.engine.context, "token") + "\n");
}

struct NamedText {
  std::string name, text;
};

std::vector<NamedText> ReadTexts(const std::string& path) {
  std::vector<NamedText> texts;
  if (path.empty()) {
    for (const OwnText& one : OwnTexts()) texts.push_back({one.name, std::string(one.text)});
    return texts;
  }
  texts.push_back({path, path == "-" ? ReadAllInput() : ReadFile("the text", path)});
  if (const size_t valid = Utf8Prefix(texts[0].text); valid < texts[0].text.size()) {
    Tell("note: the text is not UTF-8 at its byte ", FormatCount(valid),
         "; what is none counts as U+FFFD");
  }
  return texts;
}

// The first chunks of each text, evenly many.
std::vector<std::vector<int32_t>> ChunksOfParts(const Arguments& arguments,
                                                const std::vector<NamedText>& texts) {
  const Model model = OpenPredictor(arguments.model);
  const std::vector<int32_t> begin = FindTokensAround(model).before;
  const uint64_t most =
      std::max<uint64_t>(1, kTokensOfParts / texts.size() / arguments.engine.context);
  std::vector<std::vector<int32_t>> all;
  for (const NamedText& text : texts) {
    const Chunks chunks(Tokenize(model, text.text, false), begin, arguments.engine.context);
    for (uint64_t i = 0; i < std::min(chunks.count(), most); ++i) all.push_back(chunks[i]);
  }
  return all;
}

void RunParts(const Arguments& arguments) {
  const std::vector<NamedText> texts = ReadTexts(arguments.text);
  std::optional<OutputFile> plot;  // refused before an hour of measuring
  if (!arguments.plot.empty()) plot.emplace(arguments.plot, kSvg, arguments.replace);
  convert::PartLosses losses;
  {
    constexpr uint64_t kSteps = 1'000'000;
    ProgressBar bar(ProgressBar::Of::kSteps);
    losses = convert::LossOfParts(
        arguments.model, arguments.parts, ChunksOfParts(arguments, texts),
        static_cast<KvFormat>(arguments.engine.kv_format), arguments.engine.threads,
        [&](double done) { bar.Update(static_cast<uint64_t>(done * kSteps), kSteps); });
  }
  const std::string kv = KvFormatOf(arguments.engine.kv_format).word;
  if (arguments.json) {
    PrintBytes(PartsJson(losses, kv).dump(2) + "\n");
  } else {
    Print(PartsTable(losses, kv));
  }
  if (!plot) return;
  const std::filesystem::path name = std::filesystem::path(arguments.model).filename();
  plot->Write(PartsPlot(losses, Printable(name.string()) + ": where its loss comes from"));
  plot->Commit();
}

void Run(const Arguments& arguments) {
  if (!arguments.parts.empty()) return RunParts(arguments);
  const std::vector<NamedText> texts = ReadTexts(arguments.text);
  Subject subject(arguments.model, arguments.engine);
  const std::vector<int32_t> begin = FindTokensAround(subject.model).before;
  std::optional<Subject> reference;
  if (!arguments.against.empty()) {
    EngineOptions options = arguments.reference;
    options.context = arguments.engine.context;
    options.threads = arguments.engine.threads;
    reference.emplace(arguments.against, options);
  }
  std::vector<Judged> judged;
  for (const auto& [name, text] : texts) {
    const std::vector<int32_t> tokens = Tokenize(subject.model, text, false);
    if (reference) RequireSameTokens(arguments, *reference, subject.model, text, tokens);
    const Chunks chunks(tokens, begin, arguments.engine.context);
    judged.push_back({name, chunks.count(),
                      Evaluate(&subject.session, reference ? &reference->session : nullptr, chunks,
                               ShowProgress)});
    if (arguments.json) continue;
    if (arguments.text.empty()) Print((judged.size() > 1 ? "\n" : "") + name + "\n");
    PrintTable(arguments, judged.back());
  }
  if (arguments.json) PrintJson(arguments, subject, judged);
}

}  // namespace

void AddEvalCommand(CLI::App& app) {
  const auto a = std::make_shared<Arguments>();
  a->engine.context = 512;
  a->reference.kv_format = RONDO_KV_FLOAT32;
  CLI::App* command =
      app.add_subcommand("eval", "Measure perplexity, and divergence from another model");
  AddModelArgument(command, &a->model);
  AddFile(
      command, "--text", &a->text,
      "The text, UTF-8; -: standard input; default: Rondo's own, prose, other scripts, calls of "
      "tools and programs, each by itself",
      Dash::kIsInput)
      ->group(kTextGroup);
  AddInteger(command, "--context", &a->engine.context, {4, kMostContext},
             "Tokens of a chunk, BOS included", FormatCount(a->engine.context))
      ->group(kTextGroup);
  CLI::Option* against =
      AddFile(command, "--against", &a->against,
              "The model to compare with, usually the f32 conversion of the same one; "
              "default: none")
          ->type_name("REF")
          ->group(kReferenceGroup);
  AddKvFlag(command, &a->reference.kv_format, "--against-kv",
            "Format of REF's cached keys and values; default: f32")
      ->needs(against)
      ->group(kReferenceGroup);
  CLI::Option* parts =
      AddFile(command, "--parts", &a->parts,
              "What MODEL was converted from, a folder or a GGUF file: tell where its loss comes "
              "from, by layer and matrix, weights, rows and cache; default: do not")
          ->type_name("SOURCE")
          ->excludes(against)
          ->group(kReferenceGroup);
  AddFile(command, "--plot", &a->plot, "Draw that, as SVG; default: no picture")
      ->needs(parts)
      ->group(kOutputGroup);
  AddForceFlag(command, &a->replace);
  AddKvFlag(command, &a->engine.kv_format);
  AddThreadsFlag(command, &a->engine);
  command->add_flag("--json", a->json, "Answer in JSON")->group(kOutputGroup);
  command->footer(kExamples);
  command->callback([a] { Run(*a); });
}

}  // namespace rondo::tools
