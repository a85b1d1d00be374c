// Falcon: attention and MLP side by side, with one norm or two. Its q, k and v are in one tensor:
// all heads of q and one of k and v (7B), group by group (40B), or head by head (RW).
#include "runtime/model/limits.h"
#include "tools/convert/architectures/alibi.h"
#include "tools/convert/architectures/architecture.h"
#include "tools/convert/architectures/family.h"

namespace rondo::convert {
namespace {

DecoderSpec ReadFalcon(const Config& config) {
  Sizes sizes = ReadSizes(config, {.intermediate = nullptr});
  sizes.intermediate = static_cast<uint32_t>(
      config.Integer("ffn_hidden_size", 1, kMaxIntermediate, 4 * uint64_t{sizes.hidden}));
  const bool grouped = config.Flag("new_decoder_architecture", false);
  const bool one_head = !grouped && config.Flag("multi_query", true);
  const char* const kKvHeads = "num_kv_heads";
  sizes.n_kv_heads =
      grouped ? static_cast<uint32_t>(config.Integer(kKvHeads, 1, sizes.n_heads, sizes.n_heads))
              : (one_head ? 1 : sizes.n_heads);
  if (sizes.n_heads % sizes.n_kv_heads != 0) {
    config.Refuse(kKvHeads, "does not divide num_attention_heads");
  }
  Family f(sizes);
  f.norm = format::NormKind::kLayerNorm;
  f.norm_bias = true;
  f.epsilon = config.Positive("layer_norm_epsilon", 1e-5);
  f.prefix = "transformer.";
  f.layers = "h.";
  f.embedding = "word_embeddings";
  f.final_norm = "ln_f";
  f.parallel = grouped || config.Flag("parallel_attn", true);
  if (grouped && config.Integer("num_ln_in_parallel_attn", 1, 2, 2) == 2) {
    f.attention_norm = "ln_attn";
    f.mlp_norm = "ln_mlp";
  } else if (f.parallel) {
    f.mlp_norm = f.attention_norm;
  }
  f.qkv_bias = f.output_bias = f.mlp_bias = config.Flag("bias", false);
  f.q = "self_attention.query_key_value";
  f.output = "self_attention.dense";
  f.qkv = Family::Qkv::kByRow;
  const uint64_t group = one_head ? 0 : sizes.n_heads / sizes.n_kv_heads, dim = sizes.head_dim;
  const uint64_t n_heads = sizes.n_heads;
  f.first_row = [group, dim, n_heads](uint32_t part, uint32_t head) {
    if (group == 0) return (part == 0 ? head : n_heads + part - 1) * dim;
    if (part == 0) return (head / group * (group + 2) + head % group) * dim;
    return (head * (group + 2) + group + part - 1) * dim;
  };
  f.gated = false;
  f.up = "mlp.dense_h_to_4h";
  f.down = "mlp.dense_4h_to_h";
  f.activation = ReadActivation(config, "activation", "gelu");
  if (config.Flag("alibi", false)) {
    // Added before scores are scaled.
    for (const float slope : AlibiSlopes(sizes.n_heads)) {
      f.alibi_slopes.push_back(slope / std::sqrt(static_cast<float>(sizes.head_dim)));
    }
  } else {
    f.ropes = {ReadRope(config, {sizes.head_dim, sizes.context})};
  }
  f.tied = config.Flag("tie_word_embeddings", true);
  f.ignored = {"self_attention.rotary_emb.inv_freq"};
  return BuildDecoder(f);
}

}  // namespace

std::vector<Architecture> FalconArchitectures() {
  return {{.name = "FalconForCausalLM", .model_type = "falcon", .read = ReadFalcon}};
}

}  // namespace rondo::convert
