#include "tools/convert/float_twin.h"

#include <set>
#include <string_view>
#include <vector>

#include "platforms/file_map.h"
#include "runtime/model/linears.h"
#include "tools/convert/common/fail.h"
#include "tools/convert/output/file_writer.h"

namespace rondo::convert {
namespace {

using format::TensorFormat;

std::string_view FactOf(const format::Model& model, std::string_view key) {
  if (model.facts() == nullptr) return {};
  for (const format::Fact* fact : *model.facts()) {
    if (fact->key()->string_view() == key) return fact->value()->string_view();
  }
  return {};
}

// What the model's file tells of the options that it was made with, as far as scales and turns
// depend on them; but for what has several formats, or keeps the source's bits.
ConvertOptions OptionsOf(const format::Model& model) {
  ConvertOptions options;
  options.as_floats = true;
  options.draft_head = model.draft_head() != nullptr;
  if (FactOf(model, "weights").ends_with(", calibrated")) options.calibration.emplace();
  const auto format_of = [&](uint32_t index) {
    const format::Tensor& tensor = *model.tensors()->Get(index);
    if (tensor.block() != 0) options.block = tensor.block();
    return tensor.format();
  };
  options.embedding = format_of(model.embedding());
  std::set<TensorFormat> formats;
  for (const format::Layer* layer : *model.layers()) {
    ForEachLinear(*layer, [&](const format::Linear& linear) {
      const TensorFormat format = format_of(linear.weight());
      if (format != TensorFormat::F32) formats.insert(format);
    });
  }
  options.weights = formats.empty() ? TensorFormat::F32 : *formats.begin();
  return options;
}

// How matrices were changed, as one string of bytes.
std::vector<uint8_t> ChangesOf(const format::Model& model) {
  const auto* const changed = model.changed_sources();
  const auto* const sources = changed != nullptr ? changed : model.sources();
  flatbuffers::FlatBufferBuilder builder;
  std::vector<flatbuffers::Offset<format::TensorSource>> copies;
  for (size_t i = 0; sources != nullptr && i < sources->size(); ++i) {
    const std::unique_ptr<format::TensorSourceT> copy(
        sources->Get(static_cast<uint32_t>(i))->UnPack());
    copies.push_back(format::CreateTensorSource(builder, copy.get()));
  }
  builder.Finish(builder.CreateVector(copies));
  return {builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()};
}

bool HaveOneShape(const format::Model& a, const format::Model& b) {
  if (a.tensors()->size() != b.tensors()->size()) return false;
  for (uint32_t i = 0; i < a.tensors()->size(); ++i) {
    const format::Tensor& x = *a.tensors()->Get(i);
    const format::Tensor& y = *b.tensors()->Get(i);
    if (x.name()->string_view() != y.name()->string_view() || x.rows() != y.rows() ||
        x.cols() != y.cols()) {
      return false;
    }
  }
  return true;
}

}  // namespace

FloatTwin::FloatTwin(const std::filesystem::path& path, const ModelFile& model,
                     const std::filesystem::path& source, const ConvertProgress& progress) {
  const std::string_view merged = FactOf(model.model(), "merged adapter");
  if (!merged.empty()) {
    Fail(path.string(), " holds the adapter ", merged, " beside what ", source.string(), " has");
  }
  const ConvertOptions chosen = OptionsOf(model.model());
  ConvertOptions mixed = chosen, kept = chosen;
  mixed.weights = TensorFormat::Q4;
  mixed.bits = 4.5;
  kept.weights = kept.embedding = TensorFormat::Q8;
  kept.keep_weights = kept.keep_embedding = true;
  for (ConvertOptions options : {chosen, mixed, kept}) {
    options.directory = source;
    file_ = std::make_unique<FileWriter>(path.string() + ".float", tools::Replace::kNothing);
    ConvertInto(*file_, options, progress);
    FileMap map;
    if (const FileError error =
            FileMap::OpenPath(file_->unfinished_path().string().c_str(), &map)) {
      Fail(file_->unfinished_path().string(), " cannot be read: ", error.reason());
    }
    const Result<ModelFile> twin = ModelFile::Open(map.bytes(), &map);
    if (!twin.ok()) Fail(source.string(), ": ", twin.status().message());
    if (!HaveOneShape(model.model(), twin->model())) {
      Fail(path.string(), " was not made of ", source.string(),
           ": their matrices are not the same");
    }
    if (ChangesOf(model.model()) == ChangesOf(twin->model())) return;
  }
  Fail(path.string(), " was not made of ", source.string(),
       " by this version of Rondo: channels are scaled in another way; convert it again");
}

FloatTwin::~FloatTwin() = default;

const std::filesystem::path& FloatTwin::path() const { return file_->unfinished_path(); }

}  // namespace rondo::convert
