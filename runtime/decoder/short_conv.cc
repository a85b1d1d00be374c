// The gated short convolution as a sublayer (LFM2): what earlier positions put in is read from the
// KV blocks, where it lies like a cache of keys.
#include <algorithm>

#include "runtime/decoder/pass.h"
#include "runtime/model/operators/short_conv.h"
#include "runtime/weights/vectors.h"

namespace rondo {

namespace {

// Where b * x of a position is kept, [channels].
float* Kept(const SequenceRows& sequence, size_t entry, uint64_t position, size_t channels) {
  uint8_t* page = sequence.kv->Page(ContextWindow::Block(position), entry, 0);
  return reinterpret_cast<float*>(page) + position % kKvBlockTokens * channels;
}

class ShortConv final : public Operator {
 public:
  explicit ShortConv(const OperatorSite& site)
      : channels_(site.model.hidden_size), taps_(site.sublayer.op_as_ShortConv()->taps()) {}

  KvLayout::Entry kv() const override { return {.floats = channels_, .window = taps_}; }

  Status ReadVectors(const format::Sublayer& sublayer, VectorReader& vectors) override {
    const format::ShortConv& conv = *sublayer.op_as_ShortConv();
    RONDO_ASSIGN(kernel_, vectors.Read(conv.kernel()));
    RONDO_ASSIGN(bias_, ReadOptional(vectors, conv.bias()));
    return Status();
  }

  void Widen(const Sublayer& sublayer, const ContextWindow& /*window*/,
             Activations* act) const override {
    act->mixer_input.Widen(sublayer.matrix(ShortConvMatrix::kInput));
    act->qkv.Widen(3 * channels_);
    act->mixed.Widen(channels_);
    act->o_input.Widen(sublayer.matrix(ShortConvMatrix::kOutput));
  }

  void MakeInput(const Pass& pass, const Sublayer& sublayer) const override {
    pass.NormInput(sublayer.matrix(ShortConvMatrix::kInput), sublayer.weights.norm,
                   pass.act().mixer_input);
  }

  // mixed = c * (bias + the sum over taps of kernel * b * x), the position's own tap last.
  void Run(const Pass& pass, const Sublayer& sublayer) const override {
    const PackedLinear& out_proj = sublayer.matrix(ShortConvMatrix::kOutput);
    const KernelSet& set = pass.set();
    const size_t n = channels_, entry = sublayer.spec.kv_entry;
    Activations& act = pass.act();
    pass.Linear(sublayer.matrix(ShortConvMatrix::kInput), act.mixer_input, pass.rows(),
                Pass::Into::kReplace, act.qkv, 3 * n);

    pass.pool().For(pass.rows(), [&](size_t r, size_t) {
      const PassRow& row = pass.row(r);
      if (row.sequence->dropped()) return;
      const float* b = act.qkv + r * 3 * n;
      set.multiply(n * sizeof(float), b, b + 2 * n, Kept(*row.sequence, entry, row.position, n),
                   nullptr);
    });
    pass.pool().For(pass.rows(), [&](size_t r, size_t) {
      const PassRow& row = pass.row(r);
      float* out = act.mixed + r * n;
      if (bias_ != nullptr) {
        std::copy_n(bias_, n, out);
      } else {
        std::fill_n(out, n, 0.0f);
      }
      for (size_t t = 0; t < taps_ && !row.sequence->dropped(); ++t) {
        const uint64_t back = taps_ - 1 - t;
        if (back > row.position) continue;  // before the text there is nothing
        set.loops->multiply_add(out, kernel_ + t * n,
                                Kept(*row.sequence, entry, row.position - back, n), n);
      }
      set.multiply(n * sizeof(float), out, act.qkv + (r * 3 + 1) * n, out, nullptr);
      pass.RowInput(out_proj, out, r, act.o_input);
    });
    pass.AddToResidual(sublayer, out_proj, act.o_input);
  }

 private:
  const size_t channels_;
  const size_t taps_;
  const float* kernel_ = nullptr;  // [taps, channels], in the file
  const float* bias_ = nullptr;    // [channels], in the file; null: none
};

}  // namespace

const OperatorType kShortConvType = {"short_conv", InputKind::kMixer, CreateOperator<ShortConv>};

}  // namespace rondo
