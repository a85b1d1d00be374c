// What config.json says of experts, by the keys that several families have.
#pragma once

#include <cstdint>
#include <functional>

#include "tools/convert/architectures/family.h"
#include "tools/convert/sources/config.h"

namespace rondo::convert {

// Keys, and what is meant where one is absent.
struct ExpertKeys {
  const char* n_experts = "num_local_experts";
  uint64_t default_experts = 8;
  const char* n_used = "num_experts_per_tok";
  uint64_t default_used = 2;
  const char* intermediate = nullptr;  // null: as of a dense layer
  uint64_t default_intermediate = 0;
  const char* n_shared = "n_shared_experts";  // these two: of DeepSeek-V3's kin
  double default_scale = 1;
};

// As many as there may be, of which some are used: nothing else is set.
Experts ReadExperts(const Config& config, const Family& family, const ExpertKeys& keys);

// DeepSeek-V3's and its kin's: sigmoid, groups, a bias of the choice, shared experts, a factor.
Experts ReadDeepSeekExperts(const Config& config, const Family& family, const ExpertKeys& keys);

// Reads n_group and topk_group; groups are compared by their `best` largest scores.
void ReadGroups(const Config& config, uint32_t best, Experts& experts);

// Shared experts in mlp.shared_experts, `n` of them side by side. `key` is what says n.
void ShareExperts(const Config& config, const char* key, uint64_t n, Experts& experts);

// block_sparse_moe, and w1, w3 and w2.
void NameAsMixtral(Experts& experts);

// block_sparse_moe, all experts' gate and up in input_linear, down in output_linear.
void NameAsGranite(Experts& experts);

// Which layers have experts.
using LayerChoice = std::function<bool(uint32_t layer)>;
// Those from first_k_dense_replace on.
LayerChoice BehindFirstLayers(const Config& config, uint64_t if_absent);
// Those that mlp_layer_types calls sparse; where it is absent, all from `first` on.
LayerChoice SparseLayers(const Config& config, const Sizes& sizes, uint64_t first);
// Every decoder_sparse_step-th that is not among mlp_only_layers.
LayerChoice LayersByStep(const Config& config);

// Leaves out the layers behind the last, which predict more than one token at a time.
void ReadNextLayers(const Config& config, Family& family);

}  // namespace rondo::convert
