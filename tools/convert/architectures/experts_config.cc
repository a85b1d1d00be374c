#include "tools/convert/architectures/experts_config.h"

#include "runtime/model/limits.h"

namespace rondo::convert {

Family::Experts ReadExperts(const Config& config, const Family& family, const ExpertKeys& keys) {
  Family::Experts experts;
  experts.n_experts =
      static_cast<uint32_t>(config.Integer(keys.n_experts, 1, kMaxExperts, keys.default_experts));
  experts.n_used =
      static_cast<uint32_t>(config.Integer(keys.n_used, 1, experts.n_experts, keys.default_used));
  if (experts.n_used > experts.n_experts) {
    config.Refuse(keys.n_experts, "is less than the " + std::to_string(experts.n_used) +
                                      " experts that are used where " + keys.n_used + " is absent");
  }
  experts.intermediate =
      keys.intermediate == nullptr
          ? family.sizes.intermediate
          : static_cast<uint32_t>(
                config.Integer(keys.intermediate, 1, kMaxIntermediate, keys.default_intermediate));
  return experts;
}

void ReadGroups(const Config& config, uint32_t best, Family::Experts& experts) {
  const auto n = static_cast<uint32_t>(config.Integer("n_group", 1, kMaxExperts, 1));
  const auto used = static_cast<uint32_t>(config.Integer("topk_group", 1, kMaxExperts, 1));
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

void ShareExperts(const Config& config, const char* key, uint64_t n, Family::Experts& experts) {
  if (n == 0) return;
  if (n * experts.intermediate > kMaxIntermediate) {
    config.Refuse(key, "makes shared experts of a size not known");
  }
  experts.shared = Family::Experts::Shared{
      .gate = "mlp.shared_experts.gate_proj",
      .up = "mlp.shared_experts.up_proj",
      .down = "mlp.shared_experts.down_proj",
      .intermediate = static_cast<uint32_t>(n * experts.intermediate),
  };
}

Family::Experts ReadDeepSeekExperts(const Config& config, const Family& family,
                                    const ExpertKeys& keys) {
  Family::Experts experts = ReadExperts(config, family, keys);
  experts.scoring = format::Scoring::kSigmoid;
  experts.choice_bias = "mlp.gate.e_score_correction_bias";
  experts.normalize = config.Flag("norm_topk_prob", true);
  experts.normalize_epsilon = 1e-20f;
  experts.weight_scale =
      static_cast<float>(config.Number("routed_scaling_factor", keys.default_scale));
  ReadGroups(config, 2, experts);
  ShareExperts(config, keys.n_shared, config.Integer(keys.n_shared, 0, kMaxExperts, 1), experts);
  return experts;
}

void SkipFirstLayers(const Config& config, uint64_t if_absent, Family& family) {
  const uint64_t dense = config.Integer("first_k_dense_replace", 0, kMaxLayers, if_absent);
  family.has_experts = [dense](uint32_t layer) { return layer >= dense; };
}

void PlaceSparseLayers(const Config& config, uint64_t first, Family& family) {
  const char* const kTypes = "mlp_layer_types";
  const std::vector<std::string> types = config.Texts(kTypes);
  if (!types.empty() && types.size() != family.sizes.n_layers) {
    config.Refuse(kTypes, "does not have an entry for each layer");
  }
  for (const std::string& type : types) {
    if (type != "sparse" && type != "dense") {
      config.Refuse(kTypes, "holds " + type + "; known: sparse, dense");
    }
  }
  family.has_experts = [types, first](uint32_t layer) {
    return types.empty() ? layer >= first : types[layer] == "sparse";
  };
}

void LeaveOutNextLayers(const Config& config, Family& family) {
  const uint64_t n = config.Integer("num_nextn_predict_layers", 0, kMaxLayers, 0);
  for (uint64_t i = 0; i < n; ++i) {
    family.left_out.push_back(family.prefix + family.layers +
                              std::to_string(family.sizes.n_layers + i) + ".");
  }
}

}  // namespace rondo::convert
