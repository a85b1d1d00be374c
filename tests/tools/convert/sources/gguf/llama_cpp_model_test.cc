// Small checkpoints of random weights, and GGUF files of them by the rules of llama.cpp's
// converter: the same logits. That converter is not at hand, so its rules are written down once
// more here (llama_cpp_keys.cc, llama_cpp_tensors.cc), apart from those that undo them. To see that
// they are right, llama.cpp 0.7.0 was run once on what they write: it has the logits of the
// checkpoint, within 1e-4 of their deviation (2e-3 where it looks GELU up in a table), for all but
// phimoe (it has another router), exaone4 with windows (only with 64 layers), and what it does not
// load: dots1 with fewer heads of keys, youtu, and gemma4 with shared keys. It was not run on
// bloom, gemma3n and gemma4 with experts.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/temp_folder.h"
#include "tests/tools/convert/checkpoint_of.h"
#include "tests/tools/convert/sources/gguf/llama_cpp_gguf.h"
#include "tests/tools/convert/sources/gguf/logits_difference.h"
#include "tests/tools/error_of.h"

namespace rondo::convert {
namespace {

using nlohmann::json;

// Without what a model does not know: null.
json ConfigOf(const char* own) {
  json config = json::parse(R"({
      "vocab_size": 48, "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 3,
      "num_attention_heads": 4, "num_key_value_heads": 2, "max_position_embeddings": 128,
      "rms_norm_eps": 1e-5, "tie_word_embeddings": false,
      "rope_parameters": {"rope_type": "default", "rope_theta": 10000.0}})");
  config.update(json::parse(own));
  return config;
}

struct Case {
  const char* name;
  const char* config;
};

class LlamaCppGguf : public testing::TestWithParam<Case> {};

TEST_P(LlamaCppGguf, LogitsAreThoseOfTheCheckpoint) {
  const TempFolder folder;
  WriteCheckpointOf(folder / "checkpoint", ConfigOf(GetParam().config).dump());
  WriteLlamaCppGguf(folder / "checkpoint", folder / "model.gguf");
  std::vector<int32_t> ids;
  for (int32_t i = 0; i < 40; ++i) ids.push_back((7 * i + i * i) % 48);
  const std::vector<float> expected = FloatLogits(folder / "checkpoint", ids);
  const LogitsDifference difference =
      Compare(FloatLogits(folder / "model.gguf", ids), expected, 48);
  EXPECT_LT(difference.largest, 1e-4);
  const auto [least, most] = std::ranges::minmax(expected);
  EXPECT_GT(most - least, 0.1f);  // there is something to compare
}

constexpr Case kCases[] = {
    {"arcee", R"({"model_type": "arcee", "hidden_act": "relu2", "mlp_bias": true})"},
    {"bloom", R"({"model_type": "bloom", "seq_length": 64, "layer_norm_epsilon": 1e-5,
        "rope_parameters": null, "rms_norm_eps": null, "num_key_value_heads": null,
        "intermediate_size": null, "max_position_embeddings": null,
        "tie_word_embeddings": true})"},
    {"cohere", R"({"model_type": "cohere", "layer_norm_eps": 1e-5, "rms_norm_eps": null,
        "logit_scale": 0.5, "use_qk_norm": true, "tie_word_embeddings": true})"},
    {"cohere2", R"({"model_type": "cohere2", "layer_norm_eps": 1e-5, "rms_norm_eps": null,
        "logit_scale": 0.5, "sliding_window": 8, "num_hidden_layers": 4,
        "tie_word_embeddings": true})"},
    {"deepseek_v2", R"({"model_type": "deepseek_v2", "num_key_value_heads": 4, "q_lora_rank": null,
        "kv_lora_rank": 16, "qk_nope_head_dim": 16, "qk_rope_head_dim": 8, "v_head_dim": 16,
        "n_routed_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 24,
        "n_shared_experts": 2, "first_k_dense_replace": 1, "routed_scaling_factor": 1.5,
        "rope_parameters": {"rope_type": "yarn", "rope_theta": 10000.0, "factor": 4.0,
            "original_max_position_embeddings": 32, "mscale": 0.707, "mscale_all_dim": 0.707,
            "beta_fast": 16, "beta_slow": 2}})"},
    {"deepseek_v3", R"({"model_type": "deepseek_v3", "num_key_value_heads": 4, "q_lora_rank": 16,
        "kv_lora_rank": 16, "qk_nope_head_dim": 8, "qk_rope_head_dim": 8, "v_head_dim": 16,
        "n_routed_experts": 8, "num_experts_per_tok": 2, "moe_intermediate_size": 24,
        "n_shared_experts": 1, "first_k_dense_replace": 1, "routed_scaling_factor": 2.5,
        "n_group": 2, "topk_group": 1, "norm_topk_prob": true,
        "rope_parameters": {"rope_type": "yarn", "rope_theta": 10000.0, "factor": 4.0,
            "original_max_position_embeddings": 32, "mscale": 1.0, "mscale_all_dim": 1.0}})"},
    {"dots1", R"({"model_type": "dots1", "n_routed_experts": 4, "num_experts_per_tok": 2,
        "moe_intermediate_size": 24, "n_shared_experts": 1, "first_k_dense_replace": 1,
        "routed_scaling_factor": 1.5, "norm_topk_prob": true, "sliding_window": null})"},
    {"ernie4_5", R"({"model_type": "ernie4_5", "head_dim": 8, "tie_word_embeddings": true})"},
    {"ernie4_5_moe", R"({"model_type": "ernie4_5_moe", "moe_num_experts": 4, "moe_k": 2,
        "moe_intermediate_size": 24, "moe_num_shared_experts": 2, "intermediate_size": 96,
        "moe_layer_start_index": 1,
        "moe_layer_interval": 1})"},
    {"exaone4", R"({"model_type": "exaone4", "sliding_window": 8, "num_hidden_layers": 2,
        "layer_types": ["full_attention", "sliding_attention"]})"},
    {"falcon", R"({"model_type": "falcon", "multi_query": true, "layer_norm_epsilon": 1e-5,
        "rms_norm_eps": null, "num_kv_heads": 1, "num_key_value_heads": null})"},
    {"falcon_groups", R"({"model_type": "falcon", "new_decoder_architecture": true,
        "layer_norm_epsilon": 1e-5, "rms_norm_eps": null, "num_kv_heads": 2,
        "num_key_value_heads": null})"},
    {"falcon_h1", R"({"model_type": "falcon_h1", "mamba_d_ssm": 64, "mamba_n_heads": 4,
        "mamba_d_head": 16, "mamba_n_groups": 2, "mamba_d_state": 16, "mamba_d_conv": 4,
        "mamba_rms_norm": true, "mamba_norm_before_gate": false, "ssm_in_multiplier": 1.5,
        "ssm_out_multiplier": 0.5, "ssm_multipliers": [0.5, 1.5, 2.0, 0.75, 1.25],
        "attention_in_multiplier": 0.5, "attention_out_multiplier": 2.0, "key_multiplier": 0.5,
        "mlp_multipliers": [0.5, 2.0], "lm_head_multiplier": 2.0, "embedding_multiplier": 1.5})"},
    {"gemma3n", R"({"model_type": "gemma3n_text", "num_hidden_layers": 6, "head_dim": 8,
        "sliding_window": 8, "layer_types": ["sliding_attention", "full_attention",
            "sliding_attention", "sliding_attention", "sliding_attention", "full_attention"],
        "num_kv_shared_layers": 2, "hidden_size_per_layer_input": 8,
        "vocab_size_per_layer_input": 48, "final_logit_softcapping": 20.0, "rms_norm_eps": 1e-6,
        "altup_num_inputs": 3, "altup_active_idx": 1, "laurel_rank": 8,
        "activation_sparsity_pattern": [0.95, 0.95, 0.0, 0.0, 0.0, 0.0],
        "tie_word_embeddings": true, "rope_parameters": {
            "full_attention": {"rope_type": "default", "rope_theta": 1000000.0},
            "sliding_attention": {"rope_type": "default", "rope_theta": 20000.0}}})"},
    {"gemma4_experts", R"({"model_type": "gemma4_text", "num_hidden_layers": 2, "head_dim": 8,
        "global_head_dim": 16, "sliding_window": 8, "attention_k_eq_v": true,
        "num_global_key_value_heads": 1, "num_kv_shared_layers": 0,
        "layer_types": ["sliding_attention", "full_attention"], "hidden_size_per_layer_input": 0,
        "enable_moe_block": true, "num_experts": 4, "top_k_experts": 2,
        "moe_intermediate_size": 24, "rms_norm_eps": 1e-6, "tie_word_embeddings": true,
        "rope_parameters": {
            "full_attention": {"rope_type": "proportional", "rope_theta": 1000000.0,
                "partial_rotary_factor": 0.25},
            "sliding_attention": {"rope_type": "default", "rope_theta": 10000.0}}})"},
    {"gemma4", R"({"model_type": "gemma4_text", "num_hidden_layers": 6, "head_dim": 8,
        "global_head_dim": 16, "num_key_value_heads": 2, "sliding_window": 8,
        "layer_types": ["sliding_attention", "full_attention", "sliding_attention",
            "sliding_attention", "sliding_attention", "full_attention"],
        "num_kv_shared_layers": 2, "use_double_wide_mlp": true, "hidden_size_per_layer_input": 8,
        "vocab_size_per_layer_input": 48, "final_logit_softcapping": 30.0, "rms_norm_eps": 1e-6,
        "tie_word_embeddings": true, "rope_parameters": {
            "full_attention": {"rope_type": "proportional", "rope_theta": 1000000.0,
                "partial_rotary_factor": 0.25},
            "sliding_attention": {"rope_type": "default", "rope_theta": 10000.0}}})"},
    {"glm4", R"({"model_type": "glm4", "head_dim": 8, "attention_bias": true})"},
    {"glm4_moe", R"({"model_type": "glm4_moe", "n_routed_experts": 4, "num_experts_per_tok": 2,
        "moe_intermediate_size": 24, "n_shared_experts": 1, "first_k_dense_replace": 1,
        "routed_scaling_factor": 1.5, "norm_topk_prob": true, "use_qk_norm": true, "n_group": 1,
        "topk_group": 1, "attention_bias": true})"},
    {"gpt_bigcode", R"({"model_type": "gpt_bigcode", "n_embd": 32, "n_head": 4, "n_layer": 2,
        "n_positions": 64, "layer_norm_epsilon": 1e-5, "multi_query": true, "hidden_size": null,
        "num_hidden_layers": null, "rope_parameters": null, "rms_norm_eps": null,
        "num_key_value_heads": null, "intermediate_size": null, "num_attention_heads": null,
        "max_position_embeddings": null, "tie_word_embeddings": true})"},
    {"gpt_oss", R"({"model_type": "gpt_oss", "head_dim": 8, "sliding_window": 8,
        "num_local_experts": 4, "num_experts_per_tok": 2, "rope_parameters": {"rope_type": "yarn",
            "rope_theta": 150000.0, "factor": 8.0, "original_max_position_embeddings": 32,
            "beta_fast": 32.0, "beta_slow": 1.0, "truncate": false}})"},
    {"granitemoe", R"({"model_type": "granitemoe", "num_local_experts": 4,
        "num_experts_per_tok": 2, "attention_multiplier": 0.25, "embedding_multiplier": 2.0,
        "residual_multiplier": 0.5, "logits_scaling": 2.0})"},
    {"granitemoeshared", R"({"model_type": "granitemoeshared", "num_local_experts": 4,
        "num_experts_per_tok": 2, "attention_multiplier": 0.25, "embedding_multiplier": 2.0,
        "residual_multiplier": 0.5, "logits_scaling": 2.0, "shared_intermediate_size": 24})"},
    {"granitemoehybrid", R"({"model_type": "granitemoehybrid", "num_local_experts": 4,
        "num_experts_per_tok": 2, "attention_multiplier": 0.25, "embedding_multiplier": 2.0,
        "residual_multiplier": 0.5, "logits_scaling": 2.0, "shared_intermediate_size": 24,
        "mamba_n_heads": 4, "mamba_d_head": 16, "mamba_n_groups": 1, "mamba_d_state": 16,
        "mamba_d_conv": 4, "layer_types": ["mamba", "attention", "mamba"]})"},
    {"granitehybrid_dense", R"({"model_type": "granitemoehybrid", "num_local_experts": 0,
        "num_experts_per_tok": 0, "attention_multiplier": 0.25, "embedding_multiplier": 2.0,
        "residual_multiplier": 0.5, "logits_scaling": 2.0, "shared_intermediate_size": 48,
        "mamba_n_heads": 4, "mamba_d_head": 16, "mamba_n_groups": 1, "mamba_d_state": 16,
        "mamba_d_conv": 4, "layer_types": ["mamba", "attention", "mamba"]})"},
    {"hunyuan_dense", R"({"model_type": "hunyuan_v1_dense", "head_dim": 8})"},
    {"hunyuan_moe", R"({"model_type": "hunyuan_v1_moe", "num_experts": 4, "moe_topk": [2, 2, 2]})"},
    {"lfm2_moe", R"({"model_type": "lfm2_moe", "num_experts": 4, "num_experts_per_tok": 2,
        "moe_intermediate_size": 24, "num_dense_layers": 1, "conv_L_cache": 3, "norm_eps": 1e-5,
        "rms_norm_eps": null, "tie_word_embeddings": true,
        "layer_types": ["conv", "full_attention", "conv"]})"},
    {"llama4", R"({"model_type": "llama4_text", "head_dim": 8, "intermediate_size": 24,
        "intermediate_size_mlp": 48, "num_local_experts": 4, "num_experts_per_tok": 1,
        "interleave_moe_layer_step": 2, "num_hidden_layers": 4})"},
    {"mamba2", R"({"model_type": "mamba2", "num_heads": 4, "head_dim": 16, "n_groups": 2,
        "state_size": 16, "conv_kernel": 4, "expand": 2, "layer_norm_epsilon": 1e-5,
        "rope_parameters": null, "use_bias": true})"},
    {"minimax_m2", R"({"model_type": "minimax_m2", "head_dim": 8, "rotary_dim": 4,
        "num_local_experts": 4, "num_experts_per_tok": 2})"},
    {"mpt", R"({"model_type": "mpt", "d_model": 32, "n_heads": 4, "n_layers": 2, "max_seq_len": 64,
        "attn_config": {"clip_qkv": null}, "hidden_size": null, "num_hidden_layers": null,
        "rope_parameters": null, "rms_norm_eps": null, "num_key_value_heads": null,
        "intermediate_size": null, "num_attention_heads": null, "max_position_embeddings": null,
        "tie_word_embeddings": true})"},
    {"nemotron", R"({"model_type": "nemotron", "norm_eps": 1e-5, "rms_norm_eps": null,
        "hidden_act": "relu2"})"},
    {"nemotron_h", R"({"model_type": "nemotron_h", "head_dim": 8, "layer_norm_epsilon": 1e-5,
        "layers_block_type": ["mamba", "mlp", "attention", "mamba"], "mamba_num_heads": 4,
        "mamba_head_dim": 16, "n_groups": 2, "ssm_state_size": 16, "conv_kernel": 4,
        "num_hidden_layers": null, "rms_norm_eps": null})"},
    {"olmo", R"({"model_type": "olmo", "rms_norm_eps": null, "clip_qkv": 2.0})"},
    {"olmo3", R"({"model_type": "olmo3", "sliding_window": 8, "num_hidden_layers": 4,
        "layer_types": ["sliding_attention", "full_attention", "sliding_attention",
            "full_attention"]})"},
    {"phimoe", R"({"model_type": "phimoe", "num_local_experts": 4, "num_experts_per_tok": 2,
        "attention_bias": true, "lm_head_bias": true})"},
    {"qwen2_moe", R"({"model_type": "qwen2_moe", "num_experts": 4, "num_experts_per_tok": 2,
        "moe_intermediate_size": 24, "shared_expert_intermediate_size": 40})"},
    {"qwen3_next", R"({"model_type": "qwen3_next", "head_dim": 16, "num_experts": 4,
        "num_experts_per_tok": 2, "moe_intermediate_size": 24,
        "shared_expert_intermediate_size": 40, "linear_num_key_heads": 2,
        "linear_num_value_heads": 4, "linear_key_head_dim": 8, "linear_value_head_dim": 16,
        "linear_conv_kernel_dim": 4, "full_attention_interval": 2})"},
    {"qwen3_5", R"({"model_type": "qwen3_5_text", "head_dim": 16, "linear_num_key_heads": 2,
        "linear_num_value_heads": 6, "linear_key_head_dim": 8, "linear_value_head_dim": 16,
        "linear_conv_kernel_dim": 4, "full_attention_interval": 2})"},
    {"qwen3_5_moe", R"({"model_type": "qwen3_5_moe_text", "head_dim": 16, "num_experts": 4,
        "num_experts_per_tok": 2, "moe_intermediate_size": 24,
        "shared_expert_intermediate_size": 40, "linear_num_key_heads": 2,
        "linear_num_value_heads": 4, "linear_key_head_dim": 8, "linear_value_head_dim": 16,
        "linear_conv_kernel_dim": 4, "full_attention_interval": 2})"},
    {"seed_oss", R"({"model_type": "seed_oss", "head_dim": 8, "attention_bias": true,
        "attention_out_bias": false})"},
    {"youtu", R"({"model_type": "youtu", "num_key_value_heads": 4, "q_lora_rank": 16,
        "kv_lora_rank": 16, "qk_nope_head_dim": 8, "qk_rope_head_dim": 8, "v_head_dim": 16})"},
};

INSTANTIATE_TEST_SUITE_P(All, LlamaCppGguf, testing::ValuesIn(kCases),
                         [](const auto& param) { return std::string(param.param.name); });

}  // namespace
}  // namespace rondo::convert
