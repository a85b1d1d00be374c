#include "tools/convert/identities/operator_identities.h"
#include "tools/convert/output/stream_matrices.h"

namespace rondo::convert {
namespace {

// The convolution is one for each channel, and so lets a factor through; c stands behind it, alone.
void AddShortConv(const format::ShortConvT& conv, const LayerIdentities& to) {
  const uint64_t hidden = to.spec.hidden_size;
  Identity& identity = to.Add("conv", "convolution channels", hidden);
  AddRows(*conv.input, hidden, hidden, identity.grows);
  for (const uint64_t first : {uint64_t{0}, 2 * hidden}) {
    identity.made_with.emplace_back();
    AddRows(*conv.input, first, hidden, identity.made_with.back());
  }
  AddColumns(*conv.output, hidden, identity.shrinks);
}

void AddOutputNorm(const format::NormT& norm, const format::LinearT& output, uint64_t n,
                   const std::string& name, const LayerIdentities& to) {
  Identity& identity = to.Add(name, "norm channels", n);
  AddGains(norm, n, identity.grows);
  AddColumns(output, n, identity.shrinks);
}

}  // namespace

void AddRows(const format::LinearT& linear, uint64_t first, uint64_t n, Places& places,
             uint64_t from) {
  places.push_back({linear.weight, false, first, n, from});
  if (linear.bias >= 0) {
    places.push_back({static_cast<uint32_t>(linear.bias), false, first, n, from});
  }
}

void AddColumns(const format::LinearT& linear, uint64_t n, Places& places, uint64_t first,
                uint64_t from) {
  places.push_back({linear.weight, true, first, n, from});
}

void AddGains(const format::NormT& norm, uint64_t n, Places& places) {
  places.push_back({norm.weight, false, 0, n});
  if (norm.bias >= 0) places.push_back({static_cast<uint32_t>(norm.bias), false, 0, n});
}

bool AddNormReaders(const format::OperatorUnion& op, uint64_t hidden, Places& readers) {
  const StreamMatrices found = StreamMatricesOf(op);
  for (const format::LinearT* linear : found.readers) AddColumns(*linear, hidden, readers);
  return found.nothing_else_reads;
}

void AddOtherIdentities(const format::OperatorUnion& op, const LayerIdentities& to) {
  if (const auto* const conv = op.AsShortConv()) {
    AddShortConv(*conv, to);
  } else if (const auto* const net = op.AsGatedDeltaNet()) {
    const uint64_t n = uint64_t{net->n_value_heads} * net->value_head_dim;
    if (net->norm != nullptr) AddOutputNorm(*net->norm, *net->output, n, "delta.norm", to);
  } else if (const auto* const mamba = op.AsMamba2()) {
    const uint64_t n = uint64_t{mamba->n_heads} * mamba->head_dim;
    if (mamba->norm != nullptr) AddOutputNorm(*mamba->norm, *mamba->output, n, "mamba.norm", to);
  } else if (const auto* const laurel = op.AsLaurel()) {
    const uint64_t rank = to.spec.tensors[laurel->left->weight].rows();
    Identity& identity = to.Add("laurel", "low-rank channels", rank);
    AddRows(*laurel->left, 0, rank, identity.grows);
    AddColumns(*laurel->right, rank, identity.shrinks);
  }
}

}  // namespace rondo::convert
