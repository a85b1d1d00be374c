#include <map>
#include <set>

#include "runtime/model/operators/attention.h"
#include "tools/convert/identities/identity.h"
#include "tools/convert/identities/operator_identities.h"

namespace rondo::convert {
namespace {

using format::AttentionT;

const AttentionT* AttentionIn(const format::LayerT& layer) {
  for (const auto& sublayer : layer.sublayers) {
    if (const AttentionT* const found = sublayer->op.AsAttention()) return found;
  }
  return nullptr;
}

class Finder {
 public:
  explicit Finder(const DecoderSpec& spec) : spec_(spec), hidden_(spec.hidden_size) {}

  std::vector<Identity> Find() {
    FindNormsOfTheStream();
    const auto n_layers = static_cast<uint32_t>(spec_.layers.size());
    for (uint32_t i = 0; i < n_layers; ++i) {
      AddLayer(spec_.layers[i], {spec_, "layers." + std::to_string(i) + ".", i, &identities_});
    }
    if (spec_.draft_head) AddDraftHead(n_layers);
    AddFinalNorm(n_layers + 1);
    return std::move(identities_);
  }

 private:
  // Those whose outcome enters the stream itself, whose channels are everyone's, or a head.
  void FindNormsOfTheStream() {
    const auto add = [&](const auto& norm) {
      if (norm) of_stream_.insert(norm->weight);
    };
    const auto add_layer = [&](const format::LayerT& layer) {
      for (const auto& sublayer : layer.sublayers) {
        add(sublayer->post_norm);
        add(sublayer->residual_norm);
      }
    };
    for (const format::LayerT& layer : spec_.layers) add_layer(layer);
    if (spec_.draft_head) add_layer(*spec_.draft_head->layer);
    add(spec_.embedding_norm);
    if (spec_.draft_head) add(spec_.draft_head->norm);  // what the head reads
    of_stream_.insert(spec_.final_norm.weight);
  }

  void AddLayer(const format::LayerT& layer, const LayerIdentities& to) {
    AddNorms(layer, to);
    for (const auto& sublayer : layer.sublayers) {
      const format::OperatorUnion& op = sublayer->op;
      if (const AttentionT* const attention = op.AsAttention()) {
        AddAttentionIdentities(*attention, ReadersOf(*attention, to.layer),
                               RestrictionOf(*attention, to.layer), to);
      } else if (const auto* const latent = op.AsLatentAttention()) {
        AddLatentIdentities(*latent, to);
      } else if (const auto* const mlp = op.AsMlp()) {
        AddMlpIdentities(*mlp, to);
      } else if (const auto* const experts = op.AsExperts()) {
        AddExpertsIdentities(*experts, to);
      } else if (op.AsLayerEmbedding() != nullptr) {
        if (layer.alt_up != nullptr) AddScaleOfStream(*layer.alt_up, *op.AsLayerEmbedding(), to);
      } else {
        AddOtherIdentities(op, to);
      }
    }
  }

  void AddNorms(const format::LayerT& layer, const LayerIdentities& to) {
    for (const auto& sublayer : layer.sublayers) {
      const format::ExpertsT* const experts = sublayer->op.AsExperts();
      if (experts != nullptr && experts->shared != nullptr && experts->shared_norm != nullptr) {
        AddColumns(*experts->shared->gate_up, hidden_,
                   NormIdentity(*experts->shared_norm, to).shrinks);
      }
      if (sublayer->norm == nullptr) continue;
      Identity& identity = NormIdentity(*sublayer->norm, to);
      if (!AddNormReaders(sublayer->op, hidden_, identity.shrinks)) {
        identity.restriction = "what the norm makes is also added to the stream";
      }
    }
  }

