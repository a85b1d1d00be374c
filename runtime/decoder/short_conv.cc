// The gated short convolution as a sublayer (LFM2): what earlier positions put in is read from the
// KV blocks, where it lies like a cache of keys.
#include <algorithm>

#include "runtime/decoder/pass.h"

namespace rondo {

namespace {

// Where b * x of a position is kept, [channels].
float* Kept(const SequenceRows& sequence, size_t entry, uint64_t position, size_t channels) {
  uint8_t* page = sequence.kv->Page(ContextWindow::Block(position), entry, 0);
  return reinterpret_cast<float*>(page) + position % kKvBlockTokens * channels;
}

}  // namespace

void ShortConvInput(const Pass& pass, size_t sublayer) {
  const SublayerWeights& weights = pass.weights().sublayer(sublayer);
  pass.NormInput(weights.short_conv.in_proj, weights.norm, pass.act().hidden, pass.rows(),
                 pass.act().mixer_input);
}

// mixed = c * (bias + the sum over taps of kernel * b * x), the position's own tap last.
void RunShortConv(const Pass& pass, size_t sublayer) {
  const SublayerSpec& spec = pass.spec().sublayers[sublayer];
  const SublayerWeights& weights = pass.weights().sublayer(sublayer);
  const ShortConvWeights& conv = weights.short_conv;
  const KernelSet& set = pass.set();
  const size_t n = pass.spec().hidden_size;
  const size_t taps = spec.short_conv.taps;
  Activations& act = pass.act();
  pass.Linear(conv.in_proj, act.mixer_input, pass.rows(), Pass::Into::kReplace, act.qkv, 3 * n);

  pass.pool().For(pass.rows(), [&](size_t r, size_t) {
    const PassRow& row = pass.row(r);
    if (row.sequence->dropped()) return;
    const float* b = act.qkv + r * 3 * n;
    set.multiply(n * sizeof(float), b, b + 2 * n,
                 Kept(*row.sequence, spec.kv_entry, row.position, n), nullptr);
  });
  pass.pool().For(pass.rows(), [&](size_t r, size_t) {
    const PassRow& row = pass.row(r);
    float* out = act.mixed + r * n;
    if (conv.bias != nullptr) {
      std::copy_n(conv.bias, n, out);
    } else {
      std::fill_n(out, n, 0.0f);
    }
    for (size_t t = 0; t < taps && !row.sequence->dropped(); ++t) {
      const uint64_t back = taps - 1 - t;
      if (back > row.position) continue;  // before the text there is nothing
      set.loops->multiply_add(out, conv.kernel + t * n,
                              Kept(*row.sequence, spec.kv_entry, row.position - back, n), n);
    }
    set.multiply(n * sizeof(float), out, act.qkv + (r * 3 + 1) * n, out, nullptr);
    pass.RowInput(conv.out_proj, out, r, act.o_input);
  });
  pass.AddToResidual(spec, weights, conv.out_proj, act.o_input);
}

}  // namespace rondo
