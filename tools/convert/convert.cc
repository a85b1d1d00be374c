#include "tools/convert/convert.h"

#include "tools/convert/architectures/architecture.h"
#include "tools/convert/chat_template.h"
#include "tools/convert/check_written.h"
#include "tools/convert/checkpoint.h"
#include "tools/convert/fail.h"
#include "tools/convert/file_writer.h"
#include "tools/convert/metadata.h"
#include "tools/convert/tensor_writer.h"
#include "tools/convert/tokenizer/compile_tokenizer.h"
#include "tools/convert/tokenizer/folder.h"

namespace rondo::convert {
namespace {

namespace fs = std::filesystem;
using format::TensorFormat;

// The tokens that begin and end a text: generation_config.json's where it has them.
void ReadTokens(const Config& config, const fs::path& directory, DecoderSpec& spec) {
  std::vector<Config> places;
  const fs::path generation = directory / "generation_config.json";
  if (fs::exists(generation)) places.push_back(Config::Load(generation));
  places.push_back(config);
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
      const Safetensors::Tensor& tensor =
          *checkpoint.Find(part.source, recipe.SourceShape(part)).tensor;
      bytes += tensor.bytes / (tensor.elements() / recipe.cols) * part.rows;
      needed.insert(part.source);
    }
  }
  for (const auto& [name, entry] : checkpoint.tensors()) {
    if (needed.count(name) == 0) {
      Fail(entry.file->path(), ": tensor ", name, " has no place in the ", spec.architecture,
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

TensorFormat FormatFor(TensorRole role, const ConvertOptions& options) {
  if (role == TensorRole::kVector || role == TensorRole::kTable) return TensorFormat::F32;
  return role == TensorRole::kMatrix ? options.weights : options.embedding;
}

std::string RopeFact(const DecoderSpec& spec) {
  std::string fact;
  for (const RopeSpec& rope : spec.ropes) fact += (fact.empty() ? "" : "; ") + rope.description;
  return fact.empty() ? "none" : fact;
}

// Null, with a note, where the folder has none.
flatbuffers::Offset<format::Tokenizer> AddTokenizer(const fs::path& directory,
                                                    const DecoderSpec& spec, FileWriter& writer,
                                                    flatbuffers::FlatBufferBuilder& builder,
                                                    ConvertReport& report) {
  const fs::path file = FindTokenizer(directory);
  if (file.empty()) {
    report.notes.push_back(
        "no tokenizer.json, tokenizer.model or *.tiktoken: the file takes and gives token "
        "ids only");
    return {};
  }
  const auto tokenizer = CompileTokenizer(directory, writer, builder, &report.notes);
  const uint32_t vocab = flatbuffers::GetTemporaryPointer(builder, tokenizer)->vocab_size();
  if (vocab > spec.vocab_size) {
    report.notes.push_back(file.filename().string() + " has ids up to " +
                           std::to_string(vocab - 1) + ", the model only up to " +
                           std::to_string(spec.vocab_size - 1) +
                           ": text with the tokens above is refused");
  }
  return tokenizer;
}

}  // namespace

ConvertReport Convert(const ConvertOptions& options, const ConvertProgress& progress) {
  const fs::path& directory = options.directory;
  if (!fs::is_directory(directory)) Fail(directory.string(), " is not a folder");
  const Config config = Config::Load(directory / "config.json");
  DecoderSpec spec = ReadArchitecture(config);
  ReadTokens(config, directory, spec);
  const Checkpoint checkpoint(directory);
  DropPrefix(spec, checkpoint);
  const uint64_t total = CheckTensors(spec, checkpoint);

  ConvertReport report;
  report.architecture = spec.architecture;
  FileWriter writer(options.output);
  flatbuffers::FlatBufferBuilder builder;
  // Before the weights: what it refuses is refused at once.
  const auto tokenizer = AddTokenizer(directory, spec, writer, builder, report);
  const auto chat = BuildChat(ReadChat(directory), builder, report.notes);

  std::vector<StoredTensor> stored;
  uint64_t done = 0;
  for (const TensorRecipe& recipe : spec.tensors) {
    stored.push_back(WriteTensor(recipe, FormatFor(recipe.role, options), options.block, checkpoint,
                                 writer, [&](uint64_t bytes) {
                                   done += bytes;
                                   progress(done, total);
                                 }));
    report.parameters += stored.back().rows * stored.back().cols;
  }
  const Facts facts = {{"weights", FormatName(options.weights, options.block)},
                       {"embedding", FormatName(options.embedding, options.block)},
                       {"rope", RopeFact(spec)}};
  BuildMetadata(fs::canonical(directory).filename().string(), spec, facts, stored,
                writer.sections(), tokenizer, builder, chat);
  writer.Finish({builder.GetBufferPointer(), builder.GetSize()});
  CheckWritten(writer.partial_path());
  report.file_bytes = fs::file_size(writer.partial_path());
  writer.Commit();
  return report;
}

}  // namespace rondo::convert
