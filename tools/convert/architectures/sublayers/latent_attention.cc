#include "tools/convert/architectures/sublayers/latent_attention.h"

#include "tools/convert/architectures/sublayers/sublayer_builder.h"

namespace rondo::convert {
namespace {

using Part = TensorRecipe::Part;

// Rows [first, first + dim) of `source`, which turn: those of the first half, then their partners.
void AddTurned(const std::string& source, uint64_t first, uint64_t dim, bool interleaved,
               const std::vector<uint64_t>& shape, std::vector<Part>& parts) {
  if (!interleaved) {
    parts.push_back({source, dim, first, shape});
    return;
  }
  for (uint64_t half = 0; half < 2; ++half) {
    parts.push_back({source, dim / 2, first + half, shape, 2});
  }
}

// The matrix of one head that makes keys of the latent, transposed, or the one that makes values.
std::unique_ptr<format::LinearT> Up(const LatentAttention& l, SublayerBuilder& b, uint32_t head,
                                    bool values) {
  const uint64_t rows = uint64_t{l.nope_dim} + l.v_head_dim, first = head * rows;
  Part part = {b.source() + l.names.kv_up + ".weight", 0, 0, {l.n_heads * rows, l.latent_dim}};
  TensorRecipe recipe;
  recipe.name = b.name() + "attention." + (values ? "value_up." : "key_up.") + std::to_string(head);
  recipe.role = TensorRole::kMatrix;
  if (values) {
    part.rows = l.v_head_dim;
    part.first_row = first + l.nope_dim;
    recipe.cols = l.latent_dim;
  } else {
    part.rows = l.latent_dim;
    part.first_col = first;
    recipe.cols = l.nope_dim;
    recipe.transposed = true;
  }
  recipe.parts = {std::move(part)};
  // GGUF and MLX have both apart, and keys transposed already.
  const uint64_t apart_rows = values ? l.v_head_dim : l.latent_dim;
  for (const char* const apart :
       {values ? "v_b_proj" : "k_b_proj", values ? "unembed_out" : "embed_q"}) {
    recipe.others.push_back({{{b.source() + "self_attn." + apart + ".weight",
                               apart_rows,
                               head * apart_rows,
                               {l.n_heads, apart_rows, recipe.cols}}}});
  }
  auto linear = std::make_unique<format::LinearT>();
  linear->weight = b.spec().Add(std::move(recipe));
  return linear;
}

}  // namespace

format::LatentAttentionT Build(const LatentAttention& l, SublayerBuilder& b) {
  const uint64_t hidden = b.sizes().hidden;
  const std::string name = b.name() + "attention.";
  const auto norm = [&](const char* ours, const std::string& theirs, uint64_t size) {
    const std::string source = b.source() + theirs;
    auto result =
        b.NormOf(name + ours, {{source + ".weight", size}}, {{source + ".bias", size}}, false, 1);
    result->epsilon = l.epsilon;
    return result;
  };
  format::LatentAttentionT attention = l;
  if (l.q_rank > 0) {
    attention.q_down =
        b.Linear(name + "q_down", {{b.source() + l.names.q_down, l.q_rank}}, hidden, l.bias);
    attention.q_norm = norm("q_norm", l.names.q_norm, l.q_rank);
  }
  const std::string q = b.source() + (l.q_rank > 0 ? l.names.q_up : l.names.q);
  const uint64_t inputs = l.q_rank > 0 ? l.q_rank : hidden;
  const uint64_t q_dim = uint64_t{l.nope_dim} + l.rope_dim;
  const std::vector<uint64_t> q_shape = {l.n_heads * q_dim, inputs};
  std::vector<Part> parts;
  for (uint64_t head = 0; head < l.n_heads; ++head) {
    parts.push_back({q, l.nope_dim, head * q_dim, q_shape});
  }
  for (uint64_t head = 0; head < l.n_heads; ++head) {
    AddTurned(q, head * q_dim + l.nope_dim, l.rope_dim, l.interleaved, q_shape, parts);
  }
  attention.q = b.Linear(name + "q", parts, inputs, false);
  const std::vector<uint64_t> kv_shape = {uint64_t{l.latent_dim} + l.rope_dim, hidden};
  parts = {{b.source() + l.names.kv_down, l.latent_dim, 0, kv_shape}};
  AddTurned(b.source() + l.names.kv_down, l.latent_dim, l.rope_dim, l.interleaved, kv_shape, parts);
  attention.kv_down = b.Linear(name + "kv_down", parts, hidden, l.bias);
  attention.latent_norm = norm("latent_norm", l.names.kv_norm, l.latent_dim);
  for (uint32_t head = 0; head < l.n_heads; ++head) {
    attention.key_up.push_back(Up(l, b, head, false));
    attention.value_up.push_back(Up(l, b, head, true));
  }
  attention.output = b.Linear(name + "output", {{b.source() + l.names.output, hidden}},
                              uint64_t{l.n_heads} * l.v_head_dim, l.bias, l.output_factor());
  return attention;
}

}  // namespace rondo::convert
