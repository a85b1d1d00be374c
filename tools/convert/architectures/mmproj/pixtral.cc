// pixtral: the projector behind Pixtral's tower, in LLaVA and, with patches that merge, in
// Mistral 3.
#include <string>

#include "runtime/model/limits.h"
#include "tools/convert/architectures/mmproj/projectors.h"

namespace rondo::convert {
namespace {

void AddPixtral(const GgufKeys& keys, MmprojConfigs& configs) {
  nlohmann::json &whole = configs.whole, &vision = configs.vision;
  vision["model_type"] = "pixtral";
  vision["hidden_act"] = ActivationOf(keys, "gelu");
  const char *const kMerge = "spatial_merge_size", *const kHeadDim = "attention.head_dim";
  if (keys.Has(kHeadDim)) vision["head_dim"] = keys.Count(kHeadDim, kMaxHeadDim);
  if (keys.Has(kMerge)) whole[kMerge] = keys.Count(kMerge, kMaxHidden);
  whole["model_type"] = keys.HasTensor("mm.patch_merger.weight") ? "mistral3" : "llava";
  whole["multimodal_projector_bias"] = keys.HasTensor("mm.1.bias");
  // Pictures are as large as what the tower knows positions for.
  configs.processor["size"] = {{"longest_edge", keys.Count("image_size", kMaxHidden)}};
}

}  // namespace

MmprojRules PixtralMmproj() {
  const std::string prefix = "model.vision_tower.", layer = prefix + "transformer.layers.{}.";
  const std::string connector = "model.multi_modal_projector.";
  return {"llava",
          {
              {"v.patch_embd", prefix + "patch_conv"},
              {"v.pre_ln", prefix + "ln_pre"},
              {"v.blk.{}.ln1", layer + "attention_norm"},
              {"v.blk.{}.ln2", layer + "ffn_norm"},
              {"v.blk.{}.attn_q", layer + "attention.q_proj", Change::kPairedHeads},
              {"v.blk.{}.attn_k", layer + "attention.k_proj", Change::kPairedHeads},
              {"v.blk.{}.attn_v", layer + "attention.v_proj"},
              {"v.blk.{}.attn_out", layer + "attention.o_proj"},
              {"v.blk.{}.ffn_gate", layer + "feed_forward.gate_proj"},
              {"v.blk.{}.ffn_up", layer + "feed_forward.up_proj"},
              {"v.blk.{}.ffn_down", layer + "feed_forward.down_proj"},
              {"mm.input_norm", connector + "norm"},
              {"mm.patch_merger", connector + "patch_merger.merging_layer"},
              {"mm.{}", connector + "linear_{}"},
          },
          AddPixtral};
}

}  // namespace rondo::convert
