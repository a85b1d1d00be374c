// A learned augmented residual layer as a sublayer: x + norm(right(left(x))).
#include <algorithm>

#include "runtime/decoder/pass.h"

namespace rondo {

void LaurelInput(const Pass& pass, size_t sublayer) {
  const SublayerWeights& weights = pass.weights().sublayer(sublayer);
  const size_t hidden = pass.spec().hidden_size;
  Activations& act = pass.act();
  pass.pool().For(pass.rows(), [&](size_t r, size_t) {
    float* row = act.laurel + r * hidden;
    std::copy_n(act.hidden + r * hidden, hidden, row);
    Normalize(pass.set(), weights.norm, row, hidden, row);
    pass.RowInput(weights.laurel.left, row, r, act.laurel_input);
  });
}

void RunLaurel(const Pass& pass, size_t sublayer) {
  const SublayerSpec& spec = pass.spec().sublayers[sublayer];
  const SublayerWeights& weights = pass.weights().sublayer(sublayer);
  const LaurelWeights& w = weights.laurel;
  const size_t hidden = pass.spec().hidden_size, rank = w.right.inputs;
  Activations& act = pass.act();
  pass.Linear(w.left, act.laurel_input, pass.rows(), Pass::Into::kReplace, act.low_laurel, rank);
  pass.pool().For(pass.rows(), [&](size_t r, size_t) {
    pass.RowInput(w.right, act.low_laurel + r * rank, r, act.low_laurel_input);
  });
  pass.Linear(w.right, act.low_laurel_input, pass.rows(), Pass::Into::kReplace, act.sublayer_out,
              hidden);
  pass.pool().For(pass.rows(), [&](size_t r, size_t) {
    float* out = act.sublayer_out + r * hidden;
    Normalize(pass.set(), w.norm, out, hidden, out);
    pass.set().loops->add(out, act.laurel + r * hidden, hidden);
  });
  pass.AddSublayerOut(spec, weights);
}

}  // namespace rondo
