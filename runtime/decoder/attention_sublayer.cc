// Attention as a sublayer: project, rotate, store, attend, project back.
#include <array>

#include "runtime/base/portable_math.h"
#include "runtime/decoder/attention_rounds.h"
#include "runtime/decoder/pass.h"
#include "runtime/model/operators/attention.h"
#include "runtime/weights/vectors.h"

namespace rondo {

namespace {

bool Has(const RowNorm& norm) { return norm.kind != NormKind::kNone; }

struct AttentionSpec {
  size_t n_heads = 0;
  size_t n_kv_heads = 0;
  size_t head_dim = 0;    // of queries and keys
  size_t v_head_dim = 0;  // of values
  int rope = -1;          // of the spec's, -1: none
  float score_scale = 0;
  float soft_cap = 0;                   // 0: none
  float qkv_clip = 0;                   // 0: none
  size_t window = 0;                    // tokens that a row sees, its own the last of them; 0: all
  bool chunked = false;                 // it sees those of its own chunk of `window`
  bool bidirectional = false;           // and those behind it
  bool norms_after_rope = false;        // those of q and k
  const float* alibi_slopes = nullptr;  // [n_heads], in the file; null: none
  QueryScale query_scale;
  format::GateKind gate = format::GateKind::kNone;
  bool gate_by_head = false;
  int32_t kv_layer = kOwnKeys;  // whose keys and values it reads
  bool in_window = false;       // it sees those of its own window of patches

  explicit AttentionSpec(const format::Attention& attention)
      : n_heads(attention.n_heads()),
        n_kv_heads(attention.n_kv_heads()),
        head_dim(attention.head_dim()),
        v_head_dim(attention.v_head_dim()),
        rope(attention.rope()),
        score_scale(attention.score_scale()),
        soft_cap(attention.soft_cap()),
        qkv_clip(attention.qkv_clip()),
        window(attention.chunk() > 0 ? attention.chunk() : attention.window()),
        chunked(attention.chunk() > 0),
        bidirectional(attention.bidirectional()),
        norms_after_rope(attention.norms_after_rope()),
        query_scale(QueryScaleOf(attention.query_scale())),
        gate(attention.gate()),
        gate_by_head(attention.gate_by_head()),
        kv_layer(attention.kv_layer()),
        in_window(attention.in_window()) {
    if (attention.alibi_slopes() != nullptr) alibi_slopes = attention.alibi_slopes()->data();
  }

  bool shares_kv() const { return kv_layer != kOwnKeys; }
  size_t q_per_kv() const { return n_heads / n_kv_heads; }  // query heads that share a KV head
  size_t q_size() const { return n_heads * head_dim; }
  size_t k_size() const { return n_kv_heads * head_dim; }
  size_t v_size() const { return n_kv_heads * v_head_dim; }
  size_t gate_begin() const { return q_size() + (shares_kv() ? 0 : k_size() + v_size()); }
  size_t gate_size() const {
    if (gate == format::GateKind::kNone) return 0;
    return gate_by_head ? n_heads : out_size();
  }
  size_t qkv_size() const { return gate_begin() + gate_size(); }  // with the gate
  size_t out_size() const { return n_heads * v_head_dim; }
};

class Attention final : public Operator {
 public:
  explicit Attention(const OperatorSite& site)
      : spec_(*site.sublayer.op_as_Attention()), first_seen_(site.in_draft_head() ? 1 : 0) {}

  KvLayout::Entry kv() const override {
    return {.n_kv_heads = spec_.n_kv_heads,
            .head_dim = spec_.head_dim,
            .v_head_dim = spec_.v_head_dim,
            .window = spec_.window,
            .chunked = spec_.chunked};
  }
  int32_t kv_layer() const override { return spec_.kv_layer; }
  bool sees_ahead() const override { return spec_.bidirectional; }

