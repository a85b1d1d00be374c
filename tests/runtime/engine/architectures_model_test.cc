// Every architecture, with the options that its config.json has, as random checkpoints: converts,
// runs, and gives the same bits however its tokens are cut, on however many threads, and again
// after an undo.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <random>

#include "tests/support/test_model.h"
#include "tests/temp_folder.h"
#include "tests/tools/convert/checkpoint_of.h"

namespace rondo::architectures_model_test {
namespace {

struct Case {
  const char* name;
  const char* config;  // what differs from the sizes below
};

constexpr Case kCases[] = {
    {"apertus", R"("architectures": ["ApertusForCausalLM"], "rope_parameters":
      {"rope_type": "default", "rope_theta": 100.0})"},
    {"arcee", R"("architectures": ["ArceeForCausalLM"], "mlp_bias": true)"},
    {"bart", R"("architectures": ["BartForCausalLM"], "d_model": 32, "decoder_layers": 3,
      "decoder_attention_heads": 4, "decoder_ffn_dim": 48, "num_key_value_heads": 4)"},
    {"bitnet", R"("architectures": ["BitNetForCausalLM"])"},
    {"biogpt", R"("architectures": ["BioGptForCausalLM"], "num_key_value_heads": 4)"},
    {"bloom", R"("architectures": ["BloomForCausalLM"], "n_embed": 32, "n_layer": 3,
      "num_key_value_heads": 4, "seq_length": 400)"},
    {"codegen", R"("architectures": ["CodeGenForCausalLM"], "n_embd": 32, "n_layer": 3,
      "n_head": 4, "n_positions": 400, "rotary_dim": 4, "num_key_value_heads": 4)"},
    {"cohere", R"("architectures": ["CohereForCausalLM"], "use_qk_norm": true)"},
    {"cohere2", R"("architectures": ["Cohere2ForCausalLM"], "sliding_window": 20,
      "sliding_window_pattern": 2)"},
    {"ctrl", R"("architectures": ["CTRLLMHeadModel"], "n_embd": 32, "n_layer": 3, "n_head": 4,
      "n_positions": 400, "dff": 48, "num_key_value_heads": 4)"},
    {"cwm", R"("architectures": ["CwmForCausalLM"], "head_dim": 16, "sliding_window": 20,
      "rope_parameters": {"rope_type": "default", "rope_theta": 100.0})"},
    {"ernie4_5", R"("architectures": ["Ernie4_5ForCausalLM"], "head_dim": 16, "use_bias": true)"},
    {"exaone4", R"("architectures": ["Exaone4ForCausalLM"], "sliding_window": 20,
      "sliding_window_pattern": 2)"},
    {"deepseek_v2", R"("architectures": ["DeepseekV2ForCausalLM"], "q_lora_rank": null,
      "kv_lora_rank": 16, "num_key_value_heads": 4, "qk_nope_head_dim": 16, "qk_rope_head_dim": 8,
      "v_head_dim": 16, "n_routed_experts": 6, "n_shared_experts": 2, "num_experts_per_tok": 2,
      "moe_intermediate_size": 16, "first_k_dense_replace": 1, "n_group": 3, "topk_group": 2,
      "topk_method": "group_limited_greedy", "routed_scaling_factor": 1.5)"},
    {"deepseek_v3", R"("architectures": ["DeepseekV3ForCausalLM"], "q_lora_rank": 24,
      "kv_lora_rank": 16, "num_key_value_heads": 4, "qk_nope_head_dim": 16, "qk_rope_head_dim": 8,
      "v_head_dim": 16, "n_routed_experts": 6, "num_experts_per_tok": 2,
      "moe_intermediate_size": 16, "first_k_dense_replace": 1, "n_group": 3, "topk_group": 2)"},
    {"falcon", R"("architectures": ["FalconForCausalLM"])"},
    {"falcon_alibi", R"("architectures": ["FalconForCausalLM"], "alibi": true, "bias": true,
      "multi_query": false, "parallel_attn": false)"},
    {"falcon_grouped", R"("architectures": ["FalconForCausalLM"], "num_kv_heads": 2,
      "new_decoder_architecture": true)"},
    {"gemma", R"("architectures": ["GemmaForCausalLM"], "head_dim": 16, "num_key_value_heads": 1)"},
    {"gemma2", R"("architectures": ["Gemma2ForCausalLM"], "head_dim": 16, "sliding_window": 20,
      "query_pre_attn_scalar": 12, "attn_logit_softcapping": 3.0, "final_logit_softcapping": 5.0)"},
    {"gemma3", R"("architectures": ["Gemma3ForCausalLM"], "head_dim": 16, "sliding_window": 20,
      "sliding_window_pattern": 2, "rope_local_base_freq": 100.0,
      "rope_scaling": {"rope_type": "linear", "factor": 4.0})"},
    {"gemma3n", R"("architectures": ["Gemma3nForCausalLM"], "head_dim": 16, "sliding_window": 20,
      "layer_types": ["sliding_attention", "full_attention", "sliding_attention"],
      "num_kv_shared_layers": 1, "hidden_size_per_layer_input": 8, "altup_active_idx": 1,
      "vocab_size_per_layer_input": 97, "laurel_rank": 6,
      "activation_sparsity_pattern": [0.9, 0.5, 0.0])"},
    {"gemma4", R"("architectures": ["Gemma4ForCausalLM"], "head_dim": 8, "global_head_dim": 16,
      "layer_types": ["sliding_attention", "full_attention", "full_attention"],
      "sliding_window": 20, "num_kv_shared_layers": 1, "hidden_size_per_layer_input": 8,
      "vocab_size_per_layer_input": 97, "use_double_wide_mlp": true)"},
    {"gemma4_keys_are_values", R"("architectures": ["Gemma4ForCausalLM"], "head_dim": 8,
      "global_head_dim": 16, "layer_types": ["sliding_attention", "sliding_attention",
      "full_attention"], "sliding_window": 20, "attention_k_eq_v": true,
      "num_global_key_value_heads": 1, "hidden_size_per_layer_input": 0)"},
    {"gemma4_experts", R"("architectures": ["Gemma4ForCausalLM"], "head_dim": 8,
      "global_head_dim": 16, "layer_types": ["sliding_attention", "full_attention",
      "full_attention"], "sliding_window": 20, "num_kv_shared_layers": 1,
      "use_double_wide_mlp": true, "hidden_size_per_layer_input": 0, "enable_moe_block": true,
      "num_experts": 6, "top_k_experts": 2, "moe_intermediate_size": 24)"},
    {"glm", R"("architectures": ["GlmForCausalLM"], "head_dim": 16)"},
    {"glm4", R"("architectures": ["Glm4ForCausalLM"], "head_dim": 16)"},
    {"gpt2", R"("architectures": ["GPT2LMHeadModel"], "n_embd": 32, "n_layer": 3, "n_head": 4,
      "n_positions": 400, "scale_attn_by_inverse_layer_idx": true)"},
    {"gpt_bigcode", R"("architectures": ["GPTBigCodeForCausalLM"], "n_embd": 32, "n_layer": 3,
      "n_head": 4, "n_positions": 400)"},
    {"gpt_bigcode_by_head", R"("architectures": ["GPTBigCodeForCausalLM"], "n_embd": 32,
      "n_layer": 3, "n_head": 4, "n_positions": 400, "multi_query": false)"},
    {"gpt_neo", R"("architectures": ["GPTNeoForCausalLM"], "num_layers": 3, "num_heads": 4,
      "window_size": 20)"},
    {"gpt_neox_japanese", R"("architectures": ["GPTNeoXJapaneseForCausalLM"])"},
    {"gpt_oss", R"("architectures": ["GptOssForCausalLM"], "num_local_experts": 6,
      "num_experts_per_tok": 2, "head_dim": 8, "sliding_window": 20, "swiglu_limit": 0.8,
      "rope_parameters": {"rope_type": "yarn", "rope_theta": 150000.0, "factor": 32.0,
      "beta_fast": 32.0, "beta_slow": 1.0, "truncate": false,
      "original_max_position_embeddings": 4096})"},
    {"gpt_neox", R"("architectures": ["GPTNeoXForCausalLM"], "rotary_pct": 0.25)"},
    {"gpt_neox_serial", R"("architectures": ["GPTNeoXForCausalLM"], "attention_bias": false,
      "use_parallel_residual": false)"},
    {"gptj", R"("architectures": ["GPTJForCausalLM"], "n_embd": 32, "n_layer": 3, "n_head": 4,
      "n_positions": 400, "rotary_dim": 4)"},
    {"granite", R"("architectures": ["GraniteForCausalLM"], "attention_multiplier": 0.2,
      "embedding_multiplier": 6.0, "residual_multiplier": 0.5, "logits_scaling": 2.0)"},
    {"helium", R"("architectures": ["HeliumForCausalLM"], "head_dim": 16)"},
    {"hunyuan", R"("architectures": ["HunYuanDenseV1ForCausalLM"],
      "rope_scaling": {"type": "dynamic", "alpha": 1000.0})"},
    {"hyperclovax", R"("architectures": ["HyperCLOVAXForCausalLM"], "residual_multiplier": 0.5,
      "logits_scaling": 0.5)"},
    {"jais2", R"("architectures": ["Jais2ForCausalLM"])"},
    {"qwen3_5", R"("architectures": ["Qwen3_5ForCausalLM"], "head_dim": 16,
      "layer_types": ["linear_attention", "full_attention", "linear_attention"],
      "linear_num_key_heads": 2, "linear_num_value_heads": 4, "linear_key_head_dim": 16,
      "linear_value_head_dim": 16)"},
    {"bamba", R"("architectures": ["BambaForCausalLM"], "attn_layer_indices": [1],
      "mamba_n_heads": 8, "mamba_n_groups": 2, "mamba_d_state": 16)"},
    {"falcon_h1", R"("architectures": ["FalconH1ForCausalLM"], "mamba_d_ssm": 48,
      "mamba_n_heads": 2, "mamba_d_state": 8, "mamba_d_conv": 3, "mamba_rms_norm": true)"},
    {"mamba2", R"("architectures": ["Mamba2ForCausalLM"], "num_heads": 4, "head_dim": 16,
      "n_groups": 1, "state_size": 16)"},
    {"lfm2", R"("architectures": ["Lfm2ForCausalLM"], "conv_bias": true, "conv_L_cache": 4,
      "layer_types": ["conv", "full_attention", "conv"])"},
    {"llama", R"("architectures": ["LlamaForCausalLM"], "attention_bias": true, "mlp_bias": true,
      "hidden_act": "relu2")"},
    {"mbart", R"("architectures": ["MBartForCausalLM"], "d_model": 32, "decoder_layers": 3,
      "decoder_attention_heads": 4, "decoder_ffn_dim": 48, "num_key_value_heads": 4,
      "scale_embedding": true)"},
    {"ministral", R"("architectures": ["MinistralForCausalLM"], "sliding_window": 70,
      "layer_types": ["sliding_attention", "full_attention", "sliding_attention"])"},
    {"ministral3", R"("architectures": ["Ministral3ForCausalLM"], "head_dim": 16,
      "rope_parameters": {"rope_type": "default", "llama_4_scaling_beta": 0.5,
      "original_max_position_embeddings": 30})"},
    {"mistral", R"("architectures": ["MistralForCausalLM"], "sliding_window": 70)"},
    {"mixtral", R"("architectures": ["MixtralForCausalLM"], "num_local_experts": 5,
      "num_experts_per_tok": 2, "sliding_window": 33)"},
    {"modernbert_decoder", R"("architectures": ["ModernBertDecoderForCausalLM"],
      "num_key_value_heads": 4, "local_attention": 40, "classifier_bias": true)"},
    {"mpt", R"("architectures": ["MptForCausalLM"], "d_model": 32, "n_layers": 3, "n_heads": 4,
      "max_seq_len": 400, "num_key_value_heads": 4)"},
    {"nanochat", R"("architectures": ["NanoChatForCausalLM"])"},
    {"nemotron", R"("architectures": ["NemotronForCausalLM"])"},
    {"olmo", R"("architectures": ["OlmoForCausalLM"], "clip_qkv": 0.7)"},
    {"olmo2", R"("architectures": ["Olmo2ForCausalLM"])"},
    {"olmo3", R"("architectures": ["Olmo3ForCausalLM"], "sliding_window": 20)"},
    {"olmoe", R"("architectures": ["OlmoeForCausalLM"], "num_experts": 6, "num_experts_per_tok": 3,
      "clip_qkv": 0.7)"},
    {"dots1", R"("architectures": ["Dots1ForCausalLM"], "n_routed_experts": 8,
      "moe_intermediate_size": 24, "n_shared_experts": 2, "n_group": 4, "topk_group": 2,
      "first_k_dense_replace": 1, "routed_scaling_factor": 2.5, "sliding_window": 20,
      "max_window_layers": 1)"},
    {"ernie4_5_moe", R"("architectures": ["Ernie4_5_MoeForCausalLM"], "moe_num_experts": 6,
      "moe_k": 2, "moe_intermediate_size": 24, "use_bias": true)"},
    {"flex_olmo", R"("architectures": ["FlexOlmoForCausalLM"], "num_experts": 5,
      "num_experts_per_tok": 2, "norm_topk_prob": true)"},
    {"glm4_moe", R"("architectures": ["Glm4MoeForCausalLM"], "n_routed_experts": 6,
      "num_experts_per_tok": 3, "moe_intermediate_size": 24, "use_qk_norm": true)"},
    {"granite_moe", R"("architectures": ["GraniteMoeForCausalLM"], "num_local_experts": 5,
      "attention_multiplier": 0.2, "embedding_multiplier": 6.0, "residual_multiplier": 0.5,
      "logits_scaling": 2.0)"},
    {"granite_moe_shared", R"("architectures": ["GraniteMoeSharedForCausalLM"],
      "num_local_experts": 5, "shared_intermediate_size": 40)"},
    {"hunyuan_moe", R"("architectures": ["HunYuanMoEV1ForCausalLM"], "num_experts": 6,
      "moe_topk": [2, 2, 2])"},
    {"lfm2_moe", R"("architectures": ["Lfm2MoeForCausalLM"], "num_experts": 6,
      "num_experts_per_tok": 2, "moe_intermediate_size": 24, "num_dense_layers": 1,
      "layer_types": ["conv", "full_attention", "conv"])"},
    {"llama4", R"("architectures": ["Llama4ForCausalLM"], "num_local_experts": 6, "head_dim": 8,
      "intermediate_size_mlp": 40, "attention_chunk_size": 20, "interleave_moe_layer_step": 2,
      "no_rope_layer_interval": 2, "floor_scale": 30)"},
    {"minimax_m2", R"("architectures": ["MiniMaxM2ForCausalLM"], "num_local_experts": 6,
      "num_experts_per_tok": 2, "head_dim": 16, "rotary_dim": 8)"},
    {"openai_gpt", R"("architectures": ["OpenAIGPTLMHeadModel"], "n_embd": 32, "n_layer": 3,
      "n_head": 4, "n_positions": 400, "num_key_value_heads": 4)"},
    {"opt", R"("architectures": ["OPTForCausalLM"], "ffn_dim": 48, "num_key_value_heads": 4)"},
    {"opt_350m", R"("architectures": ["OPTForCausalLM"], "ffn_dim": 48, "num_key_value_heads": 4,
      "do_layer_norm_before": false, "word_embed_proj_dim": 24)"},
    {"persimmon", R"("architectures": ["PersimmonForCausalLM"], "num_key_value_heads": 4)"},
    {"phi", R"("architectures": ["PhiForCausalLM"], "qk_layernorm": true)"},
    {"phimoe", R"("architectures": ["PhimoeForCausalLM"], "num_local_experts": 6,
      "router_jitter_noise": 0.2, "lm_head_bias": true)"},
    {"phi3_longrope", R"("architectures": ["Phi3ForCausalLM"], "partial_rotary_factor": 0.5,
      "original_max_position_embeddings": 100, "rope_scaling": {"type": "longrope",
      "short_factor": [1.0, 1.5], "long_factor": [2.0, 9.0]})"},
    {"qwen2", R"("architectures": ["Qwen2ForCausalLM"], "use_sliding_window": true,
      "sliding_window": 20, "max_window_layers": 1)"},
    {"qwen2_moe", R"("architectures": ["Qwen2MoeForCausalLM"], "num_experts": 6,
      "moe_intermediate_size": 24, "shared_expert_intermediate_size": 40)"},
    {"qwen3", R"("architectures": ["Qwen3ForCausalLM"], "head_dim": 16)"},
    {"qwen3_moe", R"("architectures": ["Qwen3MoeForCausalLM"], "num_experts": 6,
      "num_experts_per_tok": 2, "moe_intermediate_size": 24, "mlp_only_layers": [1],
      "norm_topk_prob": true)"},
    {"seed_oss", R"("architectures": ["SeedOssForCausalLM"], "head_dim": 16,
      "attention_out_bias": true)"},
    {"smollm3", R"("architectures": ["SmolLM3ForCausalLM"], "no_rope_layer_interval": 2)"},
    {"stablelm", R"("architectures": ["StableLmForCausalLM"], "use_qkv_bias": true,
      "qk_layernorm": true, "use_parallel_residual": true, "partial_rotary_factor": 0.25)"},
    {"starcoder2", R"("architectures": ["Starcoder2ForCausalLM"], "sliding_window": 20)"},
    {"xglm", R"("architectures": ["XGLMForCausalLM"], "d_model": 32, "ffn_dim": 48,
      "num_layers": 3, "attention_heads": 4, "num_key_value_heads": 4)"},
    {"youtu", R"("architectures": ["YoutuForCausalLM"], "q_lora_rank": 24, "kv_lora_rank": 16,
      "num_key_value_heads": 4, "qk_nope_head_dim": 16, "qk_rope_head_dim": 8, "v_head_dim": 16)"},
    {"vaultgemma", R"("architectures": ["VaultGemmaForCausalLM"], "head_dim": 16,
      "sliding_window": 20)"},
};

class Architectures : public testing::TestWithParam<Case> {
 protected:
  Architectures() {
    const std::string json = std::string(R"({"vocab_size": 97, "hidden_size": 32,
        "intermediate_size": 48, "num_hidden_layers": 3, "num_attention_heads": 4,
        "num_key_value_heads": )") +
                             KvHeads() + R"(, "max_position_embeddings": 400, )" +
                             GetParam().config + "}";
    // What is given twice counts as given last.
    convert::WriteCheckpointOf(folder_ / "model", nlohmann::json::parse(json).dump());
    std::mt19937 random(3);
    for (int32_t& id : ids_) id = static_cast<int32_t>(random() % 97);
  }

