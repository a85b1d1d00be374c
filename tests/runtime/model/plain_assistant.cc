// PlainForward of an assistant, as runtime/model/rondo.fbs defines it.
#include <algorithm>
#include <cmath>

#include "tests/runtime/model/plain_forward.h"

namespace rondo {
namespace {

using Values = std::vector<double>;

// Whose keys of the other model `attention` reads: the last of its kind.
size_t LayerOf(const format::Model& model, const format::Attention& attention) {
  size_t found = 0;
  for (uint32_t i = 0; i < model.layers()->size(); ++i) {
    for (const format::Sublayer* sublayer : *model.layers()->Get(i)->sublayers()) {
      const format::Attention* const other = sublayer->op_as_Attention();
      if (other != nullptr && other->kv_layer() == -1 && other->window() == attention.window()) {
        found = i;
      }
    }
  }
  return found;
}

}  // namespace

Values PlainForward::AttendOther(const format::Attention& attention, const KeysAndValues& other,
                                 size_t position, const Values& in) const {
  const size_t n_heads = attention.n_heads(), n_kv_heads = attention.n_kv_heads();
  const size_t dim = attention.head_dim(), v_dim = attention.v_head_dim();
  Values queries = Apply(*attention.qkv(), 1, in);
  if (attention.q_norm() != nullptr) queries = Normalized(*attention.q_norm(), 1, queries);
  for (size_t head = 0; head < n_heads; ++head) {
    Rotate(attention.rope(), position, &queries[head * dim]);
  }
  const size_t first =
      attention.window() == 0 ? 0 : position - std::min<size_t>(position, attention.window());
  Values mixed(n_heads * v_dim);
  for (size_t head = 0; head < n_heads; ++head) {
    const size_t kv_head = head / (n_heads / n_kv_heads);
    Values weights;
    double sum = 0;
    for (size_t row = first; row < position; ++row) {
      double score = 0;
      for (size_t i = 0; i < dim; ++i) {
        score += queries[head * dim + i] * other.keys[(row * n_kv_heads + kv_head) * dim + i];
      }
      weights.push_back(std::exp(score * attention.score_scale()));
      sum += weights.back();
    }
    for (size_t row = first; row < position; ++row) {
      for (size_t i = 0; i < v_dim; ++i) {
        mixed[head * v_dim + i] +=
            weights[row - first] / sum * other.values[(row * n_kv_heads + kv_head) * v_dim + i];
      }
    }
  }
  return Apply(*attention.output(), 1, mixed);
}

Values PlainForward::AssistantLogits(const PlainForward& model, const std::vector<uint32_t>& ids,
                                     size_t n_drafts) const {
  const format::Model& own = file_.model();
  const format::Model& other = model.file_.model();
  const size_t other_size = other.hidden_size(), position = ids.size() - n_drafts;
  std::vector<Values> hidden;
  std::vector<KeysAndValues> kept;
  model.Logits({ids.begin(), ids.begin() + static_cast<long>(position)}, &hidden, &kept);
  Values before(hidden.back().end() - static_cast<long>(other_size), hidden.back().end());
  Values logits;
  for (size_t draft = 0; draft < n_drafts; ++draft) {
    Values both;
    for (size_t i = 0; i < other_size; ++i) {
      both.push_back(model.tensors_[other.embedding()][ids[position + draft] * other_size + i] *
                     double{other.embedding_scale()});
    }
    both.insert(both.end(), before.begin(), before.end());
    Values x = Apply(*own.assistant()->input(), 1, both);
    for (const format::Layer* layer : *own.layers()) {
      for (const format::Sublayer* sublayer : *layer->sublayers()) {
        const Values in = Normalized(*sublayer->norm(), 1, x);
        const format::Attention* const attention = sublayer->op_as_Attention();
        Values out = attention != nullptr
                         ? AttendOther(*attention, kept[LayerOf(other, *attention)], position, in)
                         : Activate(*sublayer->op_as_Mlp(), 1, in);
        out = Normalized(*sublayer->post_norm(), 1, out);
        for (size_t i = 0; i < x.size(); ++i) x[i] += sublayer->factor() * out[i];
      }
      for (double& value : x) value *= tensors_[static_cast<size_t>(layer->scale())][0];
    }
    x = Normalized(*own.final_norm(), 1, x);
    before = Apply(*own.assistant()->output(), 1, x);
    const Values all = Apply(*own.head(), 1, x);
    logits.insert(logits.end(), all.begin(),
                  all.begin() + static_cast<long>(own.assistant()->n_tokens()));
  }
  return logits;
}

}  // namespace rondo
