#include "tools/convert/output/stream_matrices.h"

#include <memory>

namespace rondo::convert {
namespace {

using Linear = std::unique_ptr<format::LinearT>;

// A matrix that reads, and one that writes what becomes of it.
StreamMatrices Ends(const Linear& reads, const Linear& writes) {
  return {{reads.get()}, {writes.get()}, {reads.get(), writes.get()}, true, true};
}

StreamMatrices Recurrence(const Linear& input, const Linear& gates, const Linear& output) {
  StreamMatrices found = Ends(input, output);
  found.readers.push_back(gates.get());
  return found;
}

StreamMatrices Latent(const format::LatentAttentionT& latent) {
  const Linear& q = latent.q_down != nullptr ? latent.q_down : latent.q;
  return {
      {q.get(), latent.kv_down.get()}, {latent.output.get()}, {latent.output.get()}, true, true};
}

StreamMatrices Mixture(const format::ExpertsT& experts) {
  StreamMatrices found;
  const bool has_shared = experts.shared != nullptr;
  if (experts.router_norm == nullptr) found.readers.push_back(experts.router.get());
  for (const auto& expert : experts.experts) {
    found.readers.push_back(expert->gate_up.get());
    found.writers.push_back(expert->down.get());
  }
  if (has_shared && experts.shared_norm == nullptr) {
    found.readers.push_back(experts.shared->gate_up.get());
  }
  if (has_shared) found.writers.push_back(experts.shared->down.get());
  found.nothing_else_reads = true;
  found.nothing_else_writes = experts.router_norm == nullptr && experts.shared_norm == nullptr &&
                              experts.experts_post_norm == nullptr &&
                              experts.shared_post_norm == nullptr;
  return found;
}

}  // namespace

StreamMatrices StreamMatricesOf(const format::OperatorUnion& op) {
  if (const auto* a = op.AsAttention()) return Ends(a->qkv, a->output);
  if (const auto* mlp = op.AsMlp()) return Ends(mlp->gate_up, mlp->down);
  if (const auto* conv = op.AsShortConv()) return Ends(conv->input, conv->output);
  if (const auto* net = op.AsGatedDeltaNet()) {
    return Recurrence(net->input, net->gates, net->output);
  }
  if (const auto* mamba = op.AsMamba2()) return Recurrence(mamba->input, mamba->dt, mamba->output);
  if (const auto* latent = op.AsLatentAttention()) return Latent(*latent);
  if (const auto* experts = op.AsExperts()) return Mixture(*experts);
  if (const auto* table = op.AsLayerEmbedding()) return {{table->gate.get()}, {}, {}, true, false};
  return {};
}

}  // namespace rondo::convert
