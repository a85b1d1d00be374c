// GPT-J and CodeGen: RoPE of neighbouring channels in part of each head, attention and MLP side by
// side after one norm. CodeGen has q, v and k in one tensor, in four parts of heads.
#include "runtime/model/limits.h"
#include "tools/convert/architectures/architecture.h"
#include "tools/convert/architectures/family.h"

namespace rondo::convert {
namespace {

Family GptJFamily(const Config& config) {
  Family f = ReadFamily(config,
                        {.hidden = "n_embd",
                         .n_layers = "n_layer",
                         .n_heads = "n_head",
                         .context = "n_positions",
                         .intermediate = "n_inner",
                         .four_times = true,
                         .without_kv_heads = "GPT-J"},
                        {.norm = format::NormKind::kLayerNorm,
                         .epsilon_key = "layer_norm_epsilon",
                         .epsilon = 1e-5,
                         .activation_key = "activation_function",
                         .activation = "gelu_new",
                         .turning = 0});
  f.norm_bias = f.mlp.bias = f.head_bias = true;
  f.prefix = "transformer.";
  f.layer_prefix = "h.";
  f.embedding = "wte";
  f.final_norm = "ln_f";
  f.attention.pre_norm = f.mlp.pre_norm = "ln_1";
  f.mlp.reads_previous_input = true;
  f.attention.names.output = "attn.out_proj";
  f.mlp.Ungate("mlp.fc_in", "mlp.fc_out");
  f.attention.rope_pairs = RopePairs::kNeighbours;
  const double turned =
      static_cast<double>(config.Integer("rotary_dim", 2, f.sizes.head_dim, 64)) / f.sizes.head_dim;
  f.ropes = {PlainRope(config, 10000, {f.sizes.head_dim, f.sizes.context, 10000, turned})};
  f.ignored = {"attn.bias", "attn.masked_bias", "attn.causal_mask"};
  return f;
}

DecoderSpec ReadGptJ(const Config& config) {
  Family f = GptJFamily(config);
  f.attention.names.q = "attn.q_proj";
  f.attention.names.k = "attn.k_proj";
  f.attention.names.v = "attn.v_proj";
  return BuildDecoder(f);
}

DecoderSpec ReadCodeGen(const Config& config) {
  Family f = GptJFamily(config);
  if (f.sizes.n_heads % 4 != 0) config.Refuse("n_head", "is not a multiple of 4");
  const uint32_t heads = f.sizes.n_heads / 4, dim = f.sizes.head_dim;
  f.attention.FuseQkv("attn.qkv_proj", [heads, dim](uint32_t part, uint32_t head) {
    const uint64_t place = part == 0 ? 0 : 3 - part;  // q, v, k
    return ((head / heads * 3 + place) * heads + head % heads) * uint64_t{dim};
  });
  return BuildDecoder(f);
}

}  // namespace

std::vector<Architecture> GptJArchitectures() {
  return {
      {.name = "GPTJForCausalLM", .model_type = "gptj", .read = ReadGptJ},
      {.name = "CodeGenForCausalLM", .model_type = "codegen", .read = ReadCodeGen},
  };
}

}  // namespace rondo::convert
