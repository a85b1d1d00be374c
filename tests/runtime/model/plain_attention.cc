// PlainForward's attention, as runtime/model/rondo.fbs defines it.
#include <algorithm>
#include <cmath>

#include "tests/runtime/model/plain_forward.h"

namespace rondo {
namespace {

using Values = std::vector<double>;

// Columns [begin, begin + size) of rows.
Values Columns(const Values& all, size_t n_rows, size_t begin, size_t size) {
  const size_t width = all.size() / n_rows;
  Values part;
  for (size_t row = 0; row < n_rows; ++row) {
    const auto first = all.begin() + static_cast<long>(row * width + begin);
    part.insert(part.end(), first, first + static_cast<long>(size));
  }
  return part;
}

double QueryFactor(const format::QueryScale* scale, size_t position) {
  if (scale == nullptr) return 1;
  return 1 +
         double{scale->factor()} *
             std::log(1.0 + static_cast<double>((position + scale->offset()) / scale->period()));
}

bool Sees(const format::Attention& attention, size_t row, size_t other) {
  if (other > row && !attention.bidirectional()) return false;
  const size_t distance = other > row ? other - row : row - other;
  if (attention.window() > 0 && distance >= attention.window()) return false;
  return attention.chunk() == 0 || row / attention.chunk() == other / attention.chunk();
}

double Gate(format::GateKind kind, double x) {
  return kind == format::GateKind::kSigmoid ? 1 / (1 + std::exp(-x)) : std::log1p(std::exp(x));
}

// Weights of the scores, of which those not seen are minus infinity; beside a logit without value.
void Softmax(double sink, Values* scores) {
  double largest = sink, sum = 0;
  for (const double score : *scores) largest = std::max(largest, score);
  for (double& score : *scores) sum += score = std::exp(score - largest);
  for (double& score : *scores) score /= sum + std::exp(sink - largest);
}

}  // namespace

void PlainForward::Rotate(int32_t rope, size_t position, double* head) const {
  if (rope < 0) return;
  const format::Rope& its = *file_.model().ropes()->Get(static_cast<uint32_t>(rope));
  const size_t half = its.frequencies()->size();
  for (size_t i = 0; i < half; ++i) {
    const double angle =
        static_cast<double>(position) * its.frequencies()->Get(static_cast<uint32_t>(i));
    const double c = std::cos(angle) * its.scale(), s = std::sin(angle) * its.scale();
    const double a = head[i], b = head[i + half];
    head[i] = a * c - b * s;
    head[i + half] = b * c + a * s;
  }
}

Values PlainForward::Attend(const format::Attention& attention, size_t n_rows, const Values& in,
                            KeysAndValues* kept) const {
  const size_t dim = attention.head_dim(), n_heads = attention.n_heads();
  const size_t n_kv_heads = attention.n_kv_heads(), v_dim = attention.v_head_dim();
  const Values qkv = Apply(*attention.qkv(), n_rows, in);
  size_t begin = 0;
  const auto take = [&](size_t size) {
    Values part = Columns(qkv, n_rows, begin, size);
    begin += size;
    return part;
  };
  // Of queries or keys.
  const auto turn = [&](const format::Norm* norm, Values heads) {
    if (norm != nullptr && !attention.norms_after_rope()) heads = Normalized(*norm, n_rows, heads);
    const size_t width = heads.size() / n_rows;
    for (size_t i = 0; i < heads.size(); i += dim) Rotate(attention.rope(), i / width, &heads[i]);
    if (norm != nullptr && attention.norms_after_rope()) heads = Normalized(*norm, n_rows, heads);
    return heads;
  };
  const Values queries = turn(attention.q_norm(), take(n_heads * dim));
  if (attention.kv_layer() < 0) {
    kept->keys = turn(attention.k_norm(), take(n_kv_heads * dim));
    kept->values = take(n_kv_heads * v_dim);
    if (attention.v_norm() != nullptr) {
      kept->values = Normalized(*attention.v_norm(), n_rows, kept->values);
    }
  }
  Values mixed(n_rows * n_heads * v_dim);
  for (size_t row = 0; row < n_rows; ++row) {
    for (size_t head = 0; head < n_heads; ++head) {
      const size_t kv_head = head / (n_heads / n_kv_heads);
      const double* q = &queries[(row * n_heads + head) * dim];
      Values scores(n_rows, -INFINITY);
      for (size_t other = 0; other < n_rows; ++other) {
        if (!Sees(attention, row, other)) continue;
        const double* k = &kept->keys[(other * n_kv_heads + kv_head) * dim];
        double score = 0;
        for (size_t i = 0; i < dim; ++i) score += q[i] * k[i];
        score *= attention.score_scale() * QueryFactor(attention.query_scale(), row);
        if (const double cap = attention.soft_cap(); cap > 0) score = cap * std::tanh(score / cap);
        if (attention.alibi_slopes() != nullptr) {
          score -= double{attention.alibi_slopes()->Get(static_cast<uint32_t>(head))} *
                   static_cast<double>(row - other);
        }
        scores[other] = score;
      }
      const int32_t sinks = attention.sink_logits();
      Softmax(sinks < 0 ? -INFINITY : tensors_[static_cast<size_t>(sinks)][head], &scores);
      for (size_t other = 0; other < n_rows; ++other) {
        const double* v = &kept->values[(other * n_kv_heads + kv_head) * v_dim];
        for (size_t i = 0; i < v_dim; ++i) {
          mixed[(row * n_heads + head) * v_dim + i] += scores[other] * v[i];
        }
      }
    }
  }
  if (attention.gate() != format::GateKind::kNone) {
    const size_t by = attention.gate_by_head() ? v_dim : 1;
    const Values gate = take(n_heads * v_dim / by);
    for (size_t i = 0; i < mixed.size(); ++i) mixed[i] *= Gate(attention.gate(), gate[i / by]);
  }
  if (attention.output_norm() != nullptr) {
    mixed = Normalized(*attention.output_norm(), n_rows, mixed);
  }
  return Apply(*attention.output(), n_rows, mixed);
}

Values PlainForward::AttendLatent(const format::LatentAttention& attention, size_t n_rows,
                                  const Values& in) const {
  const size_t n_heads = attention.n_heads(), latent_dim = attention.latent_dim();
  const size_t nope_dim = attention.nope_dim(), rope_dim = attention.rope_dim();
  const size_t v_dim = attention.v_head_dim();
  Values low = in;
  if (attention.q_down() != nullptr) {
    low = Apply(*attention.q_down(), n_rows, in);
    if (attention.q_norm() != nullptr) low = Normalized(*attention.q_norm(), n_rows, low);
  }
  const Values q = Apply(*attention.q(), n_rows, low);
  const Values kv = Apply(*attention.kv_down(), n_rows, in);
  Values latent = Columns(kv, n_rows, 0, latent_dim);
  if (attention.latent_norm() != nullptr) {
    latent = Normalized(*attention.latent_norm(), n_rows, latent);
  }
  Values k_turned = Columns(kv, n_rows, latent_dim, rope_dim);
  for (size_t row = 0; row < n_rows; ++row) {
    Rotate(attention.rope(), row, &k_turned[row * rope_dim]);
  }
  Values mixed(n_rows * n_heads * v_dim);
  for (size_t head = 0; head < n_heads; ++head) {
    const auto index = static_cast<uint32_t>(head);
    const Values& key_up = tensors_[attention.key_up()->Get(index)->weight()];
    Values keys(n_rows * nope_dim);
    for (size_t row = 0; row < n_rows; ++row) {
      for (size_t i = 0; i < latent_dim; ++i) {
        for (size_t d = 0; d < nope_dim; ++d) {
          keys[row * nope_dim + d] += key_up[i * nope_dim + d] * latent[row * latent_dim + i];
        }
      }
    }
    const Values values = Apply(*attention.value_up()->Get(index), n_rows, latent);
    const Values q_plain = Columns(q, n_rows, head * nope_dim, nope_dim);
    Values q_turned = Columns(q, n_rows, n_heads * nope_dim + head * rope_dim, rope_dim);
    for (size_t row = 0; row < n_rows; ++row) {
      Rotate(attention.rope(), row, &q_turned[row * rope_dim]);
      Values scores(row + 1);
      for (size_t other = 0; other <= row; ++other) {
        for (size_t d = 0; d < nope_dim; ++d) {
          scores[other] += q_plain[row * nope_dim + d] * keys[other * nope_dim + d];
        }
        for (size_t d = 0; d < rope_dim; ++d) {
          scores[other] += q_turned[row * rope_dim + d] * k_turned[other * rope_dim + d];
        }
        scores[other] *= attention.score_scale() * QueryFactor(attention.query_scale(), row);
      }
      Softmax(-INFINITY, &scores);
      for (size_t other = 0; other <= row; ++other) {
        for (size_t d = 0; d < v_dim; ++d) {
          mixed[(row * n_heads + head) * v_dim + d] += scores[other] * values[other * v_dim + d];
        }
      }
    }
  }
  return Apply(*attention.output(), n_rows, mixed);
}

Values PlainForward::LayerEmbeddings(const std::vector<uint32_t>& ids, const Values& x) const {
  const format::LayerEmbeddings* all = file_.model().layer_embeddings();
  if (all == nullptr) return {};
  const size_t size = all->size(), n_layers = file_.model().layers()->size();
  Values own = Apply(*all->projection(), ids.size(), x);
  if (all->norm() != nullptr) own = Normalized(*all->norm(), ids.size() * n_layers, own);
  const Values& table = tensors_[all->table()];
  for (size_t row = 0; row < ids.size(); ++row) {
    const size_t width = n_layers * size;
    const size_t token = ids[row] < table.size() / width ? ids[row] : 0;
    for (size_t i = 0; i < width; ++i) {
      double& value = own[row * width + i];
      value = all->scale() * (value + all->table_scale() * table[token * width + i]);
    }
  }
  return own;
}

Values PlainForward::AddLayerEmbedding(const format::LayerEmbedding& embedding, size_t n_rows,
                                       const Values& in, const Values& own, size_t layer) const {
  const size_t size = file_.model().layer_embeddings()->size();
  Values gate = Apply(*embedding.gate(), n_rows, in);
  const Values its = Columns(own, n_rows, layer * size, size);
  for (size_t i = 0; i < gate.size(); ++i) {
    gate[i] = Activated(embedding.activation(), gate[i]) * its[i];
  }
  return Apply(*embedding.down(), n_rows, gate);
}

}  // namespace rondo
