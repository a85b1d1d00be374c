// Latent attention as a sublayer: all heads read one cached vector of each position. What makes
// keys of it is applied to queries instead, and what makes values of it to the heads' sums.
#include <algorithm>
#include <cstring>

#include "runtime/decoder/attention_rounds.h"
#include "runtime/decoder/pass.h"
#include "runtime/model/operators/latent_attention.h"
#include "runtime/weights/vectors.h"

namespace rondo {

namespace {

// One vector for all heads is cached, with a rotated part before it in the key.
struct LatentAttentionSpec {
  size_t n_heads = 0;
  size_t nope_dim = 0;
  size_t rope_dim = 0;
  size_t latent_dim = 0;
  size_t v_head_dim = 0;
  int rope = -1;
  float score_scale = 0;
  QueryScale query_scale;
  size_t q_rank = 0;  // of q_down; 0: there is none

  explicit LatentAttentionSpec(const format::LatentAttention& attention)
      : n_heads(attention.n_heads()),
        nope_dim(attention.nope_dim()),
        rope_dim(attention.rope_dim()),
        latent_dim(attention.latent_dim()),
        v_head_dim(attention.v_head_dim()),
        rope(attention.rope()),
        score_scale(attention.score_scale()),
        query_scale(QueryScaleOf(attention.query_scale())) {}

  size_t key_dim() const { return rope_dim + latent_dim; }
  size_t q_size() const { return n_heads * (nope_dim + rope_dim); }
  // Of a row of queries as they meet keys, then the key, then the value.
  size_t qkv_size() const { return (n_heads + 1) * key_dim() + latent_dim; }
  size_t mixed_size() const { return n_heads * latent_dim; }
  size_t out_size() const { return n_heads * v_head_dim; }
  // Heads are attended to in tasks of so many.
  size_t heads_per_task() const {
    size_t n = 4;
    while (n_heads % n != 0) --n;
    return n;
  }
  size_t tasks() const { return n_heads / heads_per_task(); }
};

class LatentAttention final : public Operator {
 public:
  explicit LatentAttention(const OperatorSite& site)
      : spec_(*site.sublayer.op_as_LatentAttention()), first_seen_(site.in_draft_head() ? 1 : 0) {
    const format::Linear* q_down = site.sublayer.op_as_LatentAttention()->q_down();
    if (q_down != nullptr) spec_.q_rank = site.file.tensors()->Get(q_down->weight())->rows();
  }

  KvLayout::Entry kv() const override {
    return {.n_kv_heads = 1, .head_dim = spec_.key_dim(), .v_head_dim = spec_.latent_dim};
  }

  Status ReadVectors(const format::Sublayer& sublayer, VectorReader& vectors) override {
    const format::LatentAttention& attention = *sublayer.op_as_LatentAttention();
    RONDO_ASSIGN(q_norm_, ReadNorm(vectors, attention.q_norm(), spec_.q_rank));
    RONDO_ASSIGN(latent_norm_, ReadNorm(vectors, attention.latent_norm(), spec_.latent_dim));
    return Status();
  }

  void Widen(const Sublayer& sublayer, const ContextWindow& window,
             Activations* act) const override {
    act->mixer_input.Widen(sublayer.matrix(LatentAttentionMatrix::kKvDown));
    act->mixer_input.Widen(sublayer.matrix(spec_.q_rank > 0 ? LatentAttentionMatrix::kQDown
                                                            : LatentAttentionMatrix::kQ));
    if (spec_.q_rank > 0) {
      act->low_q.Widen(spec_.q_rank);
      act->low_q_input.Widen(sublayer.matrix(LatentAttentionMatrix::kQ));
    }
    act->latent_q.Widen(spec_.q_size());
    act->low_kv.Widen(spec_.key_dim());
    act->latent_heads = std::max(act->latent_heads, spec_.n_heads);
    act->products.Widen(spec_.n_heads);
    for (const PackedLinear& up : key_up(sublayer)) act->up_input.Widen(up);
    for (const PackedLinear& up : value_up(sublayer)) act->up_input.Widen(up);
    act->qkv.Widen(std::max(spec_.qkv_size(), spec_.out_size()));
    act->mixed.Widen(spec_.mixed_size());
    act->WidenAttention(spec_.tasks(), spec_.heads_per_task(), spec_.key_dim(), spec_.latent_dim,
                        window);
    act->o_input.Widen(sublayer.matrix(LatentAttentionMatrix::kOutput));
  }

  CheckedSize ScratchBytes() const override {
    return AttentionScratchBytes(spec_.heads_per_task(), spec_.key_dim(), spec_.latent_dim);
  }

  void MakeInput(const Pass& pass, const Sublayer& sublayer) const override {
    pass.NormInput(sublayer.matrix(LatentAttentionMatrix::kKvDown), sublayer.weights.norm,
                   pass.act().mixer_input);
  }

