#include "runtime/decoder/head.h"

#include <algorithm>

namespace rondo {

void NormedOr(const KernelSet& set, const RowNorm& norm, const float* row, size_t n, float* out) {
  if (norm.kind == NormKind::kNone) {
    std::copy_n(row, n, out);
  } else {
    Normalize(set, norm, row, n, out);
  }
}

const float* RunHead(const Pass& pass, const Head& head, std::span<const size_t> rows, bool last) {
  const DecoderSpec& spec = pass.spec();
  Activations& act = pass.act();
  const size_t n = head.linear.shape.n;
  const ProfileSpan span(pass.profile(), "head", rows.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    float* normed = pass.ScratchFloats(0);
    const float* row = act.hidden + rows[i] * spec.hidden_size;
    if (head.norm.kind != NormKind::kNone) {
      Normalize(pass.set(), head.norm, row, spec.hidden_size, normed);
      row = normed;
    }
    pass.RowInput(head.linear, row, i, act.head_input);
  }
  pass.Linear(head.linear, act.head_input, rows.size(), Pass::Into::kReplace, act.logits, n, last);
  if (spec.logit_soft_cap > 0) {
    pass.pool().For(rows.size(), [&](size_t i, size_t) {
      SoftCap(pass.set(), spec.logit_soft_cap, n, act.logits + i * n);
    });
  }
  return act.logits;
}

}  // namespace rondo