  std::string KvHeads() const {
    const std::string name = GetParam().name;
    return name.rfind("gpt", 0) == 0 || name.rfind("phi", 0) == 0 ? "4" : "2";
  }
  TestModel Model(format::TensorFormat weights) const { return {folder_ / "model", weights}; }
  static EngineOptions Options(uint32_t max_rows, uint32_t threads, KvFormat kv) {
    EngineOptions options;
    options.max_rows = max_rows;
    options.threads = threads;
    options.kv_format = kv;
    return options;
  }

  const TempFolder folder_;
  std::vector<int32_t> ids_ = std::vector<int32_t>(260);
};

TEST_P(Architectures, SameBitsForAnyCutAndThreads) {
  for (const auto weights : {format::TensorFormat::F32, format::TensorFormat::Q8}) {
    const KvFormat kv = weights == format::TensorFormat::F32 ? KvFormat::kFloat32 : KvFormat::kInt8;
    const TestModel model = Model(weights);
    const auto whole = AllLogits(*NewSession(*model.NewEngine(Options(260, 1, kv))), ids_);
    for (const float logit : whole) ASSERT_TRUE(std::isfinite(logit));
    for (const uint32_t rows : {1u, 7u, 64u, 260u}) {
      for (const uint32_t threads : {1u, 2u}) {
        const auto engine = model.NewEngine(Options(rows, threads, kv));
        const auto cut = AllLogits(*NewSession(*engine), ids_);
        ASSERT_EQ(std::memcmp(cut.data(), whole.data(), whole.size() * sizeof(float)), 0)
            << rows << " rows, " << threads << " threads";
      }
    }
  }
}

// Under STOP any number of tokens can be dropped, also more than rings of layers with a window
// keep.
TEST_P(Architectures, UndoAndRedo) {
  const TestModel model = Model(format::TensorFormat::Q8);
  const auto engine = model.NewEngine(Options(16, 1, KvFormat::kInt8));
  Session* session = NewSession(*engine);
  const auto expected = AllLogits(*session, ids_);
  const size_t vocab = engine->limits().vocab_size;
  for (const uint64_t n : {1u, 16u, 130u, 200u}) {
    ASSERT_TRUE(session->Undo(n).ok());
    const auto logits = session->Logits();
    ASSERT_TRUE(logits.ok());
    ASSERT_EQ(std::memcmp(logits->data(), expected.data() + (ids_.size() - n - 1) * vocab,
                          vocab * sizeof(float)),
              0)
        << n;
    const std::vector<int32_t> tail(ids_.end() - static_cast<long>(n), ids_.end());
    const auto again = AllLogits(*session, tail);
    ASSERT_EQ(std::memcmp(again.data(), expected.data() + (ids_.size() - n) * vocab,
                          again.size() * sizeof(float)),
              0)
        << n;
  }
}

// Of a prompt only the last row is wanted: the others end where nothing of them is kept any more.
TEST_P(Architectures, RowsThatNobodyWantsChangeNoOther) {
  const TestModel model = Model(format::TensorFormat::Q8);
  const auto expected =
      AllLogits(*NewSession(*model.NewEngine(Options(260, 1, KvFormat::kInt8))), ids_);
  for (const uint32_t rows : {260u, 50u}) {
    EngineOptions options = Options(rows, 2, KvFormat::kInt8);
    options.max_sessions = 3;
    const auto engine = model.NewEngine(options);
    std::vector<Sequence*> waiting;
    for (const size_t length : {97u, 260u, 3u}) {
      waiting.push_back(&NewSession(*engine)->sequence());
      waiting.back()->Append(std::span(ids_).first(length), length - 1);
    }
    const std::vector<Sequence*> all = waiting;
    while (!waiting.empty()) {
      ASSERT_TRUE(engine->Step(waiting).ok());
      std::erase_if(waiting, [](const Sequence* s) { return s->pending() == 0; });
    }
    for (const Sequence* sequence : all) {
      const size_t at = (sequence->position() - 1) * expected.size() / ids_.size();
      ASSERT_EQ(std::memcmp(sequence->logits().data(), expected.data() + at,
                            sequence->logits().size_bytes()),
                0)
          << sequence->position() << " of " << rows;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Architectures, testing::ValuesIn(kCases),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace rondo::architectures_model_test