  void Run(const Pass& pass, const Sublayer& sublayer) const override {
    Activations& act = pass.act();
    const PackedLinear& o_proj = sublayer.matrix(LatentAttentionMatrix::kOutput);
    MakeQueries(pass, sublayer);
    pass.Linear(sublayer.matrix(LatentAttentionMatrix::kKvDown), act.mixer_input, pass.rows(),
                Pass::Into::kReplace, act.low_kv, spec_.key_dim());
    pass.pool().For(pass.rows(), [&](size_t r, size_t) { PlaceRow(pass, sublayer, r); });
    RunHeads(pass, key_up(sublayer), act.qkv + spec_.rope_dim, spec_.key_dim(), spec_.qkv_size());

    AttendSequences(pass, Call(pass, sublayer.spec.kv_entry), true);

    pass.pool().For(pass.rows(), [&](size_t r, size_t) {
      const float* sums = act.mixed + r * spec_.mixed_size();
      for (size_t head = 0; head < spec_.n_heads; ++head) {
        pass.RowInput(value_up(sublayer)[head], sums + head * spec_.latent_dim, r,
                      HeadRows(pass, head));
      }
    });
    float* out = act.qkv;  // which has served
    RunHeads(pass, value_up(sublayer), out, spec_.v_head_dim, spec_.out_size());
    pass.pool().For(pass.rows(), [&](size_t r, size_t) {
      pass.RowInput(o_proj, out + r * spec_.out_size(), r, act.o_input);
    });
    pass.AddToResidual(sublayer, o_proj, act.o_input);
  }

 private:
  // Of each head.
  std::span<const PackedLinear> key_up(const Sublayer& sublayer) const {
    return sublayer.weights.matrices.subspan(LatentAttentionMatrix::KeyUp(), spec_.n_heads);
  }
  std::span<const PackedLinear> value_up(const Sublayer& sublayer) const {
    return sublayer.weights.matrices.subspan(LatentAttentionMatrix::ValueUp(spec_.n_heads),
                                             spec_.n_heads);
  }
  // The rows of one head in up_input: HeldRows of the pass's.
  static InputRows HeadRows(const Pass& pass, size_t head) {
    return pass.act().up_input.Below(head * HeldRows(pass.rows()));
  }

  // out = a product of each head; that of the next one lies `next` floats behind.
  void RunHeads(const Pass& pass, std::span<const PackedLinear> linears, float* out, size_t next,
                size_t out_stride) const {
    Activations& act = pass.act();
    for (size_t head = 0; head < linears.size(); ++head) {
      act.products[head] = {&linears[head], head * HeldRows(pass.rows()), pass.rows(),
                            out + head * next};
    }
    pass.Linears({act.products.data, linears.size()}, act.up_input, out_stride);
  }

  void MakeQueries(const Pass& pass, const Sublayer& sublayer) const {
    Activations& act = pass.act();
    const PackedLinear& q_proj = sublayer.matrix(LatentAttentionMatrix::kQ);
    const size_t rank = spec_.q_rank;
    if (rank == 0) {
      pass.Linear(q_proj, act.mixer_input, pass.rows(), Pass::Into::kReplace, act.latent_q,
                  spec_.q_size());
      return;
    }
    pass.Linear(sublayer.matrix(LatentAttentionMatrix::kQDown), act.mixer_input, pass.rows(),
                Pass::Into::kReplace, act.low_q, rank);
    pass.pool().For(pass.rows(), [&](size_t r, size_t) {
      float* row = act.low_q + r * rank;
      Normalize(pass.set(), q_norm_, row, rank, row);
      pass.RowInput(q_proj, row, r, act.low_q_input);
    });
    pass.Linear(q_proj, act.low_q_input, pass.rows(), Pass::Into::kReplace, act.latent_q,
                spec_.q_size());
  }

  // The key and the value of a row, and of each head's query the part that turns; the other part
  // becomes the input of key_up.
  void PlaceRow(const Pass& pass, const Sublayer& sublayer, size_t r) const {
    const Activations& act = pass.act();
    const size_t latent = spec_.latent_dim, rope_dim = spec_.rope_dim;
    float* low = act.low_kv + r * (latent + rope_dim);
    Normalize(pass.set(), latent_norm_, low, latent, low);
    const float* q = act.latent_q + r * spec_.q_size();
    const float* q_turned = q + spec_.n_heads * spec_.nope_dim;
    float* to = act.qkv + r * spec_.qkv_size();
    for (size_t head = 0; head < spec_.n_heads; ++head, to += spec_.key_dim()) {
      std::memcpy(to, q_turned + head * rope_dim, rope_dim * sizeof(float));
      pass.RowInput(key_up(sublayer)[head], q + head * spec_.nope_dim, r, HeadRows(pass, head));
    }
    std::memcpy(to, low + latent, rope_dim * sizeof(float));
    std::memcpy(to + rope_dim, low, latent * sizeof(float));
    std::memcpy(to + spec_.key_dim(), low, latent * sizeof(float));
  }

  AttentionCall Call(const Pass& pass, size_t kv_entry) const {
    const RopeRows rope(pass, spec_.rope);
    return {
        .set = &pass.set(),
        .kv = nullptr,
        .entry = kv_entry,
        .n_kv_heads = spec_.tasks(),
        .q_per_kv = spec_.heads_per_task(),
        .head_dim = spec_.key_dim(),
        .v_head_dim = spec_.latent_dim,
        .score_scale = spec_.score_scale,
        .soft_cap = 0,
        .qkv = pass.act().qkv,
        .qkv_stride = spec_.qkv_size(),
        .rope = rope.table,
        .rope_dim = rope.dim,
        .sink_rope = rope.sink_table,
        .position = 0,
        .rows = 0,
        .out = pass.act().mixed,
        .heads_per_page = spec_.tasks(),
        .query_scale = spec_.query_scale.factor != 0 ? &spec_.query_scale : nullptr,
        .first_seen = first_seen_,
    };
  }

  LatentAttentionSpec spec_;
  const uint64_t first_seen_;
  RowNorm q_norm_;
  RowNorm latent_norm_;
};

}  // namespace

const OperatorType kLatentAttentionType = {"latent_attention", InputKind::kMixer,
                                           CreateOperator<LatentAttention>};

}  // namespace rondo
