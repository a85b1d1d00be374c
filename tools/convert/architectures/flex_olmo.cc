// FlexOlmo: OLMo 2 with experts.
#include "tools/convert/architectures/architecture.h"
#include "tools/convert/architectures/experts_config.h"
#include "tools/convert/architectures/family.h"

namespace rondo::convert {
namespace {

DecoderSpec ReadFlexOlmo(const Config& config) {
  Family f =
      ReadFamily(config, {.default_context = 4096}, {.theta = 500000, .attention_bias = false});
  f.attention.head_norm = HeadNorm::kWhole;
  f.PostNorm("post_attention_layernorm", "post_feedforward_layernorm");
  Experts experts =
      ReadExperts(config, f, {.n_experts = "num_experts", .default_experts = 7, .default_used = 5});
  experts.normalize = config.Flag("norm_topk_prob", false);
  f.PlaceExperts(experts);
  return BuildDecoder(f);
}

}  // namespace

std::vector<Architecture> FlexOlmoArchitectures() {
  return {{.name = "FlexOlmoForCausalLM", .model_type = "flex_olmo", .read = ReadFlexOlmo}};
}

}  // namespace rondo::convert
