// What a token says to each layer by itself: made once a pass, read by a sublayer of each layer.
#include "runtime/decoder/pass.h"

namespace rondo {

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
      weights.ReadLayerEmbedding(static_cast<size_t>(pass.row(r).token), layer, {own, size});
      const float scale = spec.layer_embedding_scale;
      pass.set().loops->blend(part, scale, own, scale * spec.layer_table_scale, size);
    }
  });
}

void LayerEmbeddingInput(const Pass& pass, size_t sublayer) {
  const SublayerWeights& weights = pass.weights().sublayer(sublayer);
  pass.NormInput(weights.layer_embedding.gate_proj, weights.norm, pass.act().hidden, pass.rows(),
                 pass.act().gate_up_input);
}

void RunLayerEmbedding(const Pass& pass, size_t sublayer) {
  const SublayerSpec& spec = pass.spec().sublayers[sublayer];
  const SublayerWeights& weights = pass.weights().sublayer(sublayer);
  const LayerEmbeddingWeights& w = weights.layer_embedding;
  Activations& act = pass.act();
  const size_t size = pass.spec().layer_embedding_size;
  const size_t width = pass.spec().n_layers() * size;
  pass.Linear(w.gate_proj, act.gate_up_input, pass.rows(), Pass::Into::kReplace, act.gate_up, size);
  pass.pool().For(pass.rows(), [&](size_t r, size_t thread) {
    float* gate = act.gate_up + r * size;
    const float* own = act.layer_embeddings + r * width + spec.layer_embedding.layer * size;
    ActivateGate(pass.set(), spec.layer_embedding.activation, gate, own, size,
                 pass.ScratchFloats(thread), gate);
    pass.RowInput(w.down_proj, gate, r, act.down_input);
  });
  pass.AddToResidual(spec, weights, w.down_proj, act.down_input);
}

}  // namespace rondo
