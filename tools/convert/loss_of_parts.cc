#include "tools/convert/loss_of_parts.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <numeric>
#include <string_view>
#include <utility>

#include "platforms/cpu.h"
#include "platforms/file_map.h"
#include "runtime/kernels/packed_linear.h"
#include "runtime/model/adaptable.h"
#include "runtime/model/tensor_view.h"
#include "tools/convert/calibrate/float_model.h"
#include "tools/convert/calibrate/format_choice.h"
#include "tools/convert/calibrate/predictions.h"
#include "tools/convert/common/fail.h"
#include "tools/convert/float_twin.h"
#include "tools/convert/output/metadata.h"

namespace rondo::convert {
namespace {

using format::TensorFormat;

constexpr double kTwinShare = 0.05;  // of the time, about, and so of the progress

void Require(const Status& status, const std::filesystem::path& path) {
  if (!status.ok()) Fail(path.string(), ": ", status.message());
}

// What the file has of a tensor.
std::vector<float> StoredValues(const ModelFile& file, uint32_t tensor,
                                const std::filesystem::path& path) {
  Require(VerifyTensor(file, tensor), path);
  const TensorView view = ViewTensor(file, tensor);
  Require(CheckValues(view), path);
  const LinearShape shape = LinearShape::Of(view);
  const WeightRows rows = RowsOf(view, nullptr);
  std::vector<float> values(view.rows * view.cols);
  for (size_t row = 0; row < view.rows; ++row) {
    ReadRow(shape, rows, row, std::span(values).subspan(row * view.cols, view.cols));
  }
  return values;
}

// "layers.3.mlp.experts.17.down.weight": layer 3, mlp.experts.down.
std::pair<int32_t, std::string> PlaceOf(std::string_view name) {
  constexpr std::string_view kLayers = "layers.", kWeight = ".weight";
  std::pair<int32_t, std::string> place = {-1, ""};
  if (name.ends_with(kWeight)) name.remove_suffix(kWeight.size());
  const bool in_layer = name.starts_with(kLayers);
  if (in_layer) name.remove_prefix(kLayers.size());
  while (!name.empty()) {
    const std::string_view word = name.substr(0, name.find('.'));
    name.remove_prefix(std::min(name.size(), word.size() + 1));
    int32_t number = 0;
    const bool is_number = std::from_chars(word.data(), word.data() + word.size(), number).ptr ==
                           word.data() + word.size();
    if (is_number && in_layer && place.first < 0) place.first = number;
    if (is_number) continue;
    place.second += (place.second.empty() ? "" : ".") + std::string(word);
  }
  return place;
}

struct Part {
  PartLoss loss;
  std::vector<uint32_t> tensors;
};

std::vector<Part> PartsOf(const ModelFile& file) {
  std::vector<Part> parts;
  std::map<std::pair<int32_t, std::string>, size_t> places;
  for (uint32_t i = 0; i < file.model().tensors()->size(); ++i) {
    const TensorView view = ViewTensor(file, i);
    if (view.format == TensorFormat::F32) continue;
    const auto place = PlaceOf(view.name);
    const auto [found, is_new] = places.try_emplace(place, parts.size());
    const std::string format = FormatFact(view.format, static_cast<uint32_t>(view.block));
    if (is_new) parts.push_back({{place.first, place.second, format}, {}});
    Part& part = parts[found->second];
    if (part.loss.format != format) part.loss.format = "mixed";
    part.tensors.push_back(i);
  }
  return parts;
}

class Measurement {
 public:
  Measurement(const std::filesystem::path& path, const ModelFile& file, const FloatTwin& twin,
              const std::vector<TokenChunk>& chunks, KvFormat kv, size_t threads)
      : path_(path),
        file_(file),
        model_(twin.path(), threads == 0 ? PerformanceCores() : threads),
        exact_(model_, chunks),
        kv_(kv) {}

