// Hunyuan (dense): Llama with norms of q and k in each head, behind RoPE, whose base is stretched.
#include <cmath>

#include "tools/convert/architectures/architecture.h"
#include "tools/convert/architectures/family.h"
#include "tools/convert/sources/gguf/gguf_config.h"

namespace rondo::convert {
namespace {

DecoderSpec ReadHunyuan(const Config& config) {
  Family f = ReadFamily(config, {}, {.epsilon = 1e-5, .turning = 0, .attention_bias = false});
  const uint32_t dim = f.sizes.head_dim;
  f.attention.head_norm = HeadNorm::kShared;
  f.attention.norms_after_rope = true;
  f.attention.names.q_norm = "self_attn.query_layernorm";
  f.attention.names.k_norm = "self_attn.key_layernorm";
  const RopeRequest request = {dim, f.sizes.context};
  f.ropes = {ReadRope(config, request)};
  const bool is_new = config.Has("rope_parameters");
  const auto scaling = config.Object(is_new ? "rope_parameters" : "rope_scaling");
  if (scaling && scaling->Has("alpha") &&
      scaling->Text("rope_type", scaling->Text("type", "")) == "dynamic") {
    const double theta = (is_new ? *scaling : config).Positive("rope_theta", 10000);
    const double alpha = scaling->Positive("alpha");
    f.ropes = {PlainRope(config, theta * std::pow(alpha, dim / (dim - 2.0)), request)};
  }
  return BuildDecoder(f);
}

}  // namespace

std::vector<Architecture> HunyuanArchitectures() {
  const NameRules names = {
      {"blk.{}.attn_q_norm", "model.layers.{}.self_attn.query_layernorm"},
      {"blk.{}.attn_k_norm", "model.layers.{}.self_attn.key_layernorm"},
  };
  return {{.name = "HunYuanDenseV1ForCausalLM",
           .model_type = "hunyuan_v1_dense",
           .read = ReadHunyuan,
           .gguf = "hunyuan-dense",
           .add_gguf = AddBiases,
           .gguf_names = With(UsualNames(), names)}};
}

}  // namespace rondo::convert
