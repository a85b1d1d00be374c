#include "tools/convert/convert.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <sstream>

#include "tools/common/own_texts.h"
#include "tools/convert/add_vision.h"
#include "tools/convert/architectures/architecture.h"
#include "tools/convert/architectures/gguf_rules_of.h"
#include "tools/convert/architectures/mmproj/mmproj_rules_of.h"
#include "tools/convert/balance_latents.h"
#include "tools/convert/calibrate/calibration.h"
#include "tools/convert/calibrate/priors.h"
#include "tools/convert/change_for_formats.h"
#include "tools/convert/chat_template.h"
#include "tools/convert/common/fail.h"
#include "tools/convert/embedder.h"
#include "tools/convert/end_tokens.h"
#include "tools/convert/find_embedder.h"
#include "tools/convert/fit_spec.h"
#include "tools/convert/merge.h"
#include "tools/convert/output/carry_over.h"
#include "tools/convert/output/check_written.h"
#include "tools/convert/output/file_writer.h"
#include "tools/convert/output/fine_rows.h"
#include "tools/convert/output/level_tables.h"
#include "tools/convert/output/metadata.h"
#include "tools/convert/output/odd_matrices.h"
#include "tools/convert/output/tensor_writer.h"
#include "tools/convert/output/try_written.h"
#include "tools/convert/sampling.h"
#include "tools/convert/sources/input_file.h"
#include "tools/convert/sources/source.h"
#include "tools/convert/tokenizer/compile_tokenizer.h"
#include "tools/convert/tokenizer/source_text.h"
#include "tools/convert/unfollowed_keys.h"

