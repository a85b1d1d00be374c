// What a token says to each layer by itself: made once a pass, read by a sublayer of each layer.
#include "runtime/model/operators/layer_embedding.h"
#include "runtime/decoder/pass.h"

namespace rondo {

namespace {

// Rows of inputs get what the padding token gets, as in the models that have these (Gemma 3n, 4).
constexpr int32_t kTokenOfInputs = 0;

}  // namespace

void MakeLayerEmbeddings(const Pass& pass) {
  const DecoderSpec& spec = pass.spec();
  const Weights& weights = pass.weights();
  Activations& act = pass.act();
  const size_t size = spec.layer_embedding_size, width = spec.n_layers() * size;
  pass.Linear(weights.layer_projection(), act.layer_projection_input, pass.rows(),
              Pass::Into::kReplace, act.layer_embeddings, width);
  pass.pool().For(pass.rows(), [&](size_t r, size_t thread) {
    float* own = pass.ScratchFloats(thread);
    for (size_t layer = 0; layer < spec.n_layers(); ++layer) {
      float* part = act.layer_embeddings + r * width + layer * size;
      Normalize(pass.set(), weights.layer_embedding_norm(), part, size, part);
      const InputKey key = pass.row(r).key;
      const int32_t token = key.is_row() ? kTokenOfInputs : key.token();
      weights.ReadLayerEmbedding(static_cast<size_t>(token), layer, {own, size});
      const float scale = spec.layer_embedding_scale;
      pass.set().loops->blend(part, scale, own, scale * spec.layer_table_scale, size);
    }
  });
}

namespace {

class LayerEmbedding final : public Operator {
 public:
  explicit LayerEmbedding(const OperatorSite& site)
      : layer_(site.layer),
        size_(site.model.layer_embedding_size),
        activation_(site.sublayer.op_as_LayerEmbedding()->activation()) {}

  void Widen(const Sublayer& sublayer, const ContextWindow& /*window*/,
             Activations* act) const override {
    act->gate_up_input.Widen(sublayer.matrix(LayerEmbeddingMatrix::kGate));
    act->gate_up.Widen(size_);
    act->down_input.Widen(sublayer.matrix(LayerEmbeddingMatrix::kDown));
  }

  void MakeInput(const Pass& pass, const Sublayer& sublayer) const override {
    pass.NormInput(sublayer.matrix(LayerEmbeddingMatrix::kGate), sublayer.weights.norm,
                   pass.act().gate_up_input);
  }

  void Run(const Pass& pass, const Sublayer& sublayer) const override {
    const PackedLinear& down = sublayer.matrix(LayerEmbeddingMatrix::kDown);
    Activations& act = pass.act();
    const size_t width = pass.spec().n_layers() * size_;
    pass.Linear(sublayer.matrix(LayerEmbeddingMatrix::kGate), act.gate_up_input, pass.rows(),
                Pass::Into::kReplace, act.gate_up, size_);
    pass.pool().For(pass.rows(), [&](size_t r, size_t thread) {
      float* gate = act.gate_up + r * size_;
      const float* own = act.layer_embeddings + r * width + layer_ * size_;
      ActivateGate(pass.set(), activation_, gate, own, size_, pass.ScratchFloats(thread), gate);
      pass.RowInput(down, gate, r, act.down_input);
    });
    pass.AddToResidual(sublayer, down, act.down_input);
  }

 private:
  const size_t layer_;
  const size_t size_;  // of a layer's part
  const Activation activation_;
};

}  // namespace

const OperatorType kLayerEmbeddingType = {"layer_embedding", InputKind::kMlp,
                                          CreateOperator<LayerEmbedding>};

}  // namespace rondo
