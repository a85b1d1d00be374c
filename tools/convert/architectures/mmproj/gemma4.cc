// gemma4v: what sees for Gemma 4; what hears lies in the same file, and is left out.
#include <string>

#include "tools/convert/architectures/mmproj/projectors.h"

namespace rondo::convert {
namespace {

void AddGemma4(const GgufKeys& keys, MmprojConfigs& configs) {
  nlohmann::json& vision = configs.vision;
  vision["rms_norm_eps"] = vision["layer_norm_eps"];
  vision["attention_bias"] = keys.HasTensor("v.blk.0.attn_q.bias");
  vision["position_embedding_size"] = DimensionOf(keys, "v.position_embd.weight", 1);
  vision["use_clipped_linears"] = keys.HasTensor("v.blk.0.attn_q.input_min");
  vision["standardize"] = keys.HasTensor("v.std_bias");
}

}  // namespace

MmprojRules Gemma4Mmproj() {
  const std::string prefix = "model.vision_tower.", layer = prefix + "encoder.layers.{}.";
  // A matrix lies below what its ranges belong to.
  return {"gemma4",
          {
              {"v.patch_embd.weight", prefix + "patch_embedder.input_proj.weight",
               Change::kChannelsLast},
              {"v.position_embd.weight", prefix + "patch_embedder.position_embedding_table"},
              {"v.std_bias", prefix + "std_bias"},
              {"v.std_scale", prefix + "std_scale"},
              {"v.blk.{}.ln1", layer + "input_layernorm"},
              {"v.blk.{}.ln2", layer + "pre_feedforward_layernorm"},
              {"v.blk.{}.attn_post_norm", layer + "post_attention_layernorm"},
              {"v.blk.{}.ffn_post_norm", layer + "post_feedforward_layernorm"},
              {"v.blk.{}.attn_q_norm", layer + "self_attn.q_norm"},
              {"v.blk.{}.attn_k_norm", layer + "self_attn.k_norm"},
              {"v.blk.{}.attn_q", layer + "self_attn.q_proj"},
              {"v.blk.{}.attn_k", layer + "self_attn.k_proj"},
              {"v.blk.{}.attn_v", layer + "self_attn.v_proj"},
              {"v.blk.{}.attn_out", layer + "self_attn.o_proj"},
              {"v.blk.{}.ffn_gate", layer + "mlp.gate_proj"},
              {"v.blk.{}.ffn_up", layer + "mlp.up_proj"},
              {"v.blk.{}.ffn_down", layer + "mlp.down_proj"},
              {"v.blk.{}.attn_q.weight", layer + "self_attn.q_proj.linear.weight"},
              {"v.blk.{}.attn_k.weight", layer + "self_attn.k_proj.linear.weight"},
              {"v.blk.{}.attn_v.weight", layer + "self_attn.v_proj.linear.weight"},
              {"v.blk.{}.attn_out.weight", layer + "self_attn.o_proj.linear.weight"},
              {"v.blk.{}.ffn_gate.weight", layer + "mlp.gate_proj.linear.weight"},
              {"v.blk.{}.ffn_up.weight", layer + "mlp.up_proj.linear.weight"},
              {"v.blk.{}.ffn_down.weight", layer + "mlp.down_proj.linear.weight"},
              {"mm.input_projection", "model.embed_vision.embedding_projection"},
          },
          AddGemma4};
}

}  // namespace rondo::convert
