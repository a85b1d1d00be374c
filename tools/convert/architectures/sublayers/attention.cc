#include "tools/convert/architectures/sublayers/attention.h"

#include "runtime/model/operators/attention.h"
#include "tools/convert/architectures/sublayers/sublayer_builder.h"

namespace rondo::convert {
namespace {

// The runtime turns channel i with i + half: the rows of heads, of so many channels each, are taken
// in that order. `turned`: how many of these turn; rows from `n_rows` on stay as they are.
std::vector<TensorRecipe::Part> Turned(RopePairs pairs, uint64_t turned, uint64_t channels,
                                       uint64_t n_rows, std::vector<uint64_t> shape,
                                       const std::vector<TensorRecipe::Part>& parts) {
  if (turned == 0 || pairs == RopePairs::kHalves) return parts;
  const bool neighbours = pairs == RopePairs::kNeighbours;
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
      if (pairs == RopePairs::kQuarters) {
        const uint64_t quarter = turned / 4;
        for (const uint64_t which : {0, 2, 1, 3}) add(row + which * quarter, quarter, 1);
        add(row + turned, channels - turned, 1);
        continue;
      }
      add(row + (neighbours ? 0 : turned / 2), turned / 2, neighbours ? 2 : 1);
      add(row + (neighbours ? 1 : 0), turned / 2, neighbours ? 2 : 1);
      add(row + turned, channels - turned, 1);
    }
    add(row, part.rows - row, 1);
  }
  return result;
}

uint64_t TurnedChannels(const SublayerBuilder& b, const Attention& a) {
  return a.rope < 0 ? 0 : 2 * b.family().ropes[static_cast<size_t>(a.rope)].frequencies.size();
}

// Of q or k: the runtime has a weight for every channel of every head.
std::unique_ptr<format::NormT> NormOfHeads(SublayerBuilder& b, const std::string& name,
                                           const std::string& source, uint32_t n_heads,
                                           const Attention& a) {
  const uint32_t head_dim = a.head_dim;
  if (a.head_norm == HeadNorm::kNone) return nullptr;
  if (a.head_norm == HeadNorm::kPlain) {
    auto plain = b.PlainNorm(name, uint64_t{n_heads} * head_dim);
    plain->group = head_dim;
    return plain;
  }
  std::vector<TensorRecipe::Part> weights, biases;
  const bool whole = a.head_norm == HeadNorm::kWhole;
  const bool stacked = a.head_norm == HeadNorm::kStacked;
  for (uint32_t head = 0; head < (whole || stacked ? 1 : n_heads); ++head) {
    std::string tensor = source;
    if (a.head_norm == HeadNorm::kPerHead) tensor += ".norms." + std::to_string(head);
    const uint64_t size = uint64_t{whole || stacked ? n_heads : 1} * head_dim;
    weights.push_back({tensor + ".weight", size});
    biases.push_back({tensor + ".bias", size});
    if (stacked) weights.back().shape = biases.back().shape = {n_heads, head_dim};
  }
  const auto turned = [&](const std::vector<TensorRecipe::Part>& parts) {
    return Turned(a.rope_pairs, TurnedChannels(b, a), head_dim, uint64_t{n_heads} * head_dim, {0},
                  parts);
  };
  auto norm = b.NormOf(name, turned(weights), turned(biases), a.head_norm_bias, 1);
  norm->group = whole ? 0 : head_dim;
  return norm;
}