  Status ReadVectors(const format::Sublayer& sublayer, VectorReader& vectors) override {
    const format::Attention& attention = *sublayer.op_as_Attention();
    RONDO_ASSIGN(q_norm_, ReadNorm(vectors, attention.q_norm(), spec_.q_size()));
    RONDO_ASSIGN(k_norm_, ReadNorm(vectors, attention.k_norm(), spec_.k_size()));
    RONDO_ASSIGN(v_norm_, ReadNorm(vectors, attention.v_norm(), spec_.v_size()));
    RONDO_ASSIGN(output_norm_, ReadNorm(vectors, attention.output_norm(), spec_.out_size()));
    RONDO_ASSIGN(sink_logits_, ReadOptional(vectors, attention.sink_logits()));
    RONDO_ASSIGN(has_clips_, ReadClips(vectors, attention.clips(), clips_));
    return Status();
  }

  void Widen(const Sublayer& sublayer, const ContextWindow& window,
             Activations* act) const override {
    act->mixer_input.Widen(sublayer.matrix(AttentionMatrix::kQkv));
    act->qkv.Widen(spec_.qkv_size());
    act->mixed.Widen(spec_.out_size());
    act->WidenAttention(spec_.n_kv_heads, spec_.q_per_kv(), spec_.head_dim, spec_.v_head_dim,
                        window);
    act->o_input.Widen(sublayer.matrix(AttentionMatrix::kOutput));
  }

  CheckedSize ScratchBytes() const override {
    return AttentionScratchBytes(spec_.q_per_kv(), spec_.head_dim, spec_.v_head_dim);
  }

  // With clips each part of the product has an input of its own, made before it.
  void MakeInput(const Pass& pass, const Sublayer& sublayer) const override {
    if (has_clips_) return;
    pass.NormInput(sublayer.matrix(AttentionMatrix::kQkv), sublayer.weights.norm,
                   pass.act().mixer_input);
  }

  void Run(const Pass& pass, const Sublayer& sublayer) const override {
    Activations& act = pass.act();
    const PackedLinear& o_proj = sublayer.matrix(AttentionMatrix::kOutput);
    Project(pass, sublayer, kQ, pass.stored() ? kQ : kGate);
    NormalizeHeads(pass, true, !pass.stored());
    AttendSequences(pass, Call(pass, sublayer.spec.kv_entry), !spec_.shares_kv() && !pass.stored());
    pass.pool().For(pass.rows(), [&](size_t r, size_t) {
      float* out = act.mixed + r * spec_.out_size();
      FinishHeads(pass, act.qkv + r * spec_.qkv_size() + spec_.gate_begin(), out);
      if (has_clips_) {
        const Range& held = clips_[kOutput].input;
        pass.set().loops->clamp(out, held.least, held.most, spec_.out_size(), out);
      }
      pass.RowInput(o_proj, out, r, act.o_input);
    });
    pass.AddToResidual(sublayer, o_proj, act.o_input,
                       has_clips_ ? &clips_[kOutput].output : nullptr);
  }

  void Store(const Pass& pass, const Sublayer& sublayer) const override {
    Project(pass, sublayer, kK, kV);
    NormalizeHeads(pass, false, true);
    StoreSequences(pass, Call(pass, sublayer.spec.kv_entry));
  }

 private:
  // Parts of the product, in their order, and of clips.
  enum Part : size_t { kQ, kK, kV, kGate, kOutput = kGate };

  size_t BeginOf(size_t part) const {
    const size_t begins[] = {0, spec_.q_size(), spec_.q_size() + spec_.k_size(), spec_.gate_begin(),
                             spec_.qkv_size()};
    return begins[part];
  }

  // Up to the part `last`.
  void Project(const Pass& pass, const Sublayer& sublayer, Part first, Part last) const {
    const PackedLinear& qkv = sublayer.matrix(AttentionMatrix::kQkv);
    const Activations& act = pass.act();
    if (!has_clips_) {
      pass.LinearPart(qkv, act.mixer_input, BeginOf(first), BeginOf(last + size_t{1}), act.qkv,
                      spec_.qkv_size());
      return;
    }
    for (size_t part = first; part <= last && part < kGate; ++part) {
      pass.NormInput(qkv, sublayer.weights.norm, act.mixer_input, &clips_[part].input);
      pass.LinearPart(qkv, act.mixer_input, BeginOf(part), BeginOf(part + 1), act.qkv,
                      spec_.qkv_size(), &clips_[part].output);
    }
  }

