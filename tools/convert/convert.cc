#include "tools/convert/convert.h"

#include "tools/convert/architectures/architecture.h"
#include "tools/convert/carry_over.h"
#include "tools/convert/check_written.h"
#include "tools/convert/fail.h"
#include "tools/convert/file_writer.h"
#include "tools/convert/metadata.h"
#include "tools/convert/source.h"
#include "tools/convert/tensor_writer.h"
#include "tools/convert/tokenizer/compile_tokenizer.h"

namespace rondo::convert {
namespace {

namespace fs = std::filesystem;
using format::TensorFormat;

// The tokens that begin and end a text: from the first config that has them.
void ReadTokens(const std::vector<Config>& places, DecoderSpec& spec) {
  for (const Config& place : places) {
    if (spec.eos_tokens.empty()) {
      spec.eos_tokens = place.Tokens("eos_token_id", spec.vocab_size);
    }
    const std::vector<uint32_t> bos = place.Tokens("bos_token_id", spec.vocab_size);
    if (bos.size() > 1) place.Refuse("bos_token_id", "holds more than one token");
    if (spec.bos_token < 0 && !bos.empty()) spec.bos_token = static_cast<int32_t>(bos.front());
  }
}

// Every tensor that the spec asks for is there in the right shape, and no other is.
// Returns the bytes of all that is read.
uint64_t CheckTensors(const DecoderSpec& spec, const Checkpoint& checkpoint) {
  std::set<std::string> needed = spec.ignored;
  uint64_t bytes = 0;
  for (const TensorRecipe& recipe : spec.tensors) {
    for (const TensorRecipe::Part& part : recipe.parts) {
      const Checkpoint::Entry& entry = checkpoint.Find(part.source, recipe.SourceShape(part));
      bytes += entry.bytes / (entry.elements() / recipe.cols) * part.rows;
      needed.insert(part.source);
    }
  }
  for (const auto& [name, entry] : checkpoint.tensors()) {
    if (needed.count(name) == 0) {
      Fail(entry.file, ": tensor ", name, " has no place in the ", spec.architecture,
           " that config.json describes");
    }
  }
  return bytes;
}

// Some checkpoints leave out what the names of the base model's tensors begin with.
void DropPrefix(DecoderSpec& spec, const Checkpoint& checkpoint) {
  const auto has_prefix = [&](const std::string& name) {
    return !spec.prefix.empty() && name.compare(0, spec.prefix.size(), spec.prefix) == 0;
  };
  for (const auto& [name, entry] : checkpoint.tensors()) {
    if (has_prefix(name)) return;
  }
  const auto dropped = [&](const std::string& name) {
    return has_prefix(name) ? name.substr(spec.prefix.size()) : name;
  };
  for (TensorRecipe& recipe : spec.tensors) {
    for (TensorRecipe::Part& part : recipe.parts) part.source = dropped(part.source);
  }
  std::set<std::string> ignored;
  for (const std::string& name : spec.ignored) ignored.insert(dropped(name));
  spec.ignored = std::move(ignored);
}

std::string FormatName(TensorFormat format, uint32_t block) {
  if (format == TensorFormat::F32) return "f32";
  return format == TensorFormat::Q8 ? "q8" : "q4, block " + std::to_string(block);
}

struct Encoding {
  TensorFormat format;
  uint32_t block;
};

Encoding EncodingOf(const TensorRecipe& recipe, const ConvertOptions& options,
                    const Checkpoint& checkpoint) {
  if (recipe.role == TensorRole::kVector || recipe.role == TensorRole::kTable) {
    return {TensorFormat::F32, 0};
  }
  if (options.keep_q4 && HoldsQ4(recipe, checkpoint)) return {TensorFormat::Q4, 32};
  const bool is_matrix = recipe.role == TensorRole::kMatrix;
  return {is_matrix ? options.weights : options.embedding, options.block};
}

std::string RopeFact(const DecoderSpec& spec) {
  std::string fact;
  for (const RopeSpec& rope : spec.ropes) fact += (fact.empty() ? "" : "; ") + rope.description;
  return fact.empty() ? "none" : fact;
}

// Null where the source has none.
flatbuffers::Offset<format::Tokenizer> AddTokenizer(const Source& source, const DecoderSpec& spec,
                                                    FileWriter& writer,
                                                    flatbuffers::FlatBufferBuilder& builder,
                                                    ConvertReport& report) {
  if (source.tokenizer.is_null()) return {};
  const auto tokenizer = CompileTokenizer(source.tokenizer, source.tokenizer_file, writer, builder);
  const uint32_t vocab = flatbuffers::GetTemporaryPointer(builder, tokenizer)->vocab_size();
  if (vocab > spec.vocab_size) {
    report.notes.push_back(source.tokenizer_file + " has ids up to " + std::to_string(vocab - 1) +
                           ", the model only up to " + std::to_string(spec.vocab_size - 1) +
                           ": text with the tokens above is refused");
  }
  return tokenizer;
}

}  // namespace

ConvertReport Convert(const ConvertOptions& options, const ConvertProgress& progress) {
  const Source source = OpenSource(options.directory);
  const Checkpoint& checkpoint = *source.checkpoint;
  DecoderSpec spec = ReadArchitecture(source.config);
  ReadTokens(source.token_configs, spec);
  DropPrefix(spec, checkpoint);
  const uint64_t total = CheckTensors(spec, checkpoint);

  ConvertReport report;
  report.architecture = spec.architecture;
  report.notes = source.notes;
  FileWriter writer(options.output);
  flatbuffers::FlatBufferBuilder builder;
  // Before the weights: what it refuses is refused at once.
  const auto tokenizer = AddTokenizer(source, spec, writer, builder, report);

  std::vector<StoredTensor> stored;
  uint64_t done = 0;
  CarryOver carry_over;
  for (const TensorRecipe& recipe : spec.tensors) {
    const auto [format, block] = EncodingOf(recipe, options, checkpoint);
    carry_over.Count(recipe, format, block, checkpoint);
    stored.push_back(WriteTensor(recipe, format, block, checkpoint, writer, [&](uint64_t bytes) {
      done += bytes;
      progress(done, total);
    }));
    report.parameters += stored.back().rows * stored.back().cols;
  }
  for (std::string& note : carry_over.Notes()) report.notes.push_back(std::move(note));
  const std::string kept = options.keep_q4 && carry_over.any_taken() ? "; q4, block 32" : "";
  const Facts facts = {{"weights", FormatName(options.weights, options.block) + kept},
                       {"embedding", FormatName(options.embedding, options.block)},
                       {"rope", RopeFact(spec)}};
  BuildMetadata(source.name, spec, facts, stored, writer.sections(), tokenizer, builder);
  writer.Finish({builder.GetBufferPointer(), builder.GetSize()});
  CheckWritten(writer.partial_path());
  report.file_bytes = fs::file_size(writer.partial_path());
  writer.Commit();
  return report;
}

}  // namespace rondo::convert
