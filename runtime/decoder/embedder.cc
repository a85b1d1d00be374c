// The end of an embedder's pass: a text's rows become one vector.
#include <algorithm>
#include <array>

#include "runtime/base/portable_math.h"
#include "runtime/decoder/decoder.h"
#include "runtime/decoder/head.h"

namespace rondo {

namespace {

// Of a text's rows, from row `first` of the pass on. Adds them up in the order of their positions:
// so a mean does not depend on how a text is cut into passes.
void PoolRows(const Pass& pass, const RowNorm& norm, const SequenceRows& text, size_t first,
              float* scratch) {
  const size_t n = pass.spec().hidden_size, count = pass.rows_of(text);
  const uint64_t position = text.position;
  const float* row = pass.act().hidden + first * n;
  switch (pass.spec().embedder.pooling) {
    case format::Pooling::kMean:
      if (position == 0) std::fill_n(text.pooled, n, 0.0f);
      for (size_t i = 0; i < count; ++i, row += n) {
        NormedOr(pass.set(), norm, row, n, scratch);
        pass.set().loops->add(text.pooled, scratch, n);
      }
      if (!text.ends) return;
      pass.set().loops->scale(text.pooled, 1.0f / static_cast<float>(position + count), n,
                              text.pooled);
      return;
    case format::Pooling::kLast:
      if (text.ends) NormedOr(pass.set(), norm, row + (count - 1) * n, n, text.pooled);
      return;
    case format::Pooling::kFirst:
      if (position == 0) NormedOr(pass.set(), norm, row, n, text.pooled);
      return;
  }
}

// Of n values, or twice as many; `scratch`: n floats.
void ActivateDense(const KernelSet& set, format::DenseActivation activation, size_t n,
                   float* scratch, float* x) {
  switch (activation) {
    case format::DenseActivation::kIdentity:
      return;
    case format::DenseActivation::kTanh:
      return SoftCap(set, 1, n, x);
    case format::DenseActivation::kGelu:
      return set.gelu(n * sizeof(float), x, x, nullptr);
    case format::DenseActivation::kSiluGate:
      return ActivateGate(set, Activation::kSilu, x, x + n, n, scratch, x);
    case format::DenseActivation::kSigmoid:
      for (size_t i = 0; i < n; ++i) {
        x[i] = static_cast<float>(1 / (1 + PortableExp(-double{x[i]})));
      }
      return;
  }
}

}  // namespace

void RunDense(const Pass& pass, std::span<float* const> pooled, size_t begin, size_t end) {
  const HeapArray<DenseSpec>& dense = pass.spec().dense;
  const bool has_logit = pass.spec().embedder.has_logit;
  Activations& act = pass.act();
  for (size_t layer = begin; layer < end; ++layer) {
    const PackedLinear& linear = pass.weights().dense(layer);
    const RowNorm& norm = pass.weights().dense_norm(layer);
    const auto [activation, norm_first] = dense[layer];
    const size_t n = linear.shape.n;
    const size_t left = activation == format::DenseActivation::kSiluGate ? n / 2 : n;
    for (size_t i = 0; i < pooled.size(); ++i) pass.RowInput(linear, pooled[i], i, act.dense_input);
    pass.Linear(linear, act.dense_input, pooled.size(), Pass::Into::kReplace, act.dense, n);
    for (size_t i = 0; i < pooled.size(); ++i) {
      float* row = act.dense + i * n;
      if (has_logit && layer + 1 == dense.size()) pooled[i][1] = row[0];
      if (norm_first) Normalize(pass.set(), norm, row, n, row);
      ActivateDense(pass.set(), activation, left, pass.ScratchFloats(0), row);
      NormedOr(pass.set(), norm_first ? RowNorm() : norm, row, left, pooled[i]);
    }
  }
}

void Decoder::Pool(const Pass& pass) {
  const ProfileSpan span(pass.profile(), "pool", pass.rows());
  const std::span<const SequenceRows> texts = pass.sequences();
  pass.pool().For(texts.size(), [&](size_t i, size_t thread) {
    if (texts[i].dropped()) return;
    size_t first = 0;
    for (size_t before = 0; before < i; ++before) first += pass.rows_of(texts[before]);
    PoolRows(pass, weights_.final_norm(), texts[i], first, pass.ScratchFloats(thread));
  });
  if (spec_.dense.size() == 0) return;
  std::array<float*, kMostLogitRows> ended;
  size_t n = 0;
  for (const SequenceRows& text : texts) {
    if (text.ends && !text.dropped()) ended[n++] = text.pooled;
    if (n < logit_rows()) continue;
    RunDense(pass, {ended.data(), n}, 0, spec_.dense.size());
    n = 0;
  }
  if (n > 0) RunDense(pass, {ended.data(), n}, 0, spec_.dense.size());
}

}  // namespace rondo
