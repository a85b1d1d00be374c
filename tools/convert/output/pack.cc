#include "tools/convert/output/pack.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "platforms/file_map.h"
#include "runtime/base/checked.h"
#include "runtime/base/checksum.h"
#include "runtime/kernels/pack_linear.h"
#include "runtime/model/layers.h"
#include "runtime/model/linears.h"
#include "runtime/model/model_file.h"
#include "runtime/model/tensor_view.h"
#include "runtime/model/vector_reader.h"
#include "tools/convert/common/fail.h"
#include "tools/convert/output/check_written.h"
#include "tools/convert/output/file_writer.h"

namespace rondo::convert {
namespace {

namespace fs = std::filesystem;
using format::Section;

constexpr size_t kPieceBytes = 4u << 20;

void Require(const Status& status, const fs::path& path) {
  if (!status.ok()) Fail(path.string(), ": ", status.message());
}

// The weights of Linears, by their tensor's index, with the index of the bias, or -1.
using Linears = std::map<uint32_t, int32_t>;

Linears FindLinears(const ModelFile& file, const fs::path& path) {
  Linears linears;
  const auto add = [&](const format::Linear& linear) {
    const auto [entry, is_new] = linears.emplace(linear.weight(), linear.bias());
    if (!is_new && entry->second != linear.bias()) {
      Fail(path.string(), ": tensor ", file.tensors().Get(linear.weight())->name()->str(),
           " is used with two biases, so it cannot be packed with one");
    }
  };
  const auto add_all = [&](const format::Model& model) {
    const Layers layers(model, true);
    for (size_t i = 0; i < layers.size(); ++i) ForEachLinear(layers[i], add);
    ForEachOwnLinear(model, true, add);
    if (model.head() != nullptr) add(*model.head());
  };
  add_all(file.model());
  if (file.model().vision() != nullptr) add_all(*file.model().vision());
  return linears;
}

class Packer {
 public:
  Packer(const PackOptions& options, const ModelFile& file, FileWriter& writer,
         std::function<void(uint64_t)> progress)
      : options_(options),
        file_(file),
        writer_(writer),
        vectors_(VectorReader::Create(file)),
        progress_(std::move(progress)) {
    Require(vectors_.status(), options.input);
  }

  // A section as it is.
  Section Copy(const Section& section) {
    writer_.Begin();
    ChecksumStream checksum;
    const std::span<const uint8_t> bytes = file_.bytes(&section);
    for (size_t at = 0; at < bytes.size(); at += kPieceBytes) {
      const auto piece = bytes.subspan(at, std::min(kPieceBytes, bytes.size() - at));
      checksum.Update(piece);
      writer_.Append(piece);
      Done(piece);
    }
    Require(file_.CompareChecksum(section, checksum.Digest(), "a section"), options_.input);
    return writer_.End();
  }

  // Values, scales and bias of a weight, as one section.
  Section PackWeight(uint32_t index, int32_t bias_index) {
    const TensorView tensor = ViewTensor(file_, index);
    Require(VerifyTensor(file_, index), options_.input);
    Require(CheckValues(tensor), options_.input);
    const float* bias = nullptr;
    if (bias_index >= 0) {
      const Result<const float*> vector = vectors_->Read(static_cast<uint32_t>(bias_index));
      Require(vector.status(), options_.input);
      bias = *vector;
    }
    const PackedLayout& layout = options_.target.layout;
    LinearShape shape = LinearShape::Of(tensor);
    const size_t row_bytes = tensor.data.size() / tensor.rows;
    const size_t row_scales = tensor.scales.size() / tensor.rows;
    const size_t nr = shape.TileChannels(layout);
    const size_t step = nr * std::max<size_t>(1, kPieceBytes / shape.TileBytes(layout));
    std::vector<uint8_t> packed;
    writer_.Begin();
    for (size_t row = 0; row < tensor.rows; row += step) {
      shape.n = std::min(step, tensor.rows - row);
      packed.resize(shape.PackedBytes(layout));
      const auto data = tensor.data.subspan(row * row_bytes, shape.n * row_bytes);
      const auto scales = tensor.scales.subspan(row * row_scales, shape.n * row_scales);
      WeightRows rows = RowsOf(tensor, bias == nullptr ? nullptr : bias + row);
      rows.data = data.data();
      rows.scales = scales.data();
      PackLinear(layout, shape, rows, 0, shape.n, packed.data());
      writer_.Append(packed);
      Done(data);
      Done(scales);
    }
    return writer_.End();
  }

