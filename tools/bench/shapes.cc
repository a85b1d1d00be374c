#include "tools/bench/shapes.h"

#include <algorithm>
#include <filesystem>

namespace rondo::tools {
namespace {

constexpr NamedShape kShapes[] = {
    {"stories260k", R"({"model_type": "llama", "hidden_size": 64, "intermediate_size": 172,
        "num_hidden_layers": 5, "num_attention_heads": 8, "num_key_value_heads": 4,
        "vocab_size": 512, "max_position_embeddings": 512, "tie_word_embeddings": true})"},
    {"llama3.2-1b", R"({"model_type": "llama", "hidden_size": 2048, "intermediate_size": 8192,
        "num_hidden_layers": 16, "num_attention_heads": 32, "num_key_value_heads": 8,
        "vocab_size": 128256, "max_position_embeddings": 131072, "rope_theta": 500000,
        "tie_word_embeddings": true})"},
    {"llama3.2-3b", R"({"model_type": "llama", "hidden_size": 3072, "intermediate_size": 8192,
        "num_hidden_layers": 28, "num_attention_heads": 24, "num_key_value_heads": 8,
        "vocab_size": 128256, "max_position_embeddings": 131072, "rope_theta": 500000,
        "tie_word_embeddings": true})"},
    {"llama3.1-8b", R"({"model_type": "llama", "hidden_size": 4096, "intermediate_size": 14336,
        "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8,
        "vocab_size": 128256, "max_position_embeddings": 131072, "rope_theta": 500000,
        "tie_word_embeddings": false})"},
    {"tinyllama-1.1b", R"({"model_type": "llama", "hidden_size": 2048, "intermediate_size": 5632,
        "num_hidden_layers": 22, "num_attention_heads": 32, "num_key_value_heads": 4,
        "vocab_size": 32000, "max_position_embeddings": 2048, "tie_word_embeddings": false})"},
    {"smollm2-135m", R"({"model_type": "llama", "hidden_size": 576, "intermediate_size": 1536,
        "num_hidden_layers": 30, "num_attention_heads": 9, "num_key_value_heads": 3,
        "vocab_size": 49152, "max_position_embeddings": 8192, "rope_theta": 100000,
        "tie_word_embeddings": true})"},
    {"smollm2-360m", R"({"model_type": "llama", "hidden_size": 960, "intermediate_size": 2560,
        "num_hidden_layers": 32, "num_attention_heads": 15, "num_key_value_heads": 5,
        "vocab_size": 49152, "max_position_embeddings": 8192, "rope_theta": 100000,
        "tie_word_embeddings": true})"},
    {"smollm2-1.7b", R"({"model_type": "llama", "hidden_size": 2048, "intermediate_size": 8192,
        "num_hidden_layers": 24, "num_attention_heads": 32, "num_key_value_heads": 32,
        "vocab_size": 49152, "max_position_embeddings": 8192, "rope_theta": 130000,
        "tie_word_embeddings": true})"},
    {"smollm3-3b", R"({"model_type": "smollm3", "hidden_size": 2048, "intermediate_size": 11008,
        "num_hidden_layers": 36, "num_attention_heads": 16, "num_key_value_heads": 4,
        "vocab_size": 128256, "max_position_embeddings": 65536, "rope_theta": 5000000,
        "no_rope_layer_interval": 4, "tie_word_embeddings": true})"},
    {"mistral-7b", R"({"model_type": "mistral", "hidden_size": 4096, "intermediate_size": 14336,
        "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8,
        "vocab_size": 32768, "max_position_embeddings": 32768, "rope_theta": 1000000,
        "sliding_window": null, "tie_word_embeddings": false})"},
    {"phi4-mini", R"({"model_type": "phi3", "hidden_size": 3072, "intermediate_size": 8192,
        "num_hidden_layers": 32, "num_attention_heads": 24, "num_key_value_heads": 8,
        "vocab_size": 200064, "max_position_embeddings": 131072, "partial_rotary_factor": 0.75,
        "pad_token_id": 199999, "tie_word_embeddings": true})"},
    {"qwen3-0.6b", R"({"model_type": "qwen3", "hidden_size": 1024, "intermediate_size": 3072,
        "num_hidden_layers": 28, "num_attention_heads": 16, "num_key_value_heads": 8,
        "head_dim": 128, "vocab_size": 151936, "max_position_embeddings": 40960,
        "rope_theta": 1000000, "tie_word_embeddings": true})"},
    {"qwen3-1.7b", R"({"model_type": "qwen3", "hidden_size": 2048, "intermediate_size": 6144,
        "num_hidden_layers": 28, "num_attention_heads": 16, "num_key_value_heads": 8,
        "head_dim": 128, "vocab_size": 151936, "max_position_embeddings": 40960,
        "rope_theta": 1000000, "tie_word_embeddings": true})"},
    {"qwen3-4b", R"({"model_type": "qwen3", "hidden_size": 2560, "intermediate_size": 9728,
        "num_hidden_layers": 36, "num_attention_heads": 32, "num_key_value_heads": 8,
        "head_dim": 128, "vocab_size": 151936, "max_position_embeddings": 40960,
        "rope_theta": 1000000, "tie_word_embeddings": true})"},
    {"qwen3-30b-a3b", R"({"model_type": "qwen3_moe", "hidden_size": 2048,
        "intermediate_size": 6144, "moe_intermediate_size": 768, "num_experts": 128,
        "num_experts_per_tok": 8, "norm_topk_prob": true, "num_hidden_layers": 48,
        "num_attention_heads": 32, "num_key_value_heads": 4, "head_dim": 128,
        "vocab_size": 151936, "max_position_embeddings": 40960, "rope_theta": 1000000,
        "tie_word_embeddings": false})"},
    {"qwen3.5-0.8b", R"({"model_type": "qwen3_5_text", "hidden_size": 1024,
        "intermediate_size": 3584, "num_hidden_layers": 24, "num_attention_heads": 8,
        "num_key_value_heads": 2, "head_dim": 256, "linear_num_key_heads": 16,
        "linear_num_value_heads": 16, "vocab_size": 248320, "max_position_embeddings": 262144,
        "tie_word_embeddings": true})"},
    {"qwen3.5-2b", R"({"model_type": "qwen3_5_text", "hidden_size": 2048,
        "intermediate_size": 6144, "num_hidden_layers": 24, "num_attention_heads": 8,
        "num_key_value_heads": 2, "head_dim": 256, "linear_num_key_heads": 16,
        "linear_num_value_heads": 16, "vocab_size": 248320, "max_position_embeddings": 262144,
        "tie_word_embeddings": true})"},
    {"qwen3.5-4b", R"({"model_type": "qwen3_5_text", "hidden_size": 2560,
        "intermediate_size": 9216, "num_hidden_layers": 32, "num_attention_heads": 16,
        "num_key_value_heads": 4, "head_dim": 256, "linear_num_key_heads": 16,
        "linear_num_value_heads": 32, "vocab_size": 248320, "max_position_embeddings": 262144,
        "tie_word_embeddings": true})"},
    {"gemma3-270m", R"({"model_type": "gemma3_text", "hidden_size": 640, "intermediate_size": 2048,
        "num_hidden_layers": 18, "num_attention_heads": 4, "num_key_value_heads": 1,
        "head_dim": 256, "query_pre_attn_scalar": 256, "sliding_window": 512,
        "vocab_size": 262144, "max_position_embeddings": 32768})"},
    {"gemma3-1b", R"({"model_type": "gemma3_text", "hidden_size": 1152, "intermediate_size": 6912,
        "num_hidden_layers": 26, "num_attention_heads": 4, "num_key_value_heads": 1,
        "head_dim": 256, "query_pre_attn_scalar": 256, "sliding_window": 512,
        "vocab_size": 262144, "max_position_embeddings": 32768})"},
    {"gemma4-e2b", R"({"model_type": "gemma4_text", "hidden_size": 1536, "intermediate_size": 6144,
        "num_hidden_layers": 35, "num_attention_heads": 8, "num_key_value_heads": 1,
        "head_dim": 256, "global_head_dim": 512, "sliding_window": 512,
        "num_kv_shared_layers": 20, "use_double_wide_mlp": true, "final_logit_softcapping": 30,
        "hidden_size_per_layer_input": 256, "vocab_size_per_layer_input": 262144,
        "vocab_size": 262144, "max_position_embeddings": 131072, "layer_types": [
          "sliding_attention", "sliding_attention", "sliding_attention", "sliding_attention",
          "full_attention", "sliding_attention", "sliding_attention", "sliding_attention",
          "sliding_attention", "full_attention", "sliding_attention", "sliding_attention",
          "sliding_attention", "sliding_attention", "full_attention", "sliding_attention",
          "sliding_attention", "sliding_attention", "sliding_attention", "full_attention",
          "sliding_attention", "sliding_attention", "sliding_attention", "sliding_attention",
          "full_attention", "sliding_attention", "sliding_attention", "sliding_attention",
          "sliding_attention", "full_attention", "sliding_attention", "sliding_attention",
          "sliding_attention", "sliding_attention", "full_attention"]})"},
    {"lfm2-350m", R"({"model_type": "lfm2", "hidden_size": 1024, "block_ff_dim": 6656,
        "num_hidden_layers": 16, "num_attention_heads": 16, "num_key_value_heads": 8,
        "full_attn_idxs": [2, 5, 8, 10, 12, 14], "conv_L_cache": 3, "vocab_size": 65536,
        "max_position_embeddings": 128000})"},
    {"lfm2-1.2b", R"({"model_type": "lfm2", "hidden_size": 2048, "block_ff_dim": 12288,
        "num_hidden_layers": 16, "num_attention_heads": 32, "num_key_value_heads": 8,
        "full_attn_idxs": [2, 5, 8, 10, 12, 14], "conv_L_cache": 3, "vocab_size": 65536,
        "max_position_embeddings": 128000})"},
    {"lfm2-8b-a1b", R"({"model_type": "lfm2_moe", "hidden_size": 2048, "intermediate_size": 7168,
        "moe_intermediate_size": 1792, "num_experts": 32, "num_experts_per_tok": 4,
        "num_dense_layers": 2, "num_hidden_layers": 24, "num_attention_heads": 32,
        "num_key_value_heads": 8, "full_attn_idxs": [2, 6, 10, 14, 18, 21], "conv_L_cache": 3,
        "vocab_size": 65536, "max_position_embeddings": 128000})"},
    {"gpt-oss-20b", R"({"model_type": "gpt_oss", "hidden_size": 2880, "intermediate_size": 2880,
        "num_local_experts": 32, "num_experts_per_tok": 4, "num_hidden_layers": 24,
        "num_attention_heads": 64, "num_key_value_heads": 8, "head_dim": 64,
        "sliding_window": 128, "vocab_size": 201088, "max_position_embeddings": 131072})"},
    {"granite4-h-micro", R"({"model_type": "granitemoehybrid", "hidden_size": 2048,
        "shared_intermediate_size": 8192, "num_local_experts": 0, "num_hidden_layers": 40,
        "num_attention_heads": 32, "num_key_value_heads": 8, "mamba_n_heads": 64,
        "mamba_d_head": 64, "mamba_d_state": 128, "mamba_n_groups": 1, "mamba_d_conv": 4,
        "embedding_multiplier": 12, "attention_multiplier": 0.015625, "residual_multiplier": 0.22,
        "logits_scaling": 8, "vocab_size": 100352, "max_position_embeddings": 131072,
        "tie_word_embeddings": true, "layer_types": [
          "mamba", "mamba", "mamba", "mamba", "mamba", "attention", "mamba", "mamba", "mamba",
          "mamba", "mamba", "mamba", "mamba", "mamba", "mamba", "attention", "mamba", "mamba",
          "mamba", "mamba", "mamba", "mamba", "mamba", "mamba", "mamba", "attention", "mamba",
          "mamba", "mamba", "mamba", "mamba", "mamba", "mamba", "mamba", "mamba", "attention",
          "mamba", "mamba", "mamba", "mamba"]})"},
    {"granite4-h-tiny", R"({"model_type": "granitemoehybrid", "hidden_size": 1536,
        "intermediate_size": 512, "shared_intermediate_size": 1024, "num_local_experts": 64,
        "num_experts_per_tok": 6, "num_hidden_layers": 40, "num_attention_heads": 12,
        "num_key_value_heads": 4, "mamba_n_heads": 48, "mamba_d_head": 64, "mamba_d_state": 128,
        "mamba_n_groups": 1, "mamba_d_conv": 4, "embedding_multiplier": 12,
        "attention_multiplier": 0.0078125, "residual_multiplier": 0.22, "logits_scaling": 6,
        "vocab_size": 100352, "max_position_embeddings": 131072, "tie_word_embeddings": true,
        "layer_types": [
          "mamba", "mamba", "mamba", "mamba", "mamba", "attention", "mamba", "mamba", "mamba",
          "mamba", "mamba", "mamba", "mamba", "mamba", "mamba", "attention", "mamba", "mamba",
          "mamba", "mamba", "mamba", "mamba", "mamba", "mamba", "mamba", "attention", "mamba",
          "mamba", "mamba", "mamba", "mamba", "mamba", "mamba", "mamba", "mamba", "attention",
          "mamba", "mamba", "mamba", "mamba"]})"},
    {"falcon-h1-0.5b", R"({"model_type": "falcon_h1", "hidden_size": 1024,
        "intermediate_size": 2048, "num_hidden_layers": 36, "num_attention_heads": 8,
        "num_key_value_heads": 2, "head_dim": 64, "mamba_d_ssm": 1536, "mamba_n_heads": 24,
        "mamba_d_head": 64, "mamba_d_state": 128, "mamba_n_groups": 1, "mamba_d_conv": 4,
        "vocab_size": 32784, "max_position_embeddings": 16384, "tie_word_embeddings": false})"},
    {"deepseek-v2-lite", R"({"model_type": "deepseek_v2", "hidden_size": 2048,
        "intermediate_size": 10944, "moe_intermediate_size": 1408, "n_routed_experts": 64,
        "num_experts_per_tok": 6, "n_shared_experts": 2, "first_k_dense_replace": 1,
        "topk_method": "greedy", "num_hidden_layers": 27, "num_attention_heads": 16,
        "num_key_value_heads": 16, "q_lora_rank": null, "kv_lora_rank": 512,
        "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128,
        "vocab_size": 102400, "max_position_embeddings": 163840, "tie_word_embeddings": false})"},
};

const NamedShape* Find(std::string_view name) {
  const auto* const found = std::ranges::find(kShapes, name, &NamedShape::name);
  return found == std::end(kShapes) ? nullptr : found;
}

}  // namespace

std::span<const NamedShape> AllShapes() { return kShapes; }

std::string ShapeNames() {
  std::string names;
  for (const NamedShape& shape : kShapes) {
    if (!names.empty()) names += ", ";
    names += shape.name;
  }
  return names;
}

bool IsShape(const std::string& shape) {
  return Find(shape) != nullptr || std::filesystem::is_regular_file(shape);
}

Shape OpenShape(const std::string& shape) {
  const NamedShape* const named = Find(shape);
  if (named == nullptr) return {shape, convert::Config::Load(shape)};
  return {shape, convert::Config::Of("the shape " + shape + ": key ",
                                     nlohmann::json::parse(named->config))};
}

}  // namespace rondo::tools
