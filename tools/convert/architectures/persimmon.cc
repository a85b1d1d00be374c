// Persimmon: LayerNorm, also of q and k in each head, q, k and v head by head, squared ReLU.
#include "tools/convert/architectures/architecture.h"
#include "tools/convert/architectures/family.h"

namespace rondo::convert {
namespace {

DecoderSpec ReadPersimmon(const Config& config) {
  Family f = ReadFamily(config, {.default_context = 16384, .without_kv_heads = "Persimmon"},
                        {.norm = format::NormKind::kLayerNorm,
                         .epsilon_key = "layer_norm_eps",
                         .epsilon = 1e-5,
                         .activation = "relu2",
                         .turning = 0.5});
  f.norm_bias = f.attention.qkv_bias = f.attention.output_bias = f.mlp.bias = true;
  f.final_norm = "final_layernorm";
  f.attention.FuseQkv("self_attn.query_key_value", HeadByHead(f.sizes.head_dim));
  f.attention.names.output = "self_attn.dense";
  if (config.Flag("qk_layernorm", true)) {
    f.attention.head_norm = HeadNorm::kShared;
    f.attention.head_norm_bias = true;
    f.attention.names.q_norm = "self_attn.q_layernorm";
    f.attention.names.k_norm = "self_attn.k_layernorm";
  }
  f.mlp.Ungate("mlp.dense_h_to_4h", "mlp.dense_4h_to_h");
  f.ignored = {"self_attn.rotary_emb.inv_freq"};
  return BuildDecoder(f);
}

}  // namespace

std::vector<Architecture> PersimmonArchitectures() {
  return {{.name = "PersimmonForCausalLM", .model_type = "persimmon", .read = ReadPersimmon}};
}

}  // namespace rondo::convert
