// Phi (1, 1.5, 2): LayerNorm, biases everywhere, attention and MLP side by side after one norm.
// Phi-3 and 4: Llama with q, k and v in one tensor, gate and up in another, and longrope.
#include "runtime/model/limits.h"
#include "tools/convert/architectures/architecture.h"
#include "tools/convert/architectures/family.h"
#include "tools/convert/sources/gguf/gguf_config.h"

namespace rondo::convert {
namespace {

using nlohmann::json;

DecoderSpec ReadPhi(const Config& config) {
  Family f = ReadFamily(config, {},
                        {.norm = format::NormKind::kLayerNorm,
                         .epsilon_key = "layer_norm_eps",
                         .epsilon = 1e-5,
                         .activation = "gelu_new",
                         .turning = 0.5});
  f.norm_bias = f.attention.qkv_bias = f.attention.output_bias = f.mlp.bias = f.head_bias = true;
  f.final_norm = "final_layernorm";
  f.mlp.pre_norm = f.attention.pre_norm;
  f.mlp.reads_previous_input = true;
  f.attention.names.output = "self_attn.dense";
  if (config.Flag("qk_layernorm", false)) {
    f.attention.head_norm = HeadNorm::kShared;
    f.attention.head_norm_bias = true;
    f.attention.names.q_norm = "self_attn.q_layernorm";
    f.attention.names.k_norm = "self_attn.k_layernorm";
  }
  f.mlp.Ungate("mlp.fc1", "mlp.fc2");
  f.ignored = {"self_attn.rotary_emb.inv_freq"};
  return BuildDecoder(f);
}

DecoderSpec ReadPhi3(const Config& config) {
  Family f = ReadFamily(config, {.default_context = 4096}, {.epsilon = 1e-5});
  f.attention.FuseQkv("self_attn.qkv_proj");
  f.mlp.FuseGate("mlp.gate_up_proj");
  const std::vector<uint32_t> windows =
      ReadWindows(config, f.sizes, ReadWindow(config, 0), [](uint32_t) { return true; });
  f.AddLayers(windows);
  return BuildDecoder(f);
}

void AddPhi2(const GgufKeys& keys, json& config) {
  config["hidden_act"] = "gelu_new";
  config["layer_norm_eps"] = keys.Number("attention.layer_norm_epsilon");
}

void AddPhi3(const GgufKeys& keys, json& config) {
  AddWindow(keys, config);
  config["original_max_position_embeddings"] =
      keys.Count("rope.scaling.original_context_length", kMaxContext,
                 keys.Count("context_length", kMaxContext));
}

}  // namespace

std::vector<Architecture> PhiArchitectures() {
  const NameRules phi2 = {
      {"output_norm", "model.final_layernorm"},
      {"blk.{}.attn_qkv", "model.layers.{}.self_attn.{}_proj", Change::kFusedQkv},
      {"blk.{}.attn_output", "model.layers.{}.self_attn.dense"},
      {"blk.{}.ffn_up", "model.layers.{}.mlp.fc1"},
      {"blk.{}.ffn_down", "model.layers.{}.mlp.fc2"},
  };
  const NameRules phi3 = {
      {"blk.{}.attn_qkv", "model.layers.{}.self_attn.qkv_proj"},
      {"blk.{}.ffn_up", "model.layers.{}.mlp.gate_up_proj"},
  };
  return {
      {.name = "PhiForCausalLM",
       .model_type = "phi",
       .read = ReadPhi,
       .gguf = "phi2",
       .add_gguf = AddPhi2,
       .gguf_names = With(UsualNames(), phi2)},
      {.name = "Phi3ForCausalLM",
       .model_type = "phi3",
       .read = ReadPhi3,
       .gguf = "phi3",
       .add_gguf = AddPhi3,
       .gguf_names = With(UsualNames(), phi3)},
  };
}

}  // namespace rondo::convert