namespace rondo::convert {
namespace {

using format::TensorFormat;
namespace fs = std::filesystem;

// The tokens that begin and end a text: from the first config that has them.
void ReadTokens(const std::vector<Config>& places, DecoderSpec& spec,
                std::vector<std::string>& notes) {
  for (const Config& place : places) {
    if (spec.eos_tokens.empty()) {
      spec.eos_tokens = place.Tokens("eos_token_id", spec.vocab_size, notes);
    }
    const std::vector<uint32_t> bos = place.Tokens("bos_token_id", spec.vocab_size, notes);
    if (bos.size() > 1) place.Refuse("bos_token_id", "holds more than one token");
    if (spec.bos_token < 0 && !bos.empty()) spec.bos_token = static_cast<int32_t>(bos.front());
  }
}

// For `rondo inspect`.
std::string WeightsFact(const ConvertOptions& options, const std::set<std::string>& kept) {
  if (!kept.empty()) {
    std::string names;
    for (const std::string& name : kept) names += (names.empty() ? "" : "; ") + name;
    return names;
  }
  const std::string calibrated = options.calibration ? ", calibrated" : "";
  if (options.bits == 0) {
    return FormatFact(options.weights, options.block) + calibrated;
  }
  std::ostringstream text;
  text << "mixed, " << options.bits << " bits a weight" << calibrated;
  return text.str();
}

Encoding EncodingOf(const TensorRecipe& recipe, const ConvertOptions& options,
                    const Checkpoint& checkpoint) {
  if (options.as_floats || recipe.role == TensorRole::kVector ||
      recipe.role == TensorRole::kTable) {
    return {TensorFormat::F32, 0};
  }
  if (recipe.role == TensorRole::kVision) return {options.media_weights, options.block};
  const bool is_matrix = recipe.role == TensorRole::kMatrix;
  if (is_matrix ? options.keep_weights : options.keep_embedding) {
    if (const std::optional<Encoding> kept = Kept(recipe, checkpoint)) return *kept;
  }
  return {is_matrix ? options.weights : options.embedding, options.block};
}

std::string RopeFact(const DecoderSpec& spec) {
  std::string fact;
  for (const RopeSpec& rope : spec.ropes) fact += (fact.empty() ? "" : "; ") + rope.description;
  return fact.empty() ? "none" : fact;
}

void TellWhereRopeEnds(const DecoderSpec& spec, std::vector<std::string>& notes) {
  const auto ends = [](const RopeSpec& rope) {
    return rope.short_context > 0 && rope.long_frequencies.empty();
  };
  if (std::ranges::none_of(spec.ropes, ends)) return;
  notes.push_back("the model's RoPE is dynamic: each text of more than " +
                  std::to_string(spec.context_length) +
                  " tokens would turn by frequencies of its own, so its context ends there");
}

// Null where the source has none.
flatbuffers::Offset<format::Tokenizer> AddTokenizer(const SourceText& source,
                                                    const DecoderSpec& spec, FileWriter& writer,
                                                    flatbuffers::FlatBufferBuilder& builder,
                                                    ConvertReport& report) {
  if (source.tokenizer.is_null()) return {};
  const auto tokenizer =
      CompileTokenizer(source.tokenizer, source.tokenizer_file, spec.vocab_size, writer, builder);
  const uint32_t vocab = flatbuffers::GetTemporaryPointer(builder, tokenizer)->vocab_size();
  if (vocab > spec.vocab_size) {
    report.notes.push_back(source.tokenizer_file + " has ids up to " + std::to_string(vocab - 1) +
                           ", the model only up to " + std::to_string(spec.vocab_size - 1) +
                           ": text with the tokens above is refused");
  }
  return tokenizer;
}

// Of the time of a calibrated conversion, about, and so of its progress.
constexpr double kFloatShare = 0.05;
constexpr double kMixShare = 0.5;

StoredTensor WriteEncoded(const TensorRecipe& recipe, const EncodedTensor& tensor,
                          FileWriter& writer) {
  const bool is_vector = recipe.role == TensorRole::kVector;
  StoredTensor stored{tensor.format,
                      is_vector ? 1 : recipe.rows(),
                      is_vector ? recipe.rows() : recipe.cols,
                      tensor.block,
                      writer.Add(tensor.data),
                      {},
                      {}};
  if (!tensor.scales.empty()) stored.scales = writer.Add(tensor.scales);
  const FormatRule& rule = RuleOf(tensor.format);
  if (rule.is_codes()) {
    stored.tables = writer.AddShared(DefaultTables(rule.bits).bytes());
  }
  return stored;
}

bool SeesBothSides(const DecoderSpec& spec) {
  return std::ranges::any_of(spec.layers, [](const format::LayerT& layer) {
    return std::ranges::any_of(layer.sublayers, [](const auto& sublayer) {
      const format::AttentionT* const attention = sublayer->op.AsAttention();
      return attention != nullptr && attention->bidirectional;
    });
  });
}

// The model of an embedder is found by its type: `architectures` names the class without a head, or
// that of any other use.
DecoderSpec ReadSpec(const ConvertOptions& options, const Source& source,
                     const std::optional<EmbedderSource>& embedder) {
  if (!embedder) {
    DecoderSpec predicts =
        ReadArchitecture(options.draft_head ? source.config.WithDraftHead() : source.config);
    if (SeesBothSides(predicts)) {
      Fail(options.directory.string(),
           "/config.json: key use_bidirectional_attention is true, but there is no modules.json, "
           "which says that the model makes vectors of texts");
    }
    return predicts;
  }
  DecoderSpec spec = ReadArchitecture(source.config.With("architectures", nullptr));
  MakeEmbedder(*embedder, spec);
  return spec;
}

std::string CalibrationText(const fs::path& path) {
  constexpr uint64_t kMostBytes = 64u << 20;
  if (!path.empty()) return ReadWholeFile(path, kMostBytes);
  std::string all;
  for (const tools::OwnText& own : tools::OwnTexts()) all.append(own.text);
  return all;
}

// Runs the same model in float32, in a file that never gets a name and is gone with the mapping.
void StartCalibration(const ConvertOptions& options, const ConvertProgress& progress,
                      const DecoderSpec& spec, std::optional<Calibration>& calibration) {
  ConvertOptions all_float = options;
  all_float.as_floats = true;
  all_float.as = &spec;
  FileWriter file(options.output.string() + ".calibration", tools::Replace::kNothing);
  ConvertInto(file, all_float, progress);
  const uint32_t block = RuleOf(options.weights).has_blocks ? options.block : 0;
  calibration.emplace(file.unfinished_path(), CalibrationText(*options.calibration),
                      MatrixFormat{options.weights, block});
}

}  // namespace

ConvertReport ConvertInto(FileWriter& writer, const ConvertOptions& options,
                          const ConvertProgress& progress) {
  Source source = OpenSource(options.directory, GgufRulesOf);
  if (!options.text_only) AddMmproj(options.mmproj, MmprojRulesOf, source);
  ConvertReport report;
  report.notes = source.notes;
  SourceText text = ReadSourceText(source, report.notes);
  const std::optional<EmbedderSource> embedder = FindEmbedder(source, text, options.reranker);
  std::shared_ptr<const Checkpoint> checkpoint_holder =
      embedder ? WithDense(*embedder, source.path, source.checkpoint) : source.checkpoint;
  DecoderSpec spec = ReadSpec(options, source, embedder);
  if (!options.text_only) AddVision(source, text, spec, report.notes);
  ChangeTemplates(spec.template_texts, text.chat);
  if (!options.merge.empty()) {
    checkpoint_holder = Merge(options.merge, spec, checkpoint_holder, report.notes);
  }
  const Checkpoint& checkpoint = *checkpoint_holder;
  if (options.draft_head && !spec.draft_head) {
    Fail(options.directory.string(), ": no head of ", spec.architecture,
         " that predicts more than the next token is known");
  }
  report.is_assistant = spec.assistant.has_value();
  if (embedder && options.calibration) {
    Fail(options.directory.string(),
         ": a model that makes vectors of texts predicts no tokens, and so cannot be calibrated by "
         "a text");
  }
  if (report.is_assistant && options.calibration) {
    Fail(options.directory.string(),
         ": an assistant runs beside its model alone, and so cannot be calibrated by a text");
  }
  TellWhereRopeEnds(spec, report.notes);
  ReadTokens(source.token_configs, spec, report.notes);
  const Fit fit = FitToCheckpoint(checkpoint, spec, report.notes);
  const uint64_t total = fit.bytes;
  Facts facts;
  if (options.as != nullptr) {
    spec = *options.as;
  } else {
    if (options.change) options.change(spec);
    facts = ChangeForFormats(options, checkpoint, spec, report.notes);
    BalanceLatents(checkpoint, spec);
  }

  report.architecture = spec.architecture;
  flatbuffers::FlatBufferBuilder builder;
  // Before the weights: what it refuses is refused at once.
  const auto tokenizer = AddTokenizer(text, spec, writer, builder, report);
  if (!embedder) AddEndTokens(text, spec, report.notes);
  const auto chat = BuildChat(text.chat, builder, report.notes);
  flatbuffers::Offset<format::Sampling> sampling;
  if (!embedder) {
    sampling = BuildSampling(source.generation, spec, builder, report.notes);
    TellUnfollowed(source.generation, source.own_generation, report.notes);
  }

  std::optional<Calibration> calibration;
  if (options.calibration && !options.as_floats) {
    const auto float_written = [&](uint64_t read, uint64_t all) {
      progress(static_cast<uint64_t>(kFloatShare * static_cast<double>(read)), all);
    };
    StartCalibration(options, float_written, spec, calibration);
  }
  const double mix_share = options.bits > 0 ? kMixShare : 0;
  const auto tell = [&](double share) {
    progress(static_cast<uint64_t>(share * static_cast<double>(total)), total);
  };
  const auto calibrated = [&](double share) {
    const double before = kFloatShare + mix_share;
    tell(before + (1 - before) * share);
  };
  if (calibration) {
    const std::map<uint32_t, format::LinearT*> finable = Finable(spec);
    std::vector<uint32_t> tensors;
    for (const auto& [tensor, linear] : finable) {
      if (!linear->fine_rows) tensors.push_back(tensor);
    }
    for (const uint32_t tensor : calibration->FindFineRows(tensors)) {
      finable.at(tensor)->fine_rows = true;
    }
  }
  if (calibration && options.bits > 0) {
    const auto mixed = [&](double share) { tell(kFloatShare + mix_share * share); };
    for (const FormatDecision& d : calibration->MixFormats(options.bits, mixed)) {
      report.chosen.push_back(
          {d.name, d.weights, d.loss, FormatFact(d.chosen.format, d.chosen.block), d.bits});
    }
  }

  std::map<size_t, FormatDecision> by_priors;
  if (!calibration && options.bits > 0 && !options.as_floats) {
    by_priors = ChooseFormatsByPriors(spec.tensors, checkpoint, options.bits, [](double) {});
    for (const auto& [index, d] : by_priors) {
      report.chosen.push_back(
          {d.name, d.weights, d.loss, FormatFact(d.chosen.format, d.chosen.block), d.bits});
    }
  }

  std::vector<StoredTensor> stored;
  uint64_t done = 0;
  CarryOver carry_over;
  OddMatrices odd;
  std::set<std::string> kept;  // formats
  for (const TensorRecipe& recipe : spec.tensors) {
    const auto index = static_cast<uint32_t>(stored.size());
    const EncodedTensor* encoded = calibration ? calibration->Find(index, calibrated) : nullptr;
    if (encoded != nullptr) {
      stored.push_back(WriteEncoded(recipe, *encoded, writer));
      report.parameters += stored.back().rows * stored.back().cols;
      continue;
    }
    Encoding encoding = EncodingOf(recipe, options, checkpoint);
    if (const auto found = by_priors.find(index); found != by_priors.end()) {
      encoding = {found->second.chosen.format, found->second.chosen.block};
    }
    const RoundingErrors errors = carry_over.Count(recipe, encoding, checkpoint);
    const auto read = [&](uint64_t bytes) {
      done += bytes;
      if (!calibration) progress(done, total);
    };
    stored.push_back(WriteTensor(recipe, encoding, checkpoint, writer, read, errors));
    if (options.keep_weights && recipe.role == TensorRole::kMatrix) {
      kept.insert(FormatFact(encoding.format, encoding.block));
    }
    report.parameters += stored.back().rows * stored.back().cols;
    if (recipe.role == TensorRole::kMatrix) {
      odd.Add(recipe.name, encoding, stored.back().lost);
      report.matrix_weights += recipe.rows() * recipe.cols;
      report.matrix_bytes +=
          StoredBytes(recipe.rows(), recipe.cols, {encoding.format, encoding.block});
    }
  }
  for (std::string& note : carry_over.Notes(checkpoint.scale_rounding())) {
    report.notes.push_back(std::move(note));
  }
  std::ranges::move(odd.Notes(), std::back_inserter(report.notes));
  facts.insert(
      facts.begin(),
      {{"weights", WeightsFact(options, kept)},
       {"embedding", FormatFact(stored[spec.embedding].format, stored[spec.embedding].block)},
       {"rope", RopeFact(spec)}});
  const std::map<uint32_t, format::LinearT*> finable = Finable(spec);
  const auto fine =
      std::ranges::count_if(finable, [](const auto& linear) { return linear.second->fine_rows; });
  if (fine > 0) {
    facts.push_back({"int8 twice", "rows of " + std::to_string(fine) + " matrices of " +
                                       std::to_string(finable.size())});
  }
  if (spec.draft_head) {
    facts.push_back({"draft head", "proposes the first " +
                                       std::to_string(spec.draft_head->n_tokens) +
                                       " tokens of the vocabulary"});
  }
  if (!options.merge.empty()) {
    facts.push_back({"merged adapter", fs::weakly_canonical(options.merge).filename().string()});
  }
  if (spec.assistant) {
    facts.push_back({"assistant", "drafts for models with a hidden_size of " +
                                      std::to_string(spec.assistant->other_hidden_size) +
                                      ", proposes the first " +
                                      std::to_string(spec.assistant->n_tokens) +
                                      " tokens of the vocabulary"});
  }
  if (spec.vision) facts.push_back({"sees", FormatFact(options.media_weights, options.block)});
  if (spec.embedder) facts.push_back({"embedder", EmbedderFact(*spec.embedder)});
  if (!fit.left_out.empty()) {
    facts.push_back({"left out", fit.left_out});
    report.notes.push_back("left out of the text's model: " + fit.left_out);
  }
  BuildMetadata(source.name, spec, facts, stored, writer.sections(), tokenizer, builder, chat,
                sampling);
  writer.Finish({builder.GetBufferPointer(), builder.GetSize()});
  CheckWritten(writer.unfinished_path());
  report.file_bytes = writer.bytes();
  return report;
}

namespace {

// Writes the model in few bits, in a file that never gets a name, to see what else it takes.
FittedBits FitByDraft(const ConvertOptions& options, const ConvertProgress& progress) {
  ConvertOptions few = options;
  few.weights = TensorFormat::Q3;
  few.bits = 0;
  few.calibration.reset();
  FileWriter writer(options.output.string() + ".draft", tools::Replace::kNothing);
  const ConvertReport report = ConvertInto(writer, few, progress);
  return FitBits({writer.unfinished_path(), report.matrix_weights, report.matrix_bytes},
                 options.fit);
}

}  // namespace

ConvertReport Convert(const ConvertOptions& wished, const ConvertProgress& progress) {
  constexpr double kBitsOfQ8 = 8.25;
  FileWriter writer(wished.output, wished.replace);
  ConvertOptions options = wished;
  FittedBits fit = {};
  if (options.fit.bytes > 0) {
    fit = FitByDraft(wished, progress);
    options.weights = fit.bits < kBitsOfQ8 ? TensorFormat::Q4 : TensorFormat::Q8;
    options.bits = fit.bits < kBitsOfQ8 ? fit.bits : 0;
    if (options.bits == 0) options.calibration.reset();
  }
  ConvertReport report = ConvertInto(writer, options, progress);
  if (options.fit.bytes > 0) {
    report.fitted = CheckFit(writer.unfinished_path(), options.fit, fit.kv_format);
  }
  if (!report.is_assistant) {
    TryWritten(writer.unfinished_path(), options.run_token, report.notes);
  }
  writer.Commit();
  return report;
}

}  // namespace rondo::convert