  // Sublayers side by side may have one norm, whose tensors are written once.
  Identity& NormIdentity(const format::NormT& norm, const LayerIdentities& to) {
    const auto [found, is_new] = norms_.try_emplace(norm.weight, identities_.size());
    if (is_new) {
      Identity& identity = to.Add("", "norm channels", hidden_);
      identity.of_stream = true;
      identity.name = spec_.tensors[norm.weight].name;
      AddGains(norm, hidden_, identity.grows);
      if (of_stream_.contains(norm.weight)) {
        identity.restriction = "the norm serves in another place, too";
      }
    }
    return identities_[found->second];
  }

  // What a layer embedding reads is the stream times a vector of its own.
  void AddScaleOfStream(const format::LayerAltUpT& alt_up, const format::LayerEmbeddingT& embedding,
                        const LayerIdentities& to) {
    if (alt_up.scale < 0) return;
    Identity& identity = to.Add("streams.scale", "norm channels", hidden_);
    identity.of_stream = true;
    identity.grows.push_back({static_cast<uint32_t>(alt_up.scale), false, 0, hidden_});
    AddColumns(*embedding.gate, hidden_, identity.shrinks);
  }

  std::vector<const AttentionT*> ReadersOf(const AttentionT& attention, uint32_t layer) const {
    std::vector<const AttentionT*> readers;
    if (attention.kv_layer != kOwnKeys) return readers;
    for (uint32_t i = layer + 1; i < spec_.layers.size(); ++i) {
      const AttentionT* const reader = AttentionIn(spec_.layers[i]);
      if (reader != nullptr && reader->kv_layer == static_cast<int32_t>(layer)) {
        readers.push_back(reader);
      }
    }
    return readers;
  }

  // An assistant reads what the last layers of their kind keep.
  std::string RestrictionOf(const AttentionT& attention, uint32_t layer) const {
    if (!spec_.has_assistants) return "";
    for (uint32_t i = layer + 1; i < spec_.layers.size(); ++i) {
      const AttentionT* const later = AttentionIn(spec_.layers[i]);
      if (later != nullptr && later->kv_layer == kOwnKeys &&
          later->n_kv_heads == attention.n_kv_heads && later->head_dim == attention.head_dim &&
          later->v_head_dim == attention.v_head_dim && later->window == attention.window &&
          later->chunk == attention.chunk) {
        return "";
      }
    }
    return kOfAssistants;
  }

  void AddDraftHead(uint32_t layer) {
    const format::DraftHeadT& head = *spec_.draft_head;
    const LayerIdentities to = {spec_, "draft_head.layer.", layer, &identities_};
    uint64_t first = 0;
    for (const auto* const norm : {&head.embedding_norm, &head.hidden_norm}) {
      if (*norm != nullptr) {
        AddColumns(*head.input, hidden_, NormIdentity(**norm, to).shrinks, first);
      }
      first += hidden_;
    }
    AddLayer(*head.layer, to);
  }

  void AddFinalNorm(uint32_t layer) {
    if (spec_.embedder) return;  // its rows are what is asked for
    const LayerIdentities to = {spec_, "", layer, &identities_};
    Identity& identity = to.Add("final_norm", "norm channels", hidden_);
    identity.of_stream = true;
    AddGains(spec_.final_norm, hidden_, identity.grows);
    AddColumns(spec_.head, hidden_, identity.shrinks);
    if (spec_.head.weight == spec_.embedding) {
      identity.restriction = "the head is the embedding";
    } else if (spec_.draft_head) {
      identity.restriction = "the draft head reads it, too";
    } else if (spec_.assistant) {
      identity.restriction = "the assistant's output reads it, too";
    } else if (spec_.has_assistants) {
      identity.restriction = kOfAssistants;
    }
  }

  static constexpr const char* kOfAssistants = "an assistant may read it, too";

  const DecoderSpec& spec_;
  const uint64_t hidden_;
  std::set<uint32_t> of_stream_;      // weights
  std::map<uint32_t, size_t> norms_;  // by weight
  std::vector<Identity> identities_;
};

}  // namespace

std::vector<Identity> FindIdentities(const DecoderSpec& spec) { return Finder(spec).Find(); }

}  // namespace rondo::convert
