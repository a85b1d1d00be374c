// The forward pass written as plainly as possible, in double, over a ModelFile of any format: what
// the metadata of a Rondo file means, and what everything faster is held against.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/model/model_file.h"

namespace rondo {

// A tensor's values, [rows, cols].
std::vector<double> Dequantize(const ModelFile& file, uint32_t tensor);

// `file` is kept and must outlive this.
class PlainForward {
 public:
  explicit PlainForward(const ModelFile& file);

  // What attention keeps: [rows, n_kv_heads, head_dim].
  struct KeysAndValues {
    std::vector<double> keys, values;
  };
  // Logits [ids.size(), vocab_size] of one sequence from position 0. Where `hidden` is given it
  // receives [layers + 1][ids.size(), hidden_size]: the input of each layer, and at the end the
  // output of the final norm; `kept` what each layer's attention keeps.
  std::vector<double> Logits(const std::vector<uint32_t>& ids,
                             std::vector<std::vector<double>>* hidden = nullptr,
                             std::vector<KeysAndValues>* kept = nullptr) const;
  // Of the draft head: [ids.size() - 1, n_tokens], behind each token but the first. The last
  // `chained` rows read what the head made of the row before, the others what the model did.
  std::vector<double> DraftLogits(const std::vector<uint32_t>& ids, size_t chained) const;

  // Of an embedder: the vector of the text.
  std::vector<double> Vector(const std::vector<uint32_t>& ids) const;

  // Of an assistant of `model`: [n_drafts, n_tokens], behind the last ids, of which all but the
  // last n_drafts are evaluated.
  std::vector<double> AssistantLogits(const PlainForward& model, const std::vector<uint32_t>& ids,
                                      size_t n_drafts) const;

 private:
  // What attention to keys of another model adds to one row, at the position behind them.
  std::vector<double> AttendOther(const format::Attention& attention, const KeysAndValues& other,
                                  size_t position, const std::vector<double>& in) const;
  std::vector<double> RunHead(const std::vector<uint32_t>& ids, std::vector<double> before) const;
  // What a sublayer adds that shares nothing with others; `read` is what enters it, `in` its norm.
  std::vector<double> Ran(const format::Sublayer& sublayer, size_t n_rows,
                          const std::vector<double>& read, const std::vector<double>& in) const;
  // kSilu, kGelu, or else kGeluTanh.
  static double Activated(format::Activation activation, double x);
  double Activated(const format::Mlp& mlp, double x) const;  // kXielu, too
  // Of sublayers, what they add to x; `in` is what they read, after their norm.
  // Attention with keys and values of its own puts them into `kept`, the other reads them there.
  std::vector<double> Attend(const format::Attention& attention, size_t n_rows,
                             const std::vector<double>& in, KeysAndValues* kept) const;
  // By the definition: keys and values of every head are made of the latent.
  std::vector<double> AttendLatent(const format::LatentAttention& attention, size_t n_rows,
                                   const std::vector<double>& in) const;
  // [rows, layers, size] of what LayerEmbedding reads; empty where the model has none.
  std::vector<double> LayerEmbeddings(const std::vector<uint32_t>& ids,
                                      const std::vector<double>& x) const;
  std::vector<double> AddLayerEmbedding(const format::LayerEmbedding& embedding, size_t n_rows,
                                        const std::vector<double>& in,
                                        const std::vector<double>& own, size_t layer) const;
  // Several residual streams, each [rows, hidden_size].
  using Streams = std::vector<std::vector<double>>;
  Streams MakeStreams(size_t n_rows, const std::vector<double>& x) const;
  std::vector<double> Routed(const format::LayerAltUp& own, uint32_t weight, size_t n_rows,
                             const std::vector<double>& x) const;
  void Predict(const format::LayerAltUp& own, size_t n_rows, Streams* h) const;
  void Correct(const format::LayerAltUp& own, size_t n_rows, const std::vector<double>& x,
               Streams* h) const;
  std::vector<double> Joined(size_t n_rows, const Streams& h) const;
  std::vector<double> Augment(const format::Laurel& laurel, size_t n_rows,
                              const std::vector<double>& in) const;
  void Rotate(int32_t rope, size_t position, double* head) const;
  std::vector<double> Activate(const format::Mlp& mlp, size_t n_rows,
                               const std::vector<double>& in) const;
  // Of experts; `read` is what enters the sublayer, before `norm`.
  std::vector<double> Mix(const format::Experts& experts, const format::Norm& norm, size_t n_rows,
                          const std::vector<double>& read) const;
  std::vector<double> Remember(const format::GatedDeltaNet& net, size_t n_rows,
                               const std::vector<double>& in) const;
  std::vector<double> Remember(const format::Mamba2& mamba, size_t n_rows,
                               const std::vector<double>& in) const;
  std::vector<double> Convolved(const std::vector<double>& in, size_t n_rows, size_t first,
                                size_t channels, uint32_t kernel, int bias, size_t taps) const;
  std::vector<double> Normalized(const format::Norm& norm, size_t n_rows,
                                 const std::vector<double>& x) const;
  std::vector<double> Apply(const format::Linear& linear, size_t n_rows,
                            const std::vector<double>& x) const;

  const ModelFile& file_;
  std::vector<std::vector<double>> tensors_;
};

}  // namespace rondo
