// internvl: the projector behind InternViT.
#include <string>

#include "runtime/model/limits.h"
#include "tools/convert/architectures/mmproj/projectors.h"

namespace rondo::convert {
namespace {

// The largest of these towers alone has RMSNorms, and norms of queries and keys.
constexpr uint64_t kLargestHidden = 3200, kLargestLayers = 45;

void AddInternVl(const GgufKeys& keys, MmprojConfigs& configs) {
  const std::string connector = "model.multi_modal_projector.";
  Rename("mm.model.mlp.0", connector + "layer_norm", configs);
  Rename("mm.model.mlp.1", connector + "linear_1", configs);
  Rename("mm.model.mlp.3", connector + "linear_2", configs);
  nlohmann::json& vision = configs.vision;
  vision["hidden_act"] = ActivationOf(keys, "gelu");
  CheckGrid(keys, 1);
  const bool is_largest =
      vision["hidden_size"] == kLargestHidden && vision["num_hidden_layers"] == kLargestLayers;
  vision["norm_type"] = is_largest ? "rms_norm" : "layer_norm";
  vision["attention_bias"] = keys.HasTensor("v.blk.0.attn_q.bias");
  vision["use_qk_norm"] = keys.HasTensor("v.blk.0.attn_q_norm.weight");
  configs.whole["downsample_ratio"] = 1.0 / static_cast<double>(ScaleFactor(keys, 2));
  AddTiles(keys, "min_patches", "max_patches", configs);
}

}  // namespace

MmprojRules InternVlMmproj() {
  const std::string prefix = "model.vision_tower.", layer = prefix + "encoder.layer.{}.";
  return {"internvl",
          {
              {"v.patch_embd", prefix + "embeddings.patch_embeddings.projection"},
              {"v.class_embd", prefix + "embeddings.cls_token", Change::kOnesBefore},
              {"v.position_embd.weight", prefix + "embeddings.position_embeddings",
               Change::kOnesBefore},
              {"v.blk.{}.ln1", layer + "layernorm_before"},
              {"v.blk.{}.ln2", layer + "layernorm_after"},
              {"v.blk.{}.ls1.weight", layer + "lambda_1"},
              {"v.blk.{}.ls2.weight", layer + "lambda_2"},
              {"v.blk.{}.attn_q", layer + "attention.q_proj"},
              {"v.blk.{}.attn_k", layer + "attention.k_proj"},
              {"v.blk.{}.attn_v", layer + "attention.v_proj"},
              {"v.blk.{}.attn_q_norm", layer + "attention.q_norm"},
              {"v.blk.{}.attn_k_norm", layer + "attention.k_norm"},
              {"v.blk.{}.attn_out", layer + "attention.projection_layer"},
              {"v.blk.{}.ffn_up", layer + "mlp.fc1"},
              {"v.blk.{}.ffn_down", layer + "mlp.fc2"},
          },
          AddInternVl};
}

}  // namespace rondo::convert
