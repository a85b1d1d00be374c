// Falcon: attention and MLP side by side, with one norm or two. Its q, k and v are in one tensor:
// all heads of q and one of k and v (7B), group by group (40B), or head by head (RW).
#include "runtime/model/limits.h"
#include "tools/convert/architectures/alibi.h"
#include "tools/convert/architectures/architecture.h"
#include "tools/convert/architectures/family.h"
#include "tools/convert/sources/gguf/gguf_config.h"

namespace rondo::convert {
namespace {

DecoderSpec ReadFalcon(const Config& config) {
  Family f = ReadFamily(config, {.intermediate = "ffn_hidden_size", .four_times = true},
                        {.norm = format::NormKind::kLayerNorm,
                         .epsilon_key = "layer_norm_epsilon",
                         .epsilon = 1e-5,
                         .activation_key = "activation",
                         .activation = "gelu",
                         .turning = 0,
                         .tied = true});
  const bool grouped = config.Flag("new_decoder_architecture", false);
  const bool one_head = !grouped && config.Flag("multi_query", true);
  const char* const kKvHeads = "num_kv_heads";
  const uint32_t n_heads = f.sizes.n_heads;
  const uint32_t n_kv_heads =
      grouped ? config.Count(kKvHeads, n_heads, n_heads) : (one_head ? 1 : n_heads);
  if (n_heads % n_kv_heads != 0) config.Refuse(kKvHeads, "does not divide num_attention_heads");
  f.attention.n_kv_heads = n_kv_heads;
  f.norm_bias = true;
  f.prefix = "transformer.";
  f.layer_prefix = "h.";
  f.embedding = "word_embeddings";
  f.final_norm = "ln_f";
  f.mlp.reads_previous_input = grouped || config.Flag("parallel_attn", true);
  if (grouped && config.Integer("num_ln_in_parallel_attn", 1, 2, 2) == 2) {
    f.attention.pre_norm = "ln_attn";
    f.mlp.pre_norm = "ln_mlp";
  } else if (f.mlp.reads_previous_input) {
    f.mlp.pre_norm = f.attention.pre_norm;
  }
  f.attention.qkv_bias = f.attention.output_bias = f.mlp.bias = config.Flag("bias", false);
  f.attention.names.output = "self_attention.dense";
  const uint64_t group = one_head ? 0 : n_heads / n_kv_heads, dim = f.sizes.head_dim;
  f.attention.FuseQkv("self_attention.query_key_value",
                      [group, dim, n_heads](uint32_t part, uint32_t head) {
                        if (group == 0) return (part == 0 ? head : n_heads + part - 1) * dim;
                        if (part == 0) return (head / group * (group + 2) + head % group) * dim;
                        return (head * (group + 2) + group + part - 1) * dim;
                      });
  f.mlp.Ungate("mlp.dense_h_to_4h", "mlp.dense_4h_to_h");
  if (config.Flag("alibi", false)) {
    // Added before scores are scaled.
    for (const float slope : AlibiSlopes(n_heads)) {
      f.attention.alibi_slopes.push_back(slope / std::sqrt(static_cast<float>(dim)));
    }
  } else {
    f.ropes = {ReadRope(config, {f.sizes.head_dim, f.sizes.context})};
  }
  f.ignored = {"self_attention.rotary_emb.inv_freq"};
  return BuildDecoder(f);
}

bool HasTwoNorms(const GgufKeys& keys) { return keys.HasInSomeLayer("attn_norm_2.weight"); }

void AddFalcon(const GgufKeys& keys, nlohmann::json& config) {
  const uint64_t n_kv_heads = keys.n_kv_heads();
  config["activation"] = "gelu";
  config["alibi"] = false;
  config["bias"] = keys.HasInSomeLayer("attn_qkv.bias");
  config["ffn_hidden_size"] = config["intermediate_size"];
  config["layer_norm_epsilon"] = keys.Number("attention.layer_norm_epsilon");
  config["multi_query"] = n_kv_heads == 1;
  config["new_decoder_architecture"] = n_kv_heads > 1;
  config["num_kv_heads"] = n_kv_heads;
  config["num_ln_in_parallel_attn"] = HasTwoNorms(keys) ? 2 : 1;
  config.erase("num_key_value_heads");
}

}  // namespace

std::vector<Architecture> FalconArchitectures() {
  const NameRules one_norm = {
      {"token_embd", "transformer.word_embeddings"},
      {"output_norm", "transformer.ln_f"},
      {"output", "lm_head"},
      {"blk.{}.attn_norm", "transformer.h.{}.input_layernorm"},
      {"blk.{}.attn_qkv", "transformer.h.{}.self_attention.query_key_value", Change::kGroupedQkv},
      {"blk.{}.attn_output", "transformer.h.{}.self_attention.dense"},
      {"blk.{}.ffn_up", "transformer.h.{}.mlp.dense_h_to_4h"},
      {"blk.{}.ffn_down", "transformer.h.{}.mlp.dense_4h_to_h"},
  };
  const NameRules two_norms = With(one_norm, {
                                                 {"blk.{}.attn_norm", "transformer.h.{}.ln_mlp"},
                                                 {"blk.{}.attn_norm_2", "transformer.h.{}.ln_attn"},
                                             });
  return {
      {.name = "FalconForCausalLM",
       .model_type = "falcon",
       .read = ReadFalcon,
       .gguf = "falcon",
       .is_in_gguf = HasTwoNorms,
       .add_gguf = AddFalcon,
       .gguf_names = two_norms},
      {.name = "FalconForCausalLM",
       .model_type = "falcon",
       .read = ReadFalcon,
       .gguf = "falcon",
       .add_gguf = AddFalcon,
       .gguf_names = one_norm},
  };
}

}  // namespace rondo::convert
