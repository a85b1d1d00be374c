#include "tools/convert/architectures/experts_config.h"

#include <algorithm>

#include "runtime/model/limits.h"

namespace rondo::convert {

Experts ReadExperts(const Config& config, const Family& family, const ExpertKeys& keys) {
  Experts experts;
  experts.n_experts = config.Count(keys.n_experts, kMaxExperts, keys.default_experts);
  experts.n_used = config.Count(keys.n_used, experts.n_experts, keys.default_used);
  if (experts.n_used > experts.n_experts) {
    config.Refuse(keys.n_experts, "is less than the " + std::to_string(experts.n_used) +
                                      " experts that are used where " + keys.n_used + " is absent");
  }
  experts.intermediate_size =
      keys.intermediate == nullptr
          ? family.sizes.intermediate
          : config.Count(keys.intermediate, kMaxIntermediate, keys.default_intermediate);
  return experts;
}

void ReadGroups(const Config& config, uint32_t best, Experts& experts) {
  const auto n = config.Count("n_group", kMaxExperts, 1);
  const auto used = config.Count("topk_group", kMaxExperts, 1);
  if (n == 1) return;
  if (experts.n_experts % n != 0) {
    config.Refuse("n_group",
                  "does not divide the " + std::to_string(experts.n_experts) + " experts");
  }
  const uint32_t size = experts.n_experts / n;
  if (size < best) {
    config.Refuse("n_group", "makes groups of " + std::to_string(size) +
                                 " experts, which are compared by their best " +
                                 std::to_string(best));
  }
  if (used > n) config.Refuse("topk_group", "is more than n_group");
  if (experts.n_used > used * size) {
    config.Refuse("topk_group", "leaves fewer experts than are used");
  }
  experts.n_groups = n;
  experts.n_groups_used = used;
  experts.group_best = best;
}

void ShareExperts(const Config& config, const char* key, uint64_t n, Experts& experts) {
  if (n == 0) return;
  if (n * experts.intermediate_size > kMaxIntermediate) {
    config.Refuse(key, "makes shared experts of a size not known");
  }
  experts.Share("mlp.shared_experts.", static_cast<uint32_t>(n * experts.intermediate_size));
}

void NameAsMixtral(Experts& experts) {
  experts.names.router = "block_sparse_moe.gate";
  experts.names.expert = "block_sparse_moe.experts.";
  experts.names.gate = "w1";
  experts.names.up = "w3";
  experts.names.down = "w2";
}

Experts ReadDeepSeekExperts(const Config& config, const Family& family, const ExpertKeys& keys) {
  Experts experts = ReadExperts(config, family, keys);
  experts.scoring = format::Scoring::kSigmoid;
  experts.names.choice_bias = "mlp.gate.e_score_correction_bias";
  experts.normalize = config.Flag("norm_topk_prob", true);
  experts.normalize_epsilon = 1e-20f;
  experts.weight_scale =
      static_cast<float>(config.Number("routed_scaling_factor", keys.default_scale));
  ReadGroups(config, 2, experts);
  ShareExperts(config, keys.n_shared, config.Integer(keys.n_shared, 0, kMaxExperts, 1), experts);
  return experts;
}

void NameAsGranite(Experts& experts) {
  experts.names.router = "block_sparse_moe.router.layer";
  experts.names.expert = "block_sparse_moe.experts.";
  experts.stacks = {{.gate_up = "block_sparse_moe.input_linear.weight",
                     .down = "block_sparse_moe.output_linear.weight"}};
}

LayerChoice BehindFirstLayers(const Config& config, uint64_t if_absent) {
  const uint64_t dense = config.Integer("first_k_dense_replace", 0, kMaxLayers, if_absent);
  return [dense](uint32_t layer) { return layer >= dense; };
}

LayerChoice SparseLayers(const Config& config, const Sizes& sizes, uint64_t first) {
  const char* const kTypes = "mlp_layer_types";
  const std::vector<std::string> types = config.Texts(kTypes);
  if (!types.empty() && types.size() != sizes.n_layers) {
    config.Refuse(kTypes, "does not have an entry for each layer");
  }
  for (const std::string& type : types) {
    if (type != "sparse" && type != "dense") {
      config.Refuse(kTypes, "holds " + type + "; known: sparse, dense");
    }
  }
  return [types, first](uint32_t layer) {
    return types.empty() ? layer >= first : types[layer] == "sparse";
  };
}

LayerChoice LayersByStep(const Config& config) {
  const uint64_t step = config.Integer("decoder_sparse_step", 1, kMaxLayers, 1);
  const std::vector<uint64_t> dense = config.Integers("mlp_only_layers", kMaxLayers);
  return [step, dense](uint32_t layer) {
    return (layer + 1) % step == 0 && std::ranges::find(dense, layer) == dense.end();
  };
}

void ReadNextLayers(const Config& config, Family& family) {
  const char* const kLayers = "num_nextn_predict_layers";
  const uint64_t n = config.Integer(kLayers, 0, kMaxLayers, 0);
  const auto prefix = [&](uint64_t i) {
    return family.prefix + family.layer_prefix + std::to_string(family.sizes.n_layers + i) + ".";
  };
  const uint64_t kept = config.wants_draft_head() ? 1 : 0;
  if (kept > n) config.Refuse(kLayers, "is absent or 0: there is no head to keep");
  for (uint64_t i = kept; i < n; ++i) family.left_out.push_back(prefix(i));
  if (kept == 0) return;
  family.draft_head = {.names = {.input = prefix(0) + "eh_proj",
                                 .embedding_norm = prefix(0) + "enorm",
                                 .hidden_norm = prefix(0) + "hnorm",
                                 .norm = prefix(0) + "shared_head.norm",
                                 .layer = prefix(0)}};
  // What is the model's.
  family.left_out.push_back(prefix(0) + "embed_tokens.");
  family.left_out.push_back(prefix(0) + "shared_head.head.");
}

}  // namespace rondo::convert
