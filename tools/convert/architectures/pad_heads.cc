#include "tools/convert/architectures/pad_heads.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "runtime/base/checked.h"
#include "runtime/model/limits.h"
#include "runtime/model/operators/attention.h"
#include "tools/convert/common/fail.h"

namespace rondo::convert {
namespace {

// So many heads, one behind another.
struct Heads {
  uint64_t n, dim;
  bool has_channels = true;  // else a number for each of `dim` heads

  uint64_t padded() const { return has_channels ? RoundUp(dim, kHeadDimMultiple) : dim; }
};

void PadRows(const std::vector<Heads>& all, TensorRecipe& recipe) {
  std::vector<TensorRecipe::Part> parts;
  auto part = recipe.parts.begin();
  uint64_t taken = 0;  // rows of `part`
  for (const Heads& heads : all) {
    for (uint64_t head = 0; head < heads.n; ++head) {
      for (uint64_t left = heads.dim; left > 0;) {
        TensorRecipe::Part piece = *part;
        if (!part->source.empty()) piece.shape = recipe.SourceShape(*part);
        piece.first_row += taken * part->row_step;
        piece.rows = std::min(left, part->rows - taken);
        left -= piece.rows;
        taken += piece.rows;
        parts.push_back(std::move(piece));
        if (taken < part->rows) continue;
        ++part;
        taken = 0;
      }
      if (heads.padded() == heads.dim) continue;
      parts.push_back({"", heads.padded() - heads.dim});
      parts.back().scale = 0;
    }
  }
  recipe.parts = std::move(parts);
}

// What an RMSNorm divides by is the root of a mean, over more channels now.
void PadNorm(const Heads& heads, format::NormT* norm, DecoderSpec& spec) {
  if (norm == nullptr || heads.padded() == heads.dim) return;
  if (norm->kind != format::NormKind::kRmsNorm) {
    Fail(spec.architecture, ": heads of ", heads.dim, " channels, which are no multiple of ",
         kHeadDimMultiple, ", have a LayerNorm: this is not known");
  }
  TensorRecipe& weights = spec.tensors[norm->weight];
  PadRows({heads}, weights);
  const double share = static_cast<double>(heads.dim) / static_cast<double>(heads.padded());
  weights.scale *= static_cast<float>(std::sqrt(share));
  weights.offset *= static_cast<float>(std::sqrt(share));
  norm->epsilon *= static_cast<float>(share);
  if (norm->group != 0) norm->group = static_cast<uint32_t>(heads.padded());
}

void Pad(format::AttentionT& a, DecoderSpec& spec) {
  const Heads q = {a.n_heads, a.head_dim}, k = {a.n_kv_heads, a.head_dim};
  const Heads v = {a.n_kv_heads, a.v_head_dim}, out = {a.n_heads, a.v_head_dim};
  if (q.padded() == q.dim && v.padded() == v.dim) return;
  std::vector<Heads> rows = {q};
  if (a.kv_layer == kOwnKeys) rows.insert(rows.end(), {k, v});
  if (a.gate != format::GateKind::kNone) {
    rows.push_back(a.gate_by_head ? Heads{1, a.n_heads, false} : out);
  }
  PadRows(rows, spec.tensors[a.qkv->weight]);
  if (a.qkv->bias >= 0) PadRows(rows, spec.tensors[static_cast<size_t>(a.qkv->bias)]);
  PadNorm(q, a.q_norm.get(), spec);
  PadNorm(k, a.k_norm.get(), spec);
  PadNorm(v, a.v_norm.get(), spec);
  PadNorm(out, a.output_norm.get(), spec);
  if (v.padded() != v.dim) {
    TensorRecipe& output = spec.tensors[a.output->weight];
    output.padding = {v.dim, v.padded()};
    output.cols = out.n * v.padded();
  }
  a.head_dim = static_cast<uint32_t>(q.padded());
  a.v_head_dim = static_cast<uint32_t>(v.padded());
}

void Pad(format::LayerT& layer, DecoderSpec& spec) {
  for (const auto& sublayer : layer.sublayers) {
    if (format::AttentionT* const attention = sublayer->op.AsAttention()) Pad(*attention, spec);
  }
}

}  // namespace

void PadHeads(DecoderSpec& spec) {
  for (format::LayerT& layer : spec.layers) Pad(layer, spec);
  if (spec.draft_head) Pad(*spec.draft_head->layer, spec);
}

void PadHeads(format::ModelT& vision, DecoderSpec& spec) {
  for (const auto& layer : vision.layers) Pad(*layer, spec);
}

}  // namespace rondo::convert
