// MiniMax-M2: experts by sigmoid and a bias of the choice in all layers; part of a head turns.
#include "runtime/model/limits.h"
#include "tools/convert/architectures/architecture.h"
#include "tools/convert/architectures/experts_config.h"
#include "tools/convert/architectures/family.h"
#include "tools/convert/sources/gguf/gguf_config.h"

namespace rondo::convert {
namespace {

DecoderSpec ReadMiniMaxM2(const Config& config) {
  Family f = ReadFamily(config,
                        {.default_kv_heads = 8, .default_head_dim = 128, .default_context = 196608},
                        {.turning = 0});
  f.attention.head_norm = HeadNorm::kWhole;
  // The config's own way to say which part of a head turns.
  const char* const kTurning = "rotary_dim";
  const uint32_t head_dim = f.sizes.head_dim;
  const double turning = static_cast<double>(config.Integer(kTurning, 2, head_dim, head_dim));
  f.ropes = {ReadRope(config, {head_dim, f.sizes.context, 5e6, turning / head_dim})};
  Experts experts = ReadExperts(config, f, {.default_experts = 256, .default_used = 8});
  NameAsMixtral(experts);
  experts.scoring = format::Scoring::kSigmoid;
  experts.names.choice_bias = "block_sparse_moe.e_score_correction_bias";
  experts.normalize = true;
  f.PlaceExperts(experts);
  return BuildDecoder(f);
}

void AddMiniMaxM2(const GgufKeys& keys, nlohmann::json& config) {
  AddExperts(keys, "num_local_experts", config);
  CheckGating(keys, Gating::kSigmoid);
  config["intermediate_size"] = keys.Count("expert_feed_forward_length", kMaxIntermediate);
  config["rotary_dim"] = keys.Count("rope.dimension_count", kMaxHeadDim, keys.head_dim());
}

}  // namespace

std::vector<Architecture> MiniMaxArchitectures() {
  const NameRules names = {
      {"blk.{}.exp_probs_b.bias", "model.layers.{}.block_sparse_moe.e_score_correction_bias"},
  };
  return {{.name = "MiniMaxM2ForCausalLM",
           .model_type = "minimax_m2",
           .read = ReadMiniMaxM2,
           .gguf = "minimax-m2",
           .add_gguf = AddMiniMaxM2,
           .gguf_names = With(With(UsualNames(), MixtralNames()), names)}};
}

}  // namespace rondo::convert
