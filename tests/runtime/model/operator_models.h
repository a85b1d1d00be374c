// Small models that have, between them, every operator of the format, to be damaged.
#pragma once

#include <string>

#include "tests/runtime/model/model_bytes.h"
#include "tests/temp_folder.h"
#include "tests/tools/convert/checkpoint_of.h"
#include "tools/convert/convert.h"

namespace rondo {

struct OperatorModel {
  const char* name;
  format::TensorFormat weights;
  const char* config;  // beside vocab_size and context, which all share
  bool draft_head = false;
};

// A few kB each, in every format of weights between them.
inline constexpr OperatorModel kOperatorModels[] = {
    {"delta", format::TensorFormat::Q8, R"("architectures": ["Qwen3_5ForCausalLM"],
      "hidden_size": 16, "intermediate_size": 24, "num_hidden_layers": 2, "num_attention_heads": 2,
      "num_key_value_heads": 1, "head_dim": 8, "layer_types": ["linear_attention",
      "full_attention"], "linear_num_key_heads": 1, "linear_num_value_heads": 2,
      "linear_key_head_dim": 8, "linear_value_head_dim": 16, "linear_conv_kernel_dim": 3)"},
    {"mamba", format::TensorFormat::Q3, R"("architectures": ["FalconH1ForCausalLM"],
      "hidden_size": 16, "intermediate_size": 24, "num_hidden_layers": 1, "num_attention_heads": 2,
      "num_key_value_heads": 1, "mamba_d_ssm": 32, "mamba_n_heads": 4, "mamba_n_groups": 2,
      "mamba_d_state": 8, "mamba_d_conv": 2, "mamba_rms_norm": true)"},
    {"latent", format::TensorFormat::Q4, R"("architectures": ["DeepseekV3ForCausalLM"],
      "hidden_size": 16, "intermediate_size": 24, "num_hidden_layers": 2, "num_attention_heads": 2,
      "num_key_value_heads": 2, "q_lora_rank": 12, "kv_lora_rank": 16, "qk_nope_head_dim": 8,
      "qk_rope_head_dim": 8, "v_head_dim": 8, "n_routed_experts": 4, "num_experts_per_tok": 2,
      "moe_intermediate_size": 8, "first_k_dense_replace": 1, "n_group": 2, "topk_group": 1)"},
    {"embeddings", format::TensorFormat::Q4B, R"("architectures": ["Gemma4ForCausalLM"],
      "hidden_size": 16, "intermediate_size": 24, "num_hidden_layers": 3, "num_attention_heads": 2,
      "num_key_value_heads": 1, "head_dim": 8, "global_head_dim": 16, "sliding_window": 3,
      "layer_types": ["full_attention", "sliding_attention", "full_attention"],
      "num_kv_shared_layers": 1, "hidden_size_per_layer_input": 4, "vocab_size_per_layer_input": 10,
      "final_logit_softcapping": 5.0)"},
    {"sinks", format::TensorFormat::Q8, R"("architectures": ["GptOssForCausalLM"],
      "hidden_size": 16, "intermediate_size": 8, "num_hidden_layers": 2, "num_attention_heads": 2,
      "num_key_value_heads": 1, "head_dim": 8, "sliding_window": 3, "num_local_experts": 3,
      "num_experts_per_tok": 2)"},
    {"chunks", format::TensorFormat::F32, R"("architectures": ["Llama4ForCausalLM"],
      "hidden_size": 16, "intermediate_size": 8, "intermediate_size_mlp": 24,
      "num_hidden_layers": 2, "num_attention_heads": 2, "num_key_value_heads": 1, "head_dim": 8,
      "attention_chunk_size": 2, "interleave_moe_layer_step": 2, "no_rope_layer_interval": 2,
      "floor_scale": 2, "num_local_experts": 2)"},
    {"alibi", format::TensorFormat::Q8, R"("architectures": ["FalconForCausalLM"],
      "hidden_size": 16, "intermediate_size": 24, "num_hidden_layers": 1, "num_attention_heads": 2,
      "alibi": true, "bias": true, "multi_query": true, "parallel_attn": true)"},
    {"encoder", format::TensorFormat::Q8, R"("architectures": ["ModernBertModel"],
      "model_type": "modernbert", "hidden_size": 16, "intermediate_size": 24,
      "num_hidden_layers": 2, "num_attention_heads": 2, "local_attention": 4)"},
    {"head", format::TensorFormat::Q8, R"("architectures": ["Glm4MoeForCausalLM"],
      "hidden_size": 16, "intermediate_size": 24, "num_hidden_layers": 1, "num_attention_heads": 2,
      "num_key_value_heads": 1, "head_dim": 8, "n_routed_experts": 2, "num_experts_per_tok": 1,
      "moe_intermediate_size": 8, "n_group": 1, "topk_group": 1, "n_shared_experts": 1,
      "first_k_dense_replace": 1, "num_nextn_predict_layers": 1)",
     true},
};

inline ModelBytes Converted(const OperatorModel& model) {
  const TempFolder folder;
  const auto write =
      model.draft_head ? convert::WriteCheckpointWithDraftHead : convert::WriteCheckpointOf;
  write(folder / "model",
        std::string(R"({"vocab_size": 12, "max_position_embeddings": 128, )") + model.config + "}");
  convert::ConvertOptions options;
  options.directory = folder / "model";
  options.output = folder / "model.rondo";
  options.weights = model.weights;
  options.embedding = format::TensorFormat::Q8;
  options.draft_head = model.draft_head;
  convert::Convert(options, [](uint64_t, uint64_t) {});
  return ModelBytes(options.output);
}

inline const OperatorModel& OperatorModelNamed(const std::string& name) {
  for (const OperatorModel& model : kOperatorModels) {
    if (name == model.name) return model;
  }
  throw std::runtime_error("no model " + name);
}

}  // namespace rondo
