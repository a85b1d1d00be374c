// Shapes of all operators, so small that what they cost can be counted by hand.
#pragma once

#include <string>

#include "tools/bench/shapes.h"

namespace rondo::tools {

// Llama's sizes, and beside them, or in their place, `more`: the members of a JSON object.
inline Shape SmallShape(const std::string& model_type, const std::string& more) {
  nlohmann::json config = {
      {"model_type", model_type},    {"vocab_size", 100},      {"hidden_size", 32},
      {"intermediate_size", 40},     {"num_hidden_layers", 1}, {"num_attention_heads", 2},
      {"num_key_value_heads", 1},    {"head_dim", 16},         {"max_position_embeddings", 512},
      {"tie_word_embeddings", false}};
  config.update(nlohmann::json::parse("{" + more + "}"));
  return {model_type, convert::Config::Of(model_type + ": key ", std::move(config))};
}

inline Shape SmallExperts() {
  return SmallShape("qwen3_moe",
                    R"("num_experts": 8, "num_experts_per_tok": 2, "moe_intermediate_size": 24)");
}

// The first layer has an MLP, the second experts.
inline Shape SmallLatent() {
  return SmallShape("deepseek_v2", R"("num_hidden_layers": 2, "first_k_dense_replace": 1,
      "num_attention_heads": 4, "num_key_value_heads": 4, "q_lora_rank": null, "kv_lora_rank": 16,
      "qk_nope_head_dim": 8, "qk_rope_head_dim": 8, "v_head_dim": 8, "n_routed_experts": 4,
      "num_experts_per_tok": 1, "moe_intermediate_size": 8, "n_shared_experts": 1,
      "topk_method": "greedy")");
}

// A gated delta net, then attention.
inline Shape SmallDeltaNet() {
  return SmallShape("qwen3_5_text", R"("num_hidden_layers": 2, "full_attention_interval": 2,
      "linear_num_key_heads": 2, "linear_num_value_heads": 4, "linear_key_head_dim": 8,
      "linear_value_head_dim": 16)");
}

inline Shape SmallMamba() {
  return SmallShape("granitemoehybrid", R"("num_hidden_layers": 2, "num_local_experts": 0,
      "shared_intermediate_size": 40, "layer_types": ["mamba", "attention"], "mamba_n_heads": 4,
      "mamba_d_head": 16, "mamba_d_state": 8, "mamba_n_groups": 1)");
}

inline Shape SmallConv() {
  return SmallShape("lfm2", R"("num_hidden_layers": 2, "block_ff_dim": 40,
      "block_auto_adjust_ff_dim": false, "full_attn_idxs": [1], "conv_L_cache": 3)");
}

// The last two layers read the keys and values of the first two.
inline Shape SmallLayerEmbeddings() {
  return SmallShape("gemma4_text", R"("num_hidden_layers": 4, "global_head_dim": 32,
      "sliding_window": 64, "num_kv_shared_layers": 2, "hidden_size_per_layer_input": 8,
      "vocab_size_per_layer_input": 50, "layer_types": ["sliding_attention", "full_attention",
      "sliding_attention", "full_attention"])");
}

// Biases of everything, sinks, a window.
inline Shape SmallSinks() {
  return SmallShape("gpt_oss", R"("num_local_experts": 4, "num_experts_per_tok": 2,
      "num_hidden_layers": 2, "sliding_window": 64)");
}

}  // namespace rondo::tools
