#include "tools/convert/calibrate/calibration.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "platforms/cpu.h"
#include "runtime/model/linears.h"
#include "runtime/model/tensor_view.h"
#include "tools/convert/calibrate/compensate.h"
#include "tools/convert/calibrate/compensate_codes.h"
#include "tools/convert/calibrate/correct.h"
#include "tools/convert/calibrate/factor.h"
#include "tools/convert/calibrate/predictions.h"
#include "tools/convert/common/section_sink.h"
#include "tools/convert/output/encode_row.h"

namespace rondo::convert {
namespace {

constexpr size_t kChunkTokens = 512;
constexpr size_t kMaxTokens = 8192;
// Of refinement. For blocks three more gain up to 2 % and take twice the time.
constexpr int kBlockSweeps = 1;
constexpr int kCodeSweeps = 2;
// Of one matrix, in nats. In models without outliers a third of it is much.
constexpr double kMostLossOfRows = 0.002;

// The weights of a layer's matrices in the order in which they run. Those of one stage get the same
// prefix of rounded weights.
using Stages = std::vector<std::vector<uint32_t>>;

std::vector<uint32_t> WeightsOf(const auto& linears) {
  std::vector<uint32_t> weights;
  for (const format::Linear* linear : linears) weights.push_back(linear->weight());
  return weights;
}

// No matrices of these are routers, and the gates and steps of recurrences: they stay exact.
Stages StagesOf(const format::Layer& layer) {
  Stages stages;
  for (const format::Sublayer* sublayer : *layer.sublayers()) {
    if (const format::Experts* experts = sublayer->op_as_Experts()) {
      std::vector<uint32_t> gate_up, down;
      for (const format::Expert* expert : *experts->experts()) {
        gate_up.push_back(expert->gate_up()->weight());
        down.push_back(expert->down()->weight());
      }
      if (const format::Expert* shared = experts->shared()) {
        gate_up.push_back(shared->gate_up()->weight());
        down.push_back(shared->down()->weight());
      }
      stages.push_back(std::move(gate_up));
      stages.push_back(std::move(down));
    } else if (const format::LatentAttention* latent = sublayer->op_as_LatentAttention()) {
      if (latent->q_down() != nullptr) stages.push_back({latent->q_down()->weight()});
      stages.push_back({latent->q()->weight()});
      stages.push_back({latent->kv_down()->weight()});
      stages.push_back(WeightsOf(*latent->key_up()));
      stages.push_back(WeightsOf(*latent->value_up()));
      stages.push_back({latent->output()->weight()});
    } else {
      const uint64_t exact = RuleOf(sublayer->op_type()).exact;
      ForEachMatrix(*sublayer, [&](size_t name, const format::Linear& linear) {
        if ((exact >> name & 1) == 0) stages.push_back({linear.weight()});
      });
    }
  }
  return stages;
}

template <typename T>
std::vector<uint8_t> CopiedBytes(const std::vector<T>& values) {
  const std::span<const uint8_t> bytes = BytesOf(values);
  return {bytes.begin(), bytes.end()};
}

}  // namespace

Calibration::Calibration(const std::filesystem::path& float_file, const std::string& text,
                         const MatrixFormat& format)
    : threads_(PerformanceCores()), model_(float_file, threads_) {
  chunks_ = model_.Tokenize(text, kChunkTokens, kMaxTokens);
  const auto& layers = *model_.file().model().layers();
  for (uint32_t i = 0; i < layers.size(); ++i) {
    for (const auto& stage : StagesOf(*layers[i])) {
      for (const uint32_t tensor : stage) {
        tensors_.push_back(tensor);
        layer_of_[tensor] = i;
        format_of_[tensor] = format;
      }
    }
  }
}

std::vector<FormatDecision> Calibration::MixFormats(double bits,
                                                    const std::function<void(double)>& progress) {
  std::vector<FormatDecision> decisions =
      ChooseFormats(model_, tensors_, chunks_, threads_, bits, progress);
  for (size_t i = 0; i < tensors_.size(); ++i) format_of_[tensors_[i]] = decisions[i].chosen;
  return decisions;
}

std::vector<uint32_t> Calibration::FindFineRows(const std::vector<uint32_t>& tensors) {
  const Predictions exact(model_, {chunks_.front(), chunks_.back()});
  const auto lose = [&](const std::vector<uint32_t>& rounded) {
    std::vector<bool> of(model_.file().model().tensors()->size());
    for (const uint32_t tensor : rounded) of[tensor] = true;
    model_.RoundRows(std::move(of));
    const bool more = exact.Divergence(model_) > kMostLossOfRows;
    model_.RoundRows({});
    return more;
  };
  std::vector<uint32_t> fine;
  if (!lose(tensors)) return fine;
  std::map<uint32_t, std::vector<uint32_t>> by_layer;
  for (const uint32_t tensor : tensors) {
    const auto layer = layer_of_.find(tensor);
    if (layer != layer_of_.end()) by_layer[layer->second].push_back(tensor);
  }
  for (const auto& [layer, its] : by_layer) {
    if (!lose(its)) continue;
    std::ranges::copy_if(its, std::back_inserter(fine),
                         [&](uint32_t tensor) { return lose({tensor}); });
  }
  return fine;
}

const EncodedTensor* Calibration::Find(uint32_t tensor,
                                       const std::function<void(double)>& progress) {
  const auto layer = layer_of_.find(tensor);
  if (layer == layer_of_.end()) return nullptr;
  while (layers_done_ <= layer->second) CalibrateLayer(layers_done_++, progress);
  return &encoded_.at(tensor);
}

void Calibration::CalibrateLayer(uint32_t layer, const std::function<void(double)>& progress) {
  const auto& layers = *model_.file().model().layers();
  const Stages stages = StagesOf(*layers[layer]);
  std::vector<uint32_t> all;
  for (const auto& stage : stages) all.insert(all.end(), stage.begin(), stage.end());
  const double steps = static_cast<double>(chunks_.size() * (stages.size() + 2));
  double step = 0;
  const auto advance = [&] { progress((layer + ++step / steps) / layers.size()); };

  std::vector<ChunkInputs> exact;  // by chunk
  model_.RunLayer(layer, chunks_, exact_, all, [&](size_t, const ChunkInputs& inputs) {
    exact.push_back(inputs);
    advance();
  });
  encoded_.clear();
  for (const auto& stage : stages) {
    std::map<uint32_t, Moments> moments;
    for (const uint32_t tensor : stage) {
      moments.emplace(tensor, Moments(ViewTensor(model_.file(), tensor).cols, threads_));
    }
    LayerState state = rounded_;
    model_.RunLayer(layer, chunks_, state, stage, [&](size_t chunk, const ChunkInputs& inputs) {
      for (const auto& [tensor, rows] : inputs) {
        // Of tokens that went to other experts there are no pairs.
        const size_t whole = chunks_[chunk].size() * ViewTensor(model_.file(), tensor).cols;
        const std::vector<float>& theirs = exact[chunk].at(tensor);
        moments.at(tensor).Add(rows, rows.size() == whole ? theirs : std::vector<float>());
      }
      advance();
    });
    for (auto& [tensor, its_moments] : moments) encoded_[tensor] = Round(tensor, its_moments);
  }
  model_.RunLayer(layer, chunks_, rounded_, {}, [&](size_t, const ChunkInputs&) { advance(); });
}

EncodedTensor Calibration::Round(uint32_t tensor, Moments& moments) {
  const TensorView view = ViewTensor(model_.file(), tensor);
  moments.Finish();
  const Factor factor = Factorize(moments.square(), view.cols, threads_);
  const std::vector<float> weights =
      CorrectedWeights(model_.values(tensor), view.rows, moments.drift(), factor, threads_);
  const MatrixFormat format = format_of_.at(tensor);
  const FormatRule& rule = RuleOf(format.format);
  if (rule.is_codes()) {
    const CodesMatrix q = CompensatedCodes(weights, view.rows, view.cols, moments.square(), factor,
                                           DefaultTables(rule.bits), kCodeSweeps, threads_);
    model_.Exchange(tensor, q.Values());
    return {format.format, 0, q.Data(), CopiedBytes(q.scales)};
  }
  if (!rule.has_blocks) return RoundToNearest(tensor, rule, weights);
  const Q4BMatrix q = CompensatedQ4B(weights, view.rows, view.cols, format.block, moments.square(),
                                     factor, kBlockSweeps, threads_);
  model_.Exchange(tensor, q.Values());
  return {format.format, format.block, q.Data(), CopiedBytes(q.Scales())};
}

// At 8 bits the nearest value is good enough.
EncodedTensor Calibration::RoundToNearest(uint32_t tensor, const FormatRule& rule,
                                          std::span<const float> weights) {
  const TensorView view = ViewTensor(model_.file(), tensor);
  const uint64_t k = rule.Padded(view.cols, 0).value();
  const size_t row_bytes = rule.row_bytes(k).value(), scale_bytes = rule.RowScaleBytes(k, 0);
  std::vector<uint8_t> data(view.rows * row_bytes), scales(view.rows * scale_bytes);
  std::vector<float> values(weights.size());
  for (size_t r = 0; r < view.rows; ++r) {
    EncodeRow(rule.format, 0, weights.subspan(r * view.cols, view.cols), &data[r * row_bytes],
              &scales[r * scale_bytes], std::span(values).subspan(r * view.cols, view.cols));
  }
  model_.Exchange(tensor, values);
  return {rule.format, 0, std::move(data), std::move(scales)};
}

}  // namespace rondo::convert