  // What some models do to q, and to k and v, before RoPE.
  void NormalizeHeads(const Pass& pass, bool queries, bool keys) const {
    const bool q_and_k = !spec_.norms_after_rope && (Has(q_norm_) || Has(k_norm_));
    if (!q_and_k && !Has(v_norm_) && spec_.qkv_clip == 0) return;
    keys = keys && !spec_.shares_kv();
    pass.pool().For(pass.rows(), [&](size_t r, size_t) {
      float* q = pass.act().qkv + r * spec_.qkv_size();
      float* k = q + spec_.q_size();
      float* v = k + spec_.k_size();
      if (q_and_k && queries) Normalize(pass.set(), q_norm_, q, spec_.q_size(), q);
      if (q_and_k && keys) Normalize(pass.set(), k_norm_, k, spec_.k_size(), k);
      if (keys && Has(v_norm_)) Normalize(pass.set(), v_norm_, v, spec_.v_size(), v);
      if (spec_.qkv_clip == 0) return;
      float* begin = queries ? q : k;
      const float* end = keys ? q + spec_.gate_begin() : k;
      pass.set().loops->clamp(begin, -spec_.qkv_clip, spec_.qkv_clip,
                              static_cast<size_t>(end - begin), begin);
    });
  }

  // What becomes of a row of the heads' outputs before o_proj; `gate` is its part of qkv, and
  // scratch.
  void FinishHeads(const Pass& pass, float* gate, float* out) const {
    const size_t n = spec_.gate_size();
    if (spec_.gate == format::GateKind::kSigmoid) {
      pass.set().sigmoid(n * sizeof(float), gate, gate, nullptr);
    } else if (spec_.gate == format::GateKind::kSoftplus) {
      for (size_t i = 0; i < n; ++i) gate[i] = static_cast<float>(Softplus(gate[i]));
    }
    if (n == spec_.out_size()) {
      pass.set().multiply(n * sizeof(float), out, gate, out, nullptr);
    } else {
      for (size_t head = 0; head < n; ++head) {
        float* its = out + head * spec_.v_head_dim;
        pass.set().loops->scale(its, gate[head], spec_.v_head_dim, its);
      }
    }
    if (Has(output_norm_)) Normalize(pass.set(), output_norm_, out, spec_.out_size(), out);
  }

  AttentionCall Call(const Pass& pass, size_t kv_entry) const {
    const RopeRows rope(pass, spec_.rope);
    const auto after_rope = [&](const RowNorm& norm) {
      return spec_.norms_after_rope && Has(norm) ? &norm : nullptr;
    };
    return {
        .set = &pass.set(),
        .kv = nullptr,
        .entry = kv_entry,
        .n_kv_heads = spec_.n_kv_heads,
        .q_per_kv = spec_.q_per_kv(),
        .head_dim = spec_.head_dim,
        .v_head_dim = spec_.v_head_dim,
        .score_scale = spec_.score_scale,
        .soft_cap = spec_.soft_cap,
        .qkv = pass.act().qkv,
        .qkv_stride = spec_.qkv_size(),
        .rope = rope.table,
        .rope_dim = rope.dim,
        .sink_rope = rope.sink_table,
        .position = 0,
        .rows = 0,
        .out = pass.act().mixed,
        .q_norm = after_rope(q_norm_),
        .k_norm = after_rope(k_norm_),
        .query_scale = spec_.query_scale.factor != 0 ? &spec_.query_scale : nullptr,
        .alibi_slopes = spec_.alibi_slopes,
        .sink_logits = sink_logits_,
        .first_seen = first_seen_,
        .bidirectional = spec_.bidirectional,
        .in_window = spec_.in_window,
    };
  }

  const AttentionSpec spec_;
  const uint64_t first_seen_;
  RowNorm q_norm_;
  RowNorm k_norm_;
  RowNorm v_norm_;
  RowNorm output_norm_;
  const float* sink_logits_ = nullptr;  // [n_heads], in the file; null: none
  bool has_clips_ = false;
  std::array<Clip, kOutput + 1> clips_ = {};
};

}  // namespace

const OperatorType kAttentionType = {"attention", InputKind::kMixer, CreateOperator<Attention>};

}  // namespace rondo