  PartLosses Run(const std::function<void(double)>& progress) {
    std::vector<Part> parts = PartsOf(file_);
    PartLosses losses;
    losses.positions = exact_.positions();
    model_.UseKv(kv_);
    losses.of_cache = exact_.Divergence(model_);
    model_.UseKv(KvFormat::kFloat32);
    std::vector<uint32_t> all;
    for (size_t i = 0; i < parts.size(); ++i) {
      Measure(parts[i]);
      all.insert(all.end(), parts[i].tensors.begin(), parts[i].tensors.end());
      losses.parts.push_back(std::move(parts[i].loss));
      progress(static_cast<double>(i + 1) / static_cast<double>(parts.size() + 1));
    }
    losses.of_rows = LossOfRows(all);
    for (const uint32_t tensor : all) {
      model_.Exchange(tensor, StoredValues(file_, tensor, path_));
    }
    losses.of_weights = exact_.Divergence(model_);
    model_.UseKv(kv_);
    losses.all = LossOfRows(all);
    progress(1);
    return losses;
  }

 private:
  void Measure(Part& part) {
    part.loss.of_rows = LossOfRows(part.tensors);
    std::vector<std::vector<float>> exact;
    for (const uint32_t tensor : part.tensors) {
      exact.emplace_back(model_.values(tensor).begin(), model_.values(tensor).end());
      const std::vector<float> stored = StoredValues(file_, tensor, path_);
      CheckNear(tensor, exact.back(), stored);
      model_.Exchange(tensor, stored);
    }
    part.loss.of_weights = exact_.Divergence(model_);
    for (size_t i = 0; i < exact.size(); ++i) model_.Exchange(part.tensors[i], exact[i]);
  }

  // No format loses as much as this, and other weights are twice as far.
  void CheckNear(uint32_t tensor, const std::vector<float>& exact,
                 const std::vector<float>& stored) const {
    const double squares = std::inner_product(exact.begin(), exact.end(), exact.begin(), 0.0);
    if (SquaredDistance(exact, stored) <= squares) return;
    Fail(path_.string(), " was not made of what was named: its matrix ",
         ViewTensor(file_, tensor).name, " has other weights");
  }

  // Fine rows are as good as floats.
  double LossOfRows(const std::vector<uint32_t>& tensors) {
    std::vector<bool> of(file_.model().tensors()->size());
    for (const uint32_t tensor : tensors) of[tensor] = true;
    ForEachAdaptable(file_.model(), [&](const format::Linear& linear) {
      if (linear.fine_rows() && linear.bias() < 0) of[linear.weight()] = false;
    });
    model_.RoundRows(std::move(of));
    const double loss = exact_.Divergence(model_);
    model_.RoundRows({});
    return loss;
  }

  const std::filesystem::path& path_;
  const ModelFile& file_;
  FloatModel model_;
  const Predictions exact_;
  const KvFormat kv_;
};

}  // namespace

PartLosses LossOfParts(const std::filesystem::path& model, const std::filesystem::path& source,
                       const std::vector<std::vector<int32_t>>& chunks, KvFormat kv, size_t threads,
                       const std::function<void(double)>& progress) {
  FileMap map;
  if (const FileError error = FileMap::OpenPath(model.string().c_str(), &map)) {
    Fail(model.string(), " cannot be read: ", error.reason());
  }
  const Result<ModelFile> file = ModelFile::Open(map.bytes(), &map);
  Require(file.status(), model);
  if (file->layout() != nullptr) {
    Fail(model.string(), " is packed for one kind of CPU; give the file that it was packed from");
  }
  const FloatTwin twin(model, *file, source, [&](uint64_t done, uint64_t total) {
    progress(kTwinShare * static_cast<double>(done) /
             static_cast<double>(std::max(total, uint64_t{1})));
  });
  return Measurement(model, *file, twin, chunks, kv, threads).Run([&](double done) {
    progress(kTwinShare + (1 - kTwinShare) * done);
  });
}

}  // namespace rondo::convert
