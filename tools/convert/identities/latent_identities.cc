#include "tools/convert/identities/operator_identities.h"

namespace rondo::convert {
namespace {

using format::LatentAttentionT;

void AddQueryNorm(const LatentAttentionT& a, const LayerIdentities& to) {
  if (a.q_norm == nullptr) return;
  const uint64_t rank = to.spec.tensors[a.q_norm->weight].rows();
  Identity& identity = to.Add("attention.q_norm", "norm channels", rank);
  AddGains(*a.q_norm, rank, identity.grows);
  AddColumns(*a.q, rank, identity.shrinks);
}

// What is cached: it is keys, which key_up makes queries for, and values.
void AddLatent(const LatentAttentionT& a, const LayerIdentities& to) {
  if (a.latent_norm == nullptr) return;
  Identity& identity = to.Add("attention.latent_norm", "norm channels", a.latent_dim);
  AddGains(*a.latent_norm, a.latent_dim, identity.grows);
  for (const auto& key_up : a.key_up) AddRows(*key_up, 0, a.latent_dim, identity.shrinks_apart);
  for (const auto& value_up : a.value_up) AddColumns(*value_up, a.latent_dim, identity.shrinks);
}

void AddQueries(const LatentAttentionT& a, const LayerIdentities& to) {
  const uint64_t n = uint64_t{a.n_heads} * a.nope_dim;
  Identity& identity = to.Add("attention.queries", "query channels", n);
  AddRows(*a.q, 0, n, identity.grows);
  for (uint64_t head = 0; head < a.n_heads; ++head) {
    AddColumns(*a.key_up[head], a.nope_dim, identity.shrinks, 0, head * a.nope_dim);
  }
}

void AddTurned(const LatentAttentionT& a, const LayerIdentities& to) {
  const uint64_t pairs = a.rope_dim / 2;
  if (pairs == 0) return;
  Identity& identity = to.Add("attention.keys", "key channels", pairs);
  for (uint64_t half = 0; half < 2; ++half) {
    AddRows(*a.kv_down, a.latent_dim + half * pairs, pairs, identity.grows);
    for (uint64_t head = 0; head < a.n_heads; ++head) {
      const uint64_t first = uint64_t{a.n_heads} * a.nope_dim + head * a.rope_dim;
      AddRows(*a.q, first + half * pairs, pairs, identity.shrinks);
    }
  }
}

void AddValues(const LatentAttentionT& a, const LayerIdentities& to) {
  const uint64_t n = uint64_t{a.n_heads} * a.v_head_dim;
  Identity& identity = to.Add("attention.values", "value channels", n);
  for (uint64_t head = 0; head < a.n_heads; ++head) {
    AddRows(*a.value_up[head], 0, a.v_head_dim, identity.grows, head * a.v_head_dim);
  }
  AddColumns(*a.output, n, identity.shrinks);
}

}  // namespace

void AddLatentIdentities(const LatentAttentionT& a, const LayerIdentities& to) {
  AddQueryNorm(a, to);
  AddLatent(a, to);
  AddQueries(a, to);
  AddTurned(a, to);
  AddValues(a, to);
}

}  // namespace rondo::convert
