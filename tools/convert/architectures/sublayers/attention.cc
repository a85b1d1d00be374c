#include <cmath>

#include "tools/convert/architectures/sublayers/sublayer_builder.h"

namespace rondo::convert {
namespace {

// Of q or k: the runtime has a weight for every channel of every head.
std::unique_ptr<format::NormT> HeadNorm(SublayerBuilder& b, const std::string& name,
                                        const std::string& source, uint32_t n_heads) {
  const Family& f = b.family();
  const Sizes& s = b.sizes();
  if (f.head_norm == Family::HeadNorm::kNone) return nullptr;
  std::vector<TensorRecipe::Part> weights, biases;
  const bool whole = f.head_norm == Family::HeadNorm::kWhole;
  for (uint32_t head = 0; head < (whole ? 1 : n_heads); ++head) {
    std::string tensor = source;
    if (f.head_norm == Family::HeadNorm::kPerHead) tensor += ".norms." + std::to_string(head);
    const uint64_t size = uint64_t{whole ? n_heads : 1} * s.head_dim;
    weights.push_back({tensor + ".weight", size});
    biases.push_back({tensor + ".bias", size});
  }
  auto norm = b.NormOf(name, weights, biases, f.head_norm_bias, 1);
  norm->group = whole ? 0 : s.head_dim;
  return norm;
}

std::unique_ptr<format::LinearT> Qkv(SublayerBuilder& b) {
  const Family& f = b.family();
  const Sizes& s = b.sizes();
  const uint64_t q_rows = uint64_t{s.n_heads} * s.head_dim;
  const uint64_t kv_rows = uint64_t{s.n_kv_heads} * s.head_dim;
  const uint64_t rows = q_rows + 2 * kv_rows;
  std::vector<TensorRecipe::Part> parts;
  switch (f.qkv) {
    case Family::Qkv::kApart:
      parts = {
          {b.source() + f.q, q_rows}, {b.source() + f.k, kv_rows}, {b.source() + f.v, kv_rows}};
      break;
    case Family::Qkv::kStacked:
      parts = {{b.source() + f.q, rows}};
      break;
    case Family::Qkv::kByHead:  // head by head: its q, its k, its v
      for (uint64_t part = 0; part < 3; ++part) {
        for (uint64_t head = 0; head < s.n_heads; ++head) {
          parts.push_back(
              {b.source() + f.q, s.head_dim, (3 * head + part) * s.head_dim, {rows, s.hidden}});
        }
      }
      break;
  }
  return b.Linear(b.name() + "attention.qkv", parts, s.hidden, f.qkv_bias);
}

}  // namespace

format::AttentionT BuildAttention(SublayerBuilder& b) {
  const Family& f = b.family();
  const Sizes& s = b.sizes();
  format::AttentionT attention;
  attention.n_heads = s.n_heads;
  attention.n_kv_heads = s.n_kv_heads;
  attention.head_dim = attention.v_head_dim = s.head_dim;
  attention.rope = !f.layer_rope.empty() ? f.layer_rope[b.layer()] : f.ropes.empty() ? -1 : 0;
  attention.window = f.layer_window.empty() ? 0 : f.layer_window[b.layer()];
  attention.score_scale = f.layer_scale.empty()
                              ? static_cast<float>(1.0 / std::sqrt(static_cast<double>(s.head_dim)))
                              : f.layer_scale[b.layer()];
  attention.soft_cap = f.soft_cap;
  attention.qkv_clip = f.qkv_clip;
  attention.qkv = Qkv(b);
  attention.q_norm = HeadNorm(b, b.name() + "attention.q_norm", b.source() + f.q_norm, s.n_heads);
  attention.k_norm =
      HeadNorm(b, b.name() + "attention.k_norm", b.source() + f.k_norm, s.n_kv_heads);
  attention.output = b.Linear(b.name() + "attention.output", {{b.source() + f.output, s.hidden}},
                              uint64_t{s.n_heads} * s.head_dim, f.output_bias, f.residual_scale);
  return attention;
}

}  // namespace rondo::convert
