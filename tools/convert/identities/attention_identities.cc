#include "runtime/model/operators/attention.h"
#include "tools/convert/identities/operator_identities.h"

namespace rondo::convert {
namespace {

using format::AttentionT;

// Channels of keys as the cache has them, and those of queries that they are multiplied by: of
// each head's n.
class KeysAndQueries {
 public:
  // `turned` channels turn in pairs, of which both have one number.
  KeysAndQueries(const AttentionT& attention, uint64_t turned)
      : a_(attention), pairs_(turned / 2), per_head_(attention.head_dim - pairs_) {}

  uint64_t channels() const { return a_.n_kv_heads * per_head_; }

  void AddKeys(Identity& identity) const {
    const uint64_t first = uint64_t{a_.n_heads} * a_.head_dim;
    AddSide(a_, a_.k_norm.get(), first, false, identity.grows, identity.made_with);
  }
  void AddQueries(const AttentionT& reader, Identity& identity) const {
    std::vector<Places> with;
    AddSide(reader, reader.q_norm.get(), 0, true, identity.shrinks, with);
    if (with.empty()) return;
    if (identity.read_with.empty()) identity.read_with.emplace_back();
    Places& all = identity.read_with.front();
    all.insert(all.end(), with.front().begin(), with.front().end());
  }

 private:
  void AddSide(const AttentionT& a, const format::NormT* norm, uint64_t first, bool queries,
               Places& scaled, std::vector<Places>& with) const {
    Places rows;
    for (uint64_t head = 0; head < a_.n_kv_heads; ++head) {
      const uint64_t sharing = queries ? a.n_heads / a.n_kv_heads : 1;
      for (uint64_t i = head * sharing; i < (head + 1) * sharing; ++i) {
        AddHead(*a.qkv, first + i * a.head_dim, head * per_head_, rows);
        if (norm != nullptr) AddHead(*norm, i * a.head_dim, head * per_head_, scaled);
      }
    }
    if (norm != nullptr) {
      with.push_back(std::move(rows));
    } else {
      scaled.insert(scaled.end(), rows.begin(), rows.end());
    }
  }

  // Of a head, which begins at row `first`: both halves of what turns, and the rest.
  template <typename Table>
  void AddHead(const Table& table, uint64_t first, uint64_t from, Places& places) const {
    const auto add = [&](uint64_t begin, uint64_t n, uint64_t channel) {
      if (n == 0) return;
      places.push_back({table.weight, false, begin, n, channel});
      if (table.bias >= 0) {
        places.push_back({static_cast<uint32_t>(table.bias), false, begin, n, channel});
      }
    };
    add(first, pairs_, from);
    add(first + pairs_, pairs_, from);
    add(first + 2 * pairs_, a_.head_dim - 2 * pairs_, from + pairs_);
  }

  const AttentionT& a_;
  const uint64_t pairs_, per_head_;
};

uint64_t TurnedChannels(const AttentionT& a, const DecoderSpec& spec) {
  // Norms behind RoPE have a weight for each channel.
  if (a.rope < 0 || (a.norms_after_rope && a.k_norm != nullptr)) return 0;
  return 2 * spec.ropes[static_cast<size_t>(a.rope)].frequencies.size();
}

void AddKeys(const AttentionT& a, const std::vector<const AttentionT*>& readers,
             const std::string& restriction, const LayerIdentities& to) {
  const uint64_t turned = TurnedChannels(a, to.spec);
  const KeysAndQueries both(a, turned);
  Identity& identity = to.Add("attention.keys", "key channels", both.channels());
  identity.restriction = restriction;
  both.AddKeys(identity);
  for (const AttentionT* const reader : readers) {
    both.AddQueries(*reader, identity);
    if (reader->qkv_clip > 0) identity.restriction = "queries or keys are clipped";
    if (TurnedChannels(*reader, to.spec) != turned ||
        (reader->norms_after_rope && (reader->q_norm == nullptr) != (a.k_norm == nullptr))) {
      identity.restriction = "those who read the keys turn other channels";
    }
  }
}

void AddValues(const AttentionT& a, const std::vector<const AttentionT*>& readers,
               const std::string& restriction, const LayerIdentities& to) {
  const uint64_t dim = a.v_head_dim, n = a.n_kv_heads * dim;
  Identity& identity = to.Add("attention.values", "value channels", n);
  identity.restriction = restriction;
  Places rows;
  AddRows(*a.qkv, (uint64_t{a.n_heads} + a.n_kv_heads) * a.head_dim, n, rows);
  if (a.v_norm != nullptr) {
    AddGains(*a.v_norm, n, identity.grows);
    identity.made_with.push_back(std::move(rows));
  } else {
    identity.grows = std::move(rows);
  }
  for (const AttentionT* const reader : readers) {
    const uint64_t sharing = reader->n_heads / reader->n_kv_heads;
    for (uint64_t head = 0; head < reader->n_heads; ++head) {
      AddColumns(*reader->output, dim, identity.shrinks, head * dim, head / sharing * dim);
    }
    if (reader->qkv_clip > 0) identity.restriction = "values are clipped";
    if (reader->output_norm != nullptr) identity.restriction = "a norm reads what values make";
  }
}

}  // namespace

void AddAttentionIdentities(const AttentionT& a, const std::vector<const AttentionT*>& readers,
                            const std::string& restriction, const LayerIdentities& to) {
  const uint64_t out_size = uint64_t{a.n_heads} * a.v_head_dim;
  if (a.output_norm != nullptr) {
    Identity& identity = to.Add("attention.output_norm", "norm channels", out_size);
    AddGains(*a.output_norm, out_size, identity.grows);
    AddColumns(*a.output, out_size, identity.shrinks);
  }
  if (a.kv_layer != kOwnKeys) return;  // they are with those whose keys it reads
  std::vector<const AttentionT*> all = {&a};
  all.insert(all.end(), readers.begin(), readers.end());
  AddKeys(a, all, restriction, to);
  AddValues(a, all, restriction, to);
}

}  // namespace rondo::convert