std::unique_ptr<format::LinearT> Qkv(SublayerBuilder& b, const Attention& a) {
  const uint64_t hidden = b.sizes().hidden, dim = a.head_dim;
  const uint64_t q_rows = a.n_heads * dim, k_rows = a.n_kv_heads * dim;
  const uint64_t v_rows = uint64_t{a.n_kv_heads} * a.v_head_dim;
  const uint64_t rows = q_rows + k_rows + v_rows;
  const std::string q = b.source() + a.names.q;
  const bool gated = a.gate != format::GateKind::kNone, gate_apart = !a.names.gate.empty();
  std::vector<TensorRecipe::Part> parts;
  // Of each head its q (0) or its gate (1).
  const auto add_of_gated = [&](uint64_t which) {
    for (uint64_t head = 0; head < a.n_heads; ++head) {
      parts.push_back({q, dim, (2 * head + which) * dim, {2 * q_rows, hidden}});
    }
  };
  if (a.first_row) {
    for (uint32_t part = 0; part < 3; ++part) {
      for (uint32_t head = 0; head < (part == 0 ? a.n_heads : a.n_kv_heads); ++head) {
        parts.push_back({q, dim, a.first_row(part, head), {rows, hidden}});
      }
    }
  } else if (a.names.k.empty()) {
    parts = {{q, rows}};
  } else {
    if (gated && !gate_apart) {
      add_of_gated(0);
    } else {
      parts.push_back({q, q_rows});
    }
    for (TensorRecipe::Part& part : parts) part.scale = a.qkv_factors[0];
    if (a.kv_layer == kOwnKeys) {
      parts.push_back({b.source() + a.names.k, k_rows});
      parts.back().scale = a.qkv_factors[1];
      parts.push_back({b.source() + a.names.v, v_rows});
      parts.back().scale = a.qkv_factors[2];
    }
  }
  const uint64_t n_turned = q_rows + (a.kv_layer == kOwnKeys ? k_rows : 0);
  parts = Turned(a.rope_pairs, TurnedChannels(b, a), dim, n_turned, {0, hidden}, parts);
  if (!gated) return b.Linear(b.name() + "attention.qkv", parts, hidden, a.qkv_bias);
  const uint64_t gate_rows = uint64_t{a.n_heads} * (a.gate_by_head ? 1 : a.v_head_dim);
  if (gate_apart) {
    parts.push_back({b.source() + a.names.gate, gate_rows});
  } else {
    add_of_gated(1);
  }
  auto linear = b.Linear(b.name() + "attention.qkv", parts, hidden, a.qkv_bias);
  if (gate_apart && a.qkv_bias) {
    TensorRecipe::Part zeros = {"", gate_rows};
    zeros.scale = 0;
    b.spec().tensors[static_cast<size_t>(linear->bias)].parts.back() = zeros;
  }
  return linear;
}

}  // namespace

Attention::FirstRow HeadByHead(uint32_t head_dim) {
  return
      [head_dim](uint32_t part, uint32_t head) { return (3 * uint64_t{head} + part) * head_dim; };
}

format::AttentionT Build(const Attention& a, SublayerBuilder& b) {
  format::AttentionT attention = a;
  const std::string name = b.name() + "attention.";
  if (!a.names.sinks.empty()) {
    attention.sink_logits = b.Vector(name + "sinks", b.source() + a.names.sinks, a.n_heads);
  }
  attention.qkv = Qkv(b, a);
  attention.q_norm = NormOfHeads(b, name + "q_norm", b.source() + a.names.q_norm, a.n_heads, a);
  if (a.kv_layer == kOwnKeys) {
    attention.k_norm =
        NormOfHeads(b, name + "k_norm", b.source() + a.names.k_norm, a.n_kv_heads, a);
    if (a.normalize_v) {
      attention.v_norm = b.PlainNorm(name + "v_norm", uint64_t{a.n_kv_heads} * a.v_head_dim);
      attention.v_norm->group = a.v_head_dim;
    }
  }
  const uint64_t out_size = uint64_t{a.n_heads} * a.v_head_dim;
  if (!a.names.output_norm.empty()) {
    const std::string norm = b.source() + a.names.output_norm + ".weight";
    attention.output_norm = b.NormOf(name + "output_norm", {{norm, out_size}}, {}, false, 1);
  }
  attention.output = b.Linear(name + "output", {{b.source() + a.names.output, b.sizes().hidden}},
                              out_size, a.output_bias, a.output_factor());
  return attention;
}

}  // namespace rondo::convert
