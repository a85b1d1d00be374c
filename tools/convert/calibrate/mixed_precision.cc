#include "tools/convert/calibrate/mixed_precision.h"

#include <algorithm>

#include "runtime/model/tensor_view.h"
#include "tools/convert/calibrate/predictions.h"

namespace rondo::convert {

using format::TensorFormat;

std::vector<FormatDecision> ChooseFormats(FloatModel& model, std::span<const uint32_t> tensors,
                                          const std::vector<TokenChunk>& chunks, size_t threads,
                                          double bits,
                                          const std::function<void(double)>& progress) {
  Predictions exact(model, chunks);
  const std::vector<MatrixFormat> formats = FormatsFor(bits);
  std::vector<std::vector<FormatCost>> costs;
  std::vector<FormatDecision> decisions;
  for (size_t i = 0; i < tensors.size(); ++i) {
    const TensorView view = ViewTensor(model.file(), tensors[i]);
    const std::vector<float> w(model.values(tensors[i]).begin(), model.values(tensors[i]).end());
    double in_q3 = 0, error_in_q3 = 0;
    costs.emplace_back();
    for (const MatrixFormat& format : formats) {
      const std::vector<float> rounded = RoundTrip(w, view.cols, format, threads);
      const double error = SquaredDistance(w, rounded);
      double loss = error_in_q3 > 0 ? in_q3 * error / error_in_q3 : 0.0;
      if (format.format == TensorFormat::Q3 || format.format == TensorFormat::Q2) {
        model.Exchange(tensors[i], rounded);
        loss = exact.Divergence(model);
      }
      if (format.format == TensorFormat::Q3) {
        in_q3 = loss;
        error_in_q3 = error;
      }
      costs.back().push_back({StoredBytes(view.rows, view.cols, format), loss});
    }
    model.Exchange(tensors[i], w);
    decisions.push_back({view.name, uint64_t{view.rows} * view.cols, in_q3, {}, 0});
    progress(static_cast<double>(i + 1) / static_cast<double>(tensors.size()));
  }
  Decide(costs, bits, &decisions);
  return decisions;
}

}  // namespace rondo::convert
