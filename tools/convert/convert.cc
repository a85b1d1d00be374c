#include "tools/convert/convert.h"

#include <optional>
#include <sstream>

#include <unistd.h>

#include "tools/convert/architectures/architecture.h"
#include "tools/convert/calibrate/calibration.h"
#include "tools/convert/check_written.h"
#include "tools/convert/checkpoint.h"
#include "tools/convert/fail.h"
#include "tools/convert/file_writer.h"
#include "tools/convert/metadata.h"
#include "tools/convert/tensor_writer.h"
#include "tools/convert/tokenizer/compile_tokenizer.h"

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

// For `rondo inspect`.
std::string WeightsFact(const ConvertOptions& options) {
  const std::string calibrated = options.calibration.empty() ? "" : ", calibrated";
  if (options.bits == 0) return FormatName(options.weights, options.block) + calibrated;
  std::ostringstream text;
  text << "mixed, " << options.bits << " bits a weight" << calibrated;
  return text.str();
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
  if (!fs::exists(directory / "tokenizer.json")) {
    report.notes.push_back("no tokenizer.json: the file takes and gives token ids only");
    return {};
  }
  const auto tokenizer = CompileTokenizer(directory, writer, builder);
  const uint32_t vocab = flatbuffers::GetTemporaryPointer(builder, tokenizer)->vocab_size();
  if (vocab > spec.vocab_size) {
    report.notes.push_back("tokenizer.json has ids up to " + std::to_string(vocab - 1) +
                           ", the model only up to " + std::to_string(spec.vocab_size - 1) +
                           ": text with the tokens above is refused");
  }
  return tokenizer;
}

// Of the time of a calibrated conversion, about, and so of its progress.
constexpr double kFloatShare = 0.05;
constexpr double kMixShare = 0.5;

// The same model in float32, as a file that calibration can run; removed with this.
class FloatFile {
 public:
  FloatFile(const ConvertOptions& options, const ConvertProgress& progress)
      : path_(options.output.string() + ".calibration-" + std::to_string(getpid())) {
    ConvertOptions all_float = options;
    all_float.output = path_;
    all_float.weights = all_float.embedding = TensorFormat::F32;
    all_float.calibration.clear();
    Convert(all_float, progress);
  }
  FloatFile(const FloatFile&) = delete;
  FloatFile& operator=(const FloatFile&) = delete;
  ~FloatFile() {
    std::error_code ignored;
    fs::remove(path_, ignored);
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

StoredTensor WriteEncoded(const TensorRecipe& recipe, const EncodedTensor& tensor,
                          FileWriter& writer) {
  const bool is_vector = recipe.role == TensorRole::kVector;
  StoredTensor stored{
      tensor.format, is_vector ? 1 : recipe.rows(), is_vector ? recipe.rows() : recipe.cols,
      tensor.block,  writer.Add(tensor.data),       {}};
  if (!tensor.scales.empty()) stored.scales = writer.Add(tensor.scales);
  return stored;
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

  std::optional<FloatFile> float_file;
  std::optional<Calibration> calibration;
  if (!options.calibration.empty()) {
    float_file.emplace(options, [&](uint64_t read, uint64_t all) {
      progress(static_cast<uint64_t>(kFloatShare * static_cast<double>(read)), all);
    });
    calibration.emplace(float_file->path(), options.calibration, options.block);
  }
  const double mix_share = options.bits > 0 ? kMixShare : 0;
  const auto tell = [&](double share) {
    progress(static_cast<uint64_t>(share * static_cast<double>(total)), total);
  };
  const auto calibrated = [&](double share) {
    const double before = kFloatShare + mix_share;
    tell(before + (1 - before) * share);
  };
  if (calibration && options.bits > 0) {
    const auto mixed = [&](double share) { tell(kFloatShare + mix_share * share); };
    for (const FormatDecision& d : calibration->MixFormats(options.bits, mixed)) {
      report.chosen.push_back(
          {d.name, d.weights, d.divergence, FormatName(d.chosen.format, d.chosen.block), d.bits});
    }
  }

  std::vector<StoredTensor> stored;
  uint64_t done = 0;
  for (const TensorRecipe& recipe : spec.tensors) {
    const auto index = static_cast<uint32_t>(stored.size());
    const EncodedTensor* encoded = calibration ? calibration->Find(index, calibrated) : nullptr;
    if (encoded != nullptr) {
      stored.push_back(WriteEncoded(recipe, *encoded, writer));
      report.parameters += stored.back().rows * stored.back().cols;
      continue;
    }
    stored.push_back(WriteTensor(recipe, FormatFor(recipe.role, options), options.block, checkpoint,
                                 writer, [&](uint64_t bytes) {
                                   done += bytes;
                                   if (!calibration) progress(done, total);
                                 }));
    report.parameters += stored.back().rows * stored.back().cols;
  }
  const Facts facts = {{"weights", WeightsFact(options)},
                       {"embedding", FormatName(options.embedding, options.block)},
                       {"rope", RopeFact(spec)}};
  BuildMetadata(fs::canonical(directory).filename().string(), spec, facts, stored,
                writer.sections(), tokenizer, builder);
  writer.Finish({builder.GetBufferPointer(), builder.GetSize()});
  CheckWritten(writer.partial_path());
  report.file_bytes = fs::file_size(writer.partial_path());
  writer.Commit();
  return report;
}

}  // namespace rondo::convert
