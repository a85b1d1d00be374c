#include <cmath>

#include "tools/convert/architectures/sublayers/sublayer_builder.h"

namespace rondo::convert {
namespace {

// The runtime turns channel i with i + half: the rows of heads, of so many channels each, are taken
// in that order. `turned`: how many of these turn; rows from `n_rows` on stay as they are.
std::vector<TensorRecipe::Part> Turned(const Family& f, uint64_t turned, uint64_t channels,
                                       uint64_t n_rows, std::vector<uint64_t> shape,
                                       const std::vector<TensorRecipe::Part>& parts) {
  if (turned == 0 || f.rope_pairs == Family::RopePairs::kHalves) return parts;
  const bool neighbours = f.rope_pairs == Family::RopePairs::kNeighbours;
  std::vector<TensorRecipe::Part> result;
  for (const TensorRecipe::Part& part : parts) {
    const auto add = [&](uint64_t first, uint64_t rows, uint64_t step) {
      if (rows == 0) return;
      TensorRecipe::Part& one = result.emplace_back(part);
      if (part.shape.empty()) one.shape = shape;
      if (part.shape.empty()) one.shape.front() = part.rows;
      one.first_row += first;
      one.rows = rows;
      one.row_step = step;
    };
    uint64_t row = 0;
    for (; row < part.rows && n_rows > 0; row += channels, n_rows -= channels) {
      add(row + (neighbours ? 0 : turned / 2), turned / 2, neighbours ? 2 : 1);
      add(row + (neighbours ? 1 : 0), turned / 2, neighbours ? 2 : 1);
      add(row + turned, channels - turned, 1);
    }
    add(row, part.rows - row, 1);
  }
  return result;
}

uint64_t TurnedChannels(const Family& f, const format::AttentionT& a) {
  return a.rope < 0 ? 0 : 2 * f.ropes[static_cast<size_t>(a.rope)].frequencies.size();
}

// Of q or k: the runtime has a weight for every channel of every head.
std::unique_ptr<format::NormT> HeadNorm(SublayerBuilder& b, const std::string& name,
                                        const std::string& source, uint32_t n_heads,
                                        const format::AttentionT& attention) {
  const Family& f = b.family();
  const uint32_t head_dim = attention.head_dim;
  if (f.head_norm == Family::HeadNorm::kNone) return nullptr;
  if (!f.layer_head_norm.empty() && !f.layer_head_norm[b.layer()]) return nullptr;
  if (f.head_norm == Family::HeadNorm::kPlain) {
    auto plain = b.PlainNorm(name, uint64_t{n_heads} * head_dim);
    plain->group = head_dim;
    return plain;
  }
  std::vector<TensorRecipe::Part> weights, biases;
  const bool whole = f.head_norm == Family::HeadNorm::kWhole;
  const bool stacked = f.head_norm == Family::HeadNorm::kStacked;
  for (uint32_t head = 0; head < (whole || stacked ? 1 : n_heads); ++head) {
    std::string tensor = source;
    if (f.head_norm == Family::HeadNorm::kPerHead) tensor += ".norms." + std::to_string(head);
    const uint64_t size = uint64_t{whole || stacked ? n_heads : 1} * head_dim;
    weights.push_back({tensor + ".weight", size});
    biases.push_back({tensor + ".bias", size});
    if (stacked) weights.back().shape = biases.back().shape = {n_heads, head_dim};
  }
  const auto turned = [&](const std::vector<TensorRecipe::Part>& parts) {
    return Turned(f, TurnedChannels(f, attention), head_dim, uint64_t{n_heads} * head_dim, {0},
                  parts);
  };
  auto norm = b.NormOf(name, turned(weights), turned(biases), f.head_norm_bias, 1);
  norm->group = whole ? 0 : head_dim;
  return norm;
}

// The layer's own number, or the one of all layers.
template <typename T, typename All>
T OfLayer(const SublayerBuilder& b, const std::vector<T>& layers, All all) {
  return layers.empty() ? static_cast<T>(all) : layers[b.layer()];
}

std::unique_ptr<format::LinearT> Qkv(SublayerBuilder& b, const format::AttentionT& a) {
  const Family& f = b.family();
  const Sizes& s = b.sizes();
  const uint64_t dim = a.head_dim;
  const uint64_t q_rows = a.n_heads * dim, k_rows = a.n_kv_heads * dim;
  const uint64_t v_rows = uint64_t{a.n_kv_heads} * a.v_head_dim;
  const uint64_t rows = q_rows + k_rows + v_rows;
  std::vector<TensorRecipe::Part> parts;
  // Of each head so many rows of `source`, from the `first`-th of its `all`.
  const auto by_head = [&](const std::string& source, uint64_t first, uint64_t all) {
    for (uint64_t head = 0; head < a.n_heads; ++head) {
      parts.push_back({source, dim, (all * head + first) * dim, {all * q_rows, s.hidden}});
    }
  };
  switch (f.qkv) {
    case Family::Qkv::kApart:
      if (f.gate_form == Family::Gate::kBehindQ) {
        by_head(b.source() + f.q, 0, 2);
      } else {
        parts.push_back({b.source() + f.q, q_rows});
      }
      if (a.kv_layer < 0) {
        parts.push_back({b.source() + f.k, k_rows});
        parts.push_back({b.source() + (OfLayer(b, f.layer_v_is_k, false) ? f.k : f.v), v_rows});
        parts[parts.size() - 2].scale = f.k_factor;
      }
      for (TensorRecipe::Part& part : parts) part.scale *= f.qkv_factor;
      break;
    case Family::Qkv::kStacked:
      parts = {{b.source() + f.q, rows}};
      break;
    case Family::Qkv::kByHead:  // head by head: its q, its k, its v
      for (uint64_t part = 0; part < 3; ++part) by_head(b.source() + f.q, part, 3);
      break;
    case Family::Qkv::kByRow:
      for (uint32_t part = 0; part < 3; ++part) {
        for (uint32_t head = 0; head < (part == 0 ? a.n_heads : a.n_kv_heads); ++head) {
          parts.push_back({b.source() + f.q, dim, f.first_row(part, head), {rows, s.hidden}});
        }
      }
      break;
  }
  const uint64_t n_turned = q_rows + (a.kv_layer < 0 ? k_rows : 0);
  parts = Turned(f, TurnedChannels(f, a), dim, n_turned, {0, s.hidden}, parts);
  if (f.gate_form == Family::Gate::kBehindQ) by_head(b.source() + f.q, 1, 2);
  const bool gate_apart = f.gate_form == Family::Gate::kApart;
  const uint64_t gate_rows = uint64_t{a.n_heads} * (f.gate_by_head ? 1 : a.v_head_dim);
  if (gate_apart) parts.push_back({b.source() + f.attention_gate, gate_rows});
  auto linear = b.Linear(b.name() + "attention.qkv", parts, s.hidden, f.qkv_bias);
  if (gate_apart && f.qkv_bias) {
    TensorRecipe::Part zeros = {"", gate_rows};
    zeros.scale = 0;
    b.spec().tensors[static_cast<size_t>(linear->bias)].parts.back() = zeros;
  }
  return linear;
}

}  // namespace

format::AttentionT BuildAttention(SublayerBuilder& b) {
  const Family& f = b.family();
  const Sizes& s = b.sizes();
  format::AttentionT attention;
  attention.n_heads = OfLayer(b, f.layer_heads, s.n_heads);
  attention.n_kv_heads = OfLayer(b, f.layer_kv_heads, s.n_kv_heads);
  attention.head_dim = OfLayer(b, f.layer_head_dim, s.head_dim);
  attention.v_head_dim = f.v_head_dim > 0 ? f.v_head_dim : attention.head_dim;
  attention.rope = OfLayer(b, f.layer_rope, f.ropes.empty() ? -1 : 0);
  attention.window = OfLayer(b, f.layer_window, 0);
  attention.chunk = OfLayer(b, f.layer_chunk, 0);
  attention.score_scale =
      OfLayer(b, f.layer_scale, 1.0 / std::sqrt(static_cast<double>(attention.head_dim)));
  attention.soft_cap = f.soft_cap;
  attention.qkv_clip = f.qkv_clip;
  attention.kv_layer = OfLayer(b, f.layer_kv_layer, -1);
  attention.alibi_slopes = f.alibi_slopes;
  if (!f.layer_query_scale.empty() && f.layer_query_scale[b.layer()].factor != 0) {
    attention.query_scale = std::make_unique<format::QueryScaleT>(f.layer_query_scale[b.layer()]);
  }
  if (f.gate_form != Family::Gate::kNone) {
    attention.gate = f.gate_kind;
    attention.gate_by_head = f.gate_by_head;
  }
  if (!f.sinks.empty()) {
    attention.sink_logits =
        static_cast<int32_t>(b.spec().Add({b.name() + "attention.sinks",
                                           TensorRole::kVector,
                                           {{b.source() + f.sinks, attention.n_heads}},
                                           1}));
  }
  attention.qkv = Qkv(b, attention);
  attention.norms_after_rope = f.head_norm_after_rope;
  const std::string name = b.name() + "attention.";
  attention.q_norm =
      HeadNorm(b, name + "q_norm", b.source() + f.q_norm, attention.n_heads, attention);
  if (attention.kv_layer < 0) {
    attention.k_norm =
        HeadNorm(b, name + "k_norm", b.source() + f.k_norm, attention.n_kv_heads, attention);
    if (f.v_norm) {
      attention.v_norm =
          b.PlainNorm(name + "v_norm", uint64_t{attention.n_kv_heads} * attention.v_head_dim);
      attention.v_norm->group = attention.v_head_dim;
    }
  }
  const uint64_t width = uint64_t{attention.n_heads} * attention.v_head_dim;
  if (!f.output_norm.empty()) {
    const std::string source = b.source() + f.output_norm;
    attention.output_norm = b.NormOf(name + "output_norm", {{source + ".weight", width}},
                                     {{source + ".bias", width}}, f.norm_bias, 1);
  }
  attention.output = b.Linear(name + "output", {{b.source() + f.output, s.hidden}}, width,
                              f.output_bias, f.residual_scale * f.attention_factor);
  return attention;
}

}  // namespace rondo::convert
