#include "runtime/model/operators/attention.h"

#include <cmath>

#include "runtime/model/limits.h"
#include "runtime/model/operators/operators.h"

namespace rondo {

namespace {

// What is added to scores, or taken from them.
Status CheckScores(const LayerChecker& checker, Place place, const format::Attention& attention) {
  if (!std::isfinite(attention.score_scale()) || attention.score_scale() <= 0) {
    return Wrong(place, "has a score_scale that is not a finite number above 0");
  }
  RONDO_RETURN_IF_ERROR(checker.CheckCap(place, attention.soft_cap()));
  RONDO_RETURN_IF_ERROR(checker.CheckQueryScale(place, attention.query_scale()));
  if (attention.window() > kMaxContext || attention.chunk() > kMaxContext) {
    return Wrong(place, "has a window or chunk beyond any context");
  }
  if (attention.window() > 0 && attention.chunk() > 0) {
    return Wrong(place, "has a window and a chunk, expected at most one of them");
  }
  if (const auto* slopes = attention.alibi_slopes()) {
    if (slopes->size() != attention.n_heads()) {
      return Corrupt("layer %d has %u ALiBi slopes for %u heads", place.layer, slopes->size(),
                     attention.n_heads());
    }
    // They are used where they lie.
    if (reinterpret_cast<uintptr_t>(slopes->Data()) % alignof(float) != 0) {
      return Wrong(place, "has ALiBi slopes that are not at a multiple of 4 bytes");
    }
    for (const float slope : *slopes) {
      if (!std::isfinite(slope)) return Wrong(place, "has an ALiBi slope that is not finite");
    }
  }
  return checker.CheckBias({place.layer, "sink logits"}, attention.sink_logits(),
                           attention.n_heads());
}

// Positions that see those behind them are evaluated together: in whole texts alone.
Status CheckDirection(const LayerChecker& checker, Place place,
                      const format::Attention& attention) {
  if (!attention.bidirectional()) return Status();
  if (checker.model().embedder() == nullptr) {
    return Wrong(place, "is bidirectional, but the model predicts tokens");
  }
  if (attention.chunk() == 0 && attention.alibi_slopes() == nullptr) return Status();
  return Wrong(place, "is bidirectional and has chunks or ALiBi");
}

// Frequencies for long texts turn a text's first rows anew when it has become long: texts of a
// bidirectional model are evaluated once.
Status CheckRopeOfWholeTexts(const LayerChecker& checker, Place place,
                             const format::Attention& attention) {
  if (!attention.bidirectional() || attention.rope() < 0) return Status();
  const auto* rope = checker.model().ropes()->Get(static_cast<uint32_t>(attention.rope()));
  if (rope->long_frequencies() == nullptr || rope->long_frequencies()->size() == 0) {
    return Status();
  }
  return Wrong(place, "is bidirectional and has a RoPE with frequencies for long texts");
}

Status CheckNorms(const LayerChecker& checker, int layer, const format::Attention& attention) {
  const uint64_t n_heads = attention.n_heads(), n_kv_heads = attention.n_kv_heads();
  const uint64_t head_dim = attention.head_dim(), v_head_dim = attention.v_head_dim();
  RONDO_RETURN_IF_ERROR(
      checker.CheckNorm({layer, "q norm"}, attention.q_norm(), n_heads * head_dim));
  RONDO_RETURN_IF_ERROR(
      checker.CheckNorm({layer, "k norm"}, attention.k_norm(), n_kv_heads * head_dim));
  RONDO_RETURN_IF_ERROR(
      checker.CheckNorm({layer, "v norm"}, attention.v_norm(), n_kv_heads * v_head_dim));
  for (const format::Norm* norm : {attention.q_norm(), attention.k_norm()}) {
    if (!attention.norms_after_rope() || norm == nullptr || norm->group() == head_dim) continue;
    return Wrong({layer, "attention"}, "has norms behind RoPE that are not of one head each");
  }
  return checker.CheckNorm({layer, "norm of the heads' outputs"}, attention.output_norm(),
                           n_heads * v_head_dim);
}

// The one whose keys and values another layer may read: the only attention of its layer.
const format::Attention* OnlyAttention(const format::Layer& layer) {
  const format::Attention* only = nullptr;
  for (const format::Sublayer* sublayer : *layer.sublayers()) {
    const format::Attention* attention = sublayer->op_as_Attention();
    if (attention == nullptr) continue;
    if (only != nullptr) return nullptr;
    only = attention;
  }
  return only;
}

Status CheckNoKeyNorms(int layer, const format::Attention& attention) {
  if (attention.k_norm() == nullptr && attention.v_norm() == nullptr) return Status();
  return Wrong({layer, "attention"}, "has norms of keys or values, which are another layer's");
}

Status CheckSharing(const LayerChecker& checker, int layer, const format::Attention& attention) {
  const int32_t owner_layer = attention.kv_layer();
  const bool of_other = owner_layer == kKeysOfOther;
  if (of_other != (checker.model().assistant() != nullptr)) {
    return Wrong({layer, "attention"}, of_other
                                           ? "reads another model's keys, but is no assistant's"
                                           : "of an assistant does not read another model's keys");
  }
  if (owner_layer == kOwnKeys) return Status();
  if (of_other) return CheckNoKeyNorms(layer, attention);
  if (owner_layer < 0 || owner_layer >= layer) {
    return Corrupt(
        "layer %d's attention reads the keys and values of layer %d, expected one before", layer,
        owner_layer);
  }
  const format::Attention* owner =
      OnlyAttention(*checker.model().layers()->Get(static_cast<uint32_t>(owner_layer)));
  if (owner == nullptr || owner->kv_layer() != kOwnKeys ||
      owner->n_kv_heads() != attention.n_kv_heads() || owner->head_dim() != attention.head_dim() ||
      owner->v_head_dim() != attention.v_head_dim() || owner->window() != attention.window() ||
      owner->chunk() != attention.chunk()) {
    return Corrupt(
        "layer %d's attention reads the keys and values of layer %d, which has no attention of its "
        "own with the same KV heads, head sizes, window and chunk",
        layer, owner_layer);
  }
  return CheckNoKeyNorms(layer, attention);
}

Status CheckAttention(const LayerChecker& checker, int layer, const format::Sublayer& sublayer) {
  const Place place = {layer, "attention"};
  const format::Attention& attention = *sublayer.op_as_Attention();
  const uint64_t n_heads = attention.n_heads(), n_kv_heads = attention.n_kv_heads();
  const uint64_t head_dim = attention.head_dim(), v_head_dim = attention.v_head_dim();
  RONDO_RETURN_IF_ERROR(checker.CheckHeadDim(layer, "head_dim", head_dim));
  RONDO_RETURN_IF_ERROR(checker.CheckHeadDim(layer, "v_head_dim", v_head_dim));
  if (n_heads == 0 || n_heads > kMaxHeads || n_kv_heads == 0 || n_heads % n_kv_heads != 0) {
    return Corrupt("layer %d has %llu heads and %llu KV heads, expected 1 to %llu, divided evenly",
                   layer, ull{n_heads}, ull{n_kv_heads}, ull{kMaxHeads});
  }
  RONDO_RETURN_IF_ERROR(CheckScores(checker, place, attention));
  RONDO_RETURN_IF_ERROR(CheckDirection(checker, place, attention));
  RONDO_RETURN_IF_ERROR(checker.CheckCap(place, attention.qkv_clip()));
  RONDO_RETURN_IF_ERROR(checker.CheckRope(place, attention.rope(), head_dim));
  RONDO_RETURN_IF_ERROR(CheckRopeOfWholeTexts(checker, place, attention));
  RONDO_RETURN_IF_ERROR(CheckNorms(checker, layer, attention));
  RONDO_RETURN_IF_ERROR(checker.CheckClips(place, attention.clips(), 4));
  if (attention.in_window() &&
      (checker.model().tower() == nullptr || checker.model().tower()->window() == 0)) {
    return Wrong(place, "sees windows of patches, but there are none");
  }
  RONDO_RETURN_IF_ERROR(CheckSharing(checker, layer, attention));
  if (attention.gate() > format::GateKind::MAX) {
    return UnknownKind(place, "gate", static_cast<unsigned>(attention.gate()));
  }
  uint64_t rows = n_heads * head_dim;
  if (attention.kv_layer() == kOwnKeys) rows += n_kv_heads * (head_dim + v_head_dim);
  if (attention.gate() != format::GateKind::kNone) {
    rows += attention.gate_by_head() ? n_heads : n_heads * v_head_dim;
  }
  RONDO_RETURN_IF_ERROR(
      checker.CheckLinear({layer, "qkv"}, attention.qkv(), rows, checker.hidden()));
  return checker.CheckLinear({layer, "attention output"}, attention.output(), checker.hidden(),
                             n_heads * v_head_dim);
}

void AttentionMatrices(const format::Sublayer& sublayer, const MatrixVisitor& visit) {
  const format::Attention& op = *sublayer.op_as_Attention();
  visit(AttentionMatrix::kQkv, *op.qkv());
  visit(AttentionMatrix::kOutput, *op.output());
}

}  // namespace

const OperatorRule kAttentionRule = {"attention",    "attention norm",  "norm after attention",
                                     CheckAttention, AttentionMatrices, kAllMatrices};

}  // namespace rondo