 private:
  void Done(std::span<const uint8_t> part) {
    file_.Release(part);
    progress_(part.size());
  }

  const PackOptions& options_;
  const ModelFile& file_;
  FileWriter& writer_;
  Result<VectorReader> vectors_;
  const std::function<void(uint64_t)> progress_;
};

// Every Section field of the tokenizer.
std::vector<std::unique_ptr<Section>*> SectionsOf(format::TokenizerT& t) {
  return {&t.token_bytes, &t.token_offsets, &t.token_flags, &t.charsmap, &t.charsmap_texts,
          &t.atoms,       &t.merges,        &t.merge_slots, &t.joints,   &t.word_slots,
          &t.pieces,      &t.scores,        &t.token_trie};
}

// The metadata with every section moved to its place in the new file.
std::unique_ptr<format::ModelT> WriteSections(const ModelFile& file, const PackOptions& options,
                                              Packer& packer) {
  std::unique_ptr<format::ModelT> model(file.model().UnPack());
  std::set<uint64_t> taken;  // offsets of the input's sections
  const auto copy = [&](std::unique_ptr<Section>& section) {
    if (section == nullptr) return;
    taken.insert(section->offset());
    *section = packer.Copy(*section);
  };
  if (model->tokenizer != nullptr) {
    for (std::unique_ptr<Section>* section : SectionsOf(*model->tokenizer)) copy(*section);
  }
  const Linears linears = FindLinears(file, options.input);
  std::map<uint64_t, Section> tables;  // by their offset in the input: tensors share them
  for (uint32_t i = 0; i < model->tensors.size(); ++i) {
    format::TensorT& tensor = *model->tensors[i];
    if (tensor.tables != nullptr) {
      const uint64_t offset = tensor.tables->offset();
      if (tables.count(offset) == 0) {
        copy(tensor.tables);
        tables[offset] = *tensor.tables;
      }
      *tensor.tables = tables[offset];
    }
    const auto linear = linears.find(i);
    if (linear == linears.end()) {
      copy(tensor.data);
      copy(tensor.scales);
      continue;
    }
    taken.insert(tensor.data->offset());
    if (tensor.scales != nullptr) taken.insert(tensor.scales->offset());
    *tensor.data = packer.PackWeight(i, linear->second);
    tensor.scales.reset();
    tensor.packed = true;
  }
  // A section that nothing here knows of would be lost without a word.
  for (const Section* section : *file.model().sections()) {
    if (taken.count(section->offset()) > 0) continue;
    Fail(options.input.string(), " has a section at byte ", section->offset(),
         " whose use this version of Rondo does not know; pack it with a newer one");
  }
  return model;
}

}  // namespace

PackReport Pack(const PackOptions& options,
                const std::function<void(uint64_t done, uint64_t total)>& progress) {
  FileMap map;
  if (const FileError error = FileMap::OpenPath(options.input.string().c_str(), &map)) {
    Fail(options.input.string(), " cannot be read: ", error.reason());
  }
  const Result<ModelFile> file = ModelFile::Open(map.bytes(), &map);
  Require(file.status(), options.input);
  if (file->layout() != nullptr) {
    Fail(options.input.string(), " is packed already, as ", IdOf(*file->layout()).text,
         "; pack the portable file that it was made from");
  }
  std::error_code absent;
  if (fs::equivalent(options.input, options.output, absent)) {
    Fail(options.output.string(), " is the portable file itself; choose another name");
  }
  uint64_t total = 0, done = 0;
  for (const Section* section : *file->model().sections()) total += section->bytes();
  FileWriter writer(options.output, options.replace);
  Packer packer(options, *file, writer, [&](uint64_t bytes) {
    done += bytes;
    progress(done, total);
  });
  const std::unique_ptr<format::ModelT> model = WriteSections(*file, options, packer);
  model->layout = IdOf(options.target.layout).text;
  model->sections = writer.sections();
  auto fact = std::make_unique<format::FactT>();
  fact->key = "packed for";
  fact->value = std::string(options.target.kernels) + " (" + model->layout + ")";
  model->facts.push_back(std::move(fact));
  flatbuffers::FlatBufferBuilder builder;
  format::FinishModelBuffer(builder, format::Model::Pack(builder, model.get()));
  writer.Finish({builder.GetBufferPointer(), builder.GetSize()});
  CheckWritten(writer.unfinished_path());
  writer.Commit();
  return {model->layout, writer.bytes()};
}

}  // namespace rondo::convert
