// Which rows of a checkpoint become which of the operators' matrices, and what its config says of
// them beside. transformers' own layout is told in numbers here.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/tools/convert/architectures/read_config.h"

namespace rondo::convert::operators_test {
namespace {

using Rows = std::vector<uint64_t>;

const TensorRecipe& Recipe(const DecoderSpec& spec, const std::string& name) {
  for (const TensorRecipe& recipe : spec.tensors) {
    if (recipe.name == name) return recipe;
  }
  throw std::runtime_error("no tensor " + name);
}

// The rows of the checkpoint's tensor, in the order in which they are written.
Rows RowsOf(const TensorRecipe& recipe) {
  Rows rows;
  for (const TensorRecipe::Part& part : recipe.parts) {
    for (uint64_t i = 0; i < part.rows; ++i) rows.push_back(part.first_row + i * part.row_step);
  }
  return rows;
}

Rows Range(uint64_t first, uint64_t n) {
  Rows rows;
  for (uint64_t i = 0; i < n; ++i) rows.push_back(first + i);
  return rows;
}

Rows operator+(Rows a, const Rows& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

std::vector<float> ScalesOf(const TensorRecipe& recipe) {
  std::vector<float> scales;
  for (const TensorRecipe::Part& part : recipe.parts) scales.push_back(part.scale);
  return scales;
}

const format::AttentionT& Attention(const DecoderSpec& spec, size_t layer) {
  return *spec.layers[layer].sublayers[0]->op.AsAttention();
}
const format::ExpertsT& Experts(const DecoderSpec& spec, size_t layer) {
  return *spec.layers[layer].sublayers[1]->op.AsExperts();
}

// Of each of the two key heads: q, k, then the v of its two value heads, then their z.
TEST(DeltaNets, RowsOfQwen3Next) {
  const DecoderSpec spec = Read("Qwen3NextForCausalLM", R"({"linear_num_key_heads": 2,
      "linear_num_value_heads": 4, "linear_key_head_dim": 8, "linear_value_head_dim": 16})");
  const uint64_t block = 8 + 8 + 32 + 32;
  EXPECT_EQ(RowsOf(Recipe(spec, "layers.0.delta.input")),
            Range(0, 8) + Range(block, 8) + Range(8, 8) + Range(block + 8, 8) + Range(16, 32) +
                Range(block + 16, 32) + Range(48, 32) + Range(block + 48, 32));
  // b of two value heads, then their a, for each key head.
  EXPECT_EQ(RowsOf(Recipe(spec, "layers.0.delta.gates")), Rows({0, 1, 4, 5, 2, 3, 6, 7}));
}

TEST(DeltaNets, StandInThreeOfFourLayers) {
  const DecoderSpec spec = Read("Qwen3_5ForCausalLM", "{}");
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(spec.layers[i].sublayers[0]->op.type,
              i < 3 ? format::Operator::GatedDeltaNet : format::Operator::Attention);
  }
  EXPECT_EQ(Recipe(spec, "layers.0.attention.norm").offset,
            1);  // the checkpoint has weights less 1
  EXPECT_EQ(Recipe(spec, "layers.0.delta.norm").offset, 0);
  EXPECT_TRUE(Recipe(spec, "layers.0.delta.decay").exponential);
  EXPECT_FALSE(Recipe(spec, "layers.0.delta.dt_bias").exponential);
}

// Of each head its q, then its gate.
TEST(DeltaNets, AttentionBesideThemHasGatesBehindQueries) {
  const DecoderSpec spec = Read("Qwen3_5ForCausalLM", R"({"partial_rotary_factor": 0.5})");
  EXPECT_EQ(Attention(spec, 3).gate, format::GateKind::kSigmoid);
  const Rows rows = RowsOf(Recipe(spec, "layers.3.attention.qkv"));
  EXPECT_EQ(Rows(rows.begin(), rows.begin() + 32),
            Range(0, 8) + Range(16, 8) + Range(32, 8) + Range(48, 8));
  EXPECT_EQ(Rows(rows.begin() + 64, rows.end()),
            Range(8, 8) + Range(24, 8) + Range(40, 8) + Range(56, 8));
}

TEST(Mamba, PartsOfFalconH1HaveTheirMultipliers) {
  const DecoderSpec spec = Read("FalconH1ForCausalLM", R"({"mamba_d_ssm": 32, "mamba_n_heads": 4,
      "mamba_n_groups": 2, "mamba_d_state": 8, "mamba_rms_norm": true, "key_multiplier": 3.0,
      "ssm_multipliers": [2.0, 3.0, 5.0, 7.0, 11.0], "ssm_in_multiplier": 10.0})");
  EXPECT_EQ(ScalesOf(Recipe(spec, "layers.0.mamba.input")), std::vector<float>({20, 30, 50, 70}));
  EXPECT_EQ(ScalesOf(Recipe(spec, "layers.0.mamba.dt")), std::vector<float>({110}));
  EXPECT_EQ(RowsOf(Recipe(spec, "layers.0.mamba.dt")), Range(96, 4));
  EXPECT_EQ(ScalesOf(Recipe(spec, "layers.0.attention.qkv")), std::vector<float>({1, 3, 1}));
  EXPECT_TRUE(Recipe(spec, "layers.0.mamba.decay").exponential);
  for (const auto& sublayer : spec.layers[0].sublayers) {
    if (const format::Mamba2T* mamba = sublayer->op.AsMamba2()) {
      EXPECT_EQ(mamba->norm->group, 16u);  // of a group's heads
      EXPECT_TRUE(mamba->gate_after_norm);
    }
  }
}

TEST(Mamba, NormsOfNemotronHAreByGroup) {
  const DecoderSpec spec = Read("NemotronHForCausalLM", R"({"hybrid_override_pattern": "M*-",
      "mamba_num_heads": 4, "mamba_head_dim": 8, "n_groups": 2, "ssm_state_size": 8})");
  const format::Mamba2T& mamba = *spec.layers[0].sublayers[0]->op.AsMamba2();
  EXPECT_EQ(mamba.norm->group, 16u);
  EXPECT_FLOAT_EQ(mamba.dt_min, 0.001f);
}

TEST(Mamba, MultipliersOfFalconH1sMlpStandInItsWeights) {
  const DecoderSpec spec = Read("FalconH1ForCausalLM", R"({"mamba_d_ssm": 32, "mamba_n_heads": 4,
      "mamba_n_groups": 2, "mamba_d_state": 8, "mlp_multipliers": [3.0, 5.0]})");
  EXPECT_EQ(ScalesOf(Recipe(spec, "layers.0.mlp.gate_up")), std::vector<float>({3, 1}));
}

TEST(Mamba, StepsAreHeldToTheLimitsOfTheConfig) {
  const std::string sizes = R"("num_heads": 8, "head_dim": 8, "state_size": 8, "n_groups": 2)";
  const auto mamba = [&](const std::string& limit) {
    const DecoderSpec spec = Read("Mamba2ForCausalLM", "{" + sizes + limit + "}");
    const format::Mamba2T& read = *spec.layers[0].sublayers[0]->op.AsMamba2();
    return std::pair(read.dt_min, read.dt_max);
  };
  EXPECT_EQ(mamba(""), std::pair(0.0f, 0.0f));
  EXPECT_EQ(mamba(R"(, "time_step_limit": [0.25, 0.5])"), std::pair(0.25f, 0.5f));
  EXPECT_EQ(mamba(R"(, "time_step_limit": [0.25, null])"), std::pair(0.25f, 0.0f));
}

// Of 12 heads: eight by 2^-1 to 2^-8, and four between the first of these.
TEST(Alibi, SlopesOfHeadsThatAreNoPowerOfTwo) {
  const DecoderSpec spec = Read("BloomForCausalLM", R"({"n_head": 12, "hidden_size": 96,
      "n_layer": 1, "num_key_value_heads": null})");
  EXPECT_EQ(Attention(spec, 0).alibi_slopes,
            std::vector<float>({1 / 2.f, 1 / 4.f, 1 / 8.f, 1 / 16.f, 1 / 32.f, 1 / 64.f, 1 / 128.f,
                                1 / 256.f, std::exp2(-0.5f), std::exp2(-1.5f), std::exp2(-2.5f),
                                std::exp2(-3.5f)}));
}

TEST(Alibi, ScoresOfMptAreScaledAsItsConfigSays) {
  const std::string sizes = R"("d_model": 32, "n_layers": 1, "n_heads": 4, "max_seq_len": 128,
      "num_key_value_heads": null)";
  EXPECT_EQ(Attention(Read("MptForCausalLM", "{" + sizes + "}"), 0).score_scale,
            1 / std::sqrt(8.0f));
  EXPECT_EQ(Attention(Read("MptForCausalLM", "{" + sizes + R"(, "attn_config":
      {"softmax_scale": 0.25}})"),
                      0)
                .score_scale,
            0.25f);
}

// The first max_window_layers see everything.
TEST(Windows, OfQwen2StandInItsUpperLayers) {
  const DecoderSpec spec = Read("Qwen2ForCausalLM", R"({"use_sliding_window": true,
      "sliding_window": 16, "max_window_layers": 2})");
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(Attention(spec, i).window, i < 2 ? 0u : 16u) << i;
  }
}

// What a text part without a type of its own is.
TEST(TextParts, OfLlama4IsItsOwnKind) {
  const DecoderSpec spec = Read("Llama4ForConditionalGeneration", R"({"text_config":
      {"vocab_size": 64, "hidden_size": 32, "intermediate_size": 48, "intermediate_size_mlp": 48,
       "num_hidden_layers": 4, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 8,
       "max_position_embeddings": 128, "num_local_experts": 2}})");
  for (size_t i = 0; i < 4; ++i) EXPECT_EQ(Attention(spec, i).rope < 0, i == 3) << i;
}

constexpr const char* kLatent = R"({"num_key_value_heads": 4, "q_lora_rank": 16,
    "kv_lora_rank": 24, "qk_nope_head_dim": 16, "qk_rope_head_dim": 8, "v_head_dim": 8,
    "n_routed_experts": 8, "num_experts_per_tok": 2, "n_group": 4, "topk_group": 2,
    "topk_method": "group_limited_greedy", "first_k_dense_replace": 0})";

// kv_b_proj: of each head 16 rows that make its keys, then 8 that make its values.
TEST(Latent, RowsOfEachHead) {
  const DecoderSpec spec = Read("DeepseekV3ForCausalLM", kLatent);
  const TensorRecipe& key_up = Recipe(spec, "layers.0.attention.key_up.2");
  EXPECT_TRUE(key_up.transposed);
  EXPECT_EQ(key_up.parts[0].first_col, 48u);
  EXPECT_EQ(key_up.cols, 16u);
  EXPECT_EQ(RowsOf(Recipe(spec, "layers.0.attention.value_up.2")), Range(64, 8));
  // What turns are neighbours there, and half of it apart here.
  const Rows kv = RowsOf(Recipe(spec, "layers.0.attention.kv_down"));
  EXPECT_EQ(kv, Range(0, 24) + Rows({24, 26, 28, 30, 25, 27, 29, 31}));
  const Rows q = RowsOf(Recipe(spec, "layers.0.attention.q"));
  EXPECT_EQ(Rows(q.begin(), q.begin() + 32), Range(0, 16) + Range(24, 16));
  EXPECT_EQ(Rows(q.begin() + 64, q.begin() + 72), Rows({16, 18, 20, 22, 17, 19, 21, 23}));
}

TEST(Latent, StretchedContextsScaleScoresTwice) {
  for (const double mscale : {1.0, 0.707}) {
    const std::string config = R"({"num_key_value_heads": 4, "n_group": 1, "topk_group": 1,
        "rope_scaling": {"rope_type": "yarn", "factor": 40.0, "mscale": 1.0,
        "original_max_position_embeddings": 64, "mscale_all_dim": )" +
                               std::to_string(mscale) + "}}";
    const DecoderSpec spec = Read("DeepseekV3ForCausalLM", config);
    const double stretch = 0.1 * mscale * std::log(40.0) + 1;
    EXPECT_FLOAT_EQ(spec.layers[0].sublayers[0]->op.AsLatentAttention()->score_scale,
                    static_cast<float>(stretch * stretch / std::sqrt(128.0 + 64.0)));
  }
}

TEST(Mixtures, RoutingOfDeepSeek) {
  const DecoderSpec v3 = Read("DeepseekV3ForCausalLM", kLatent);
  EXPECT_EQ(Experts(v3, 0).scoring, format::Scoring::kSigmoid);
  EXPECT_EQ(Experts(v3, 0).group_best, 2u);
  EXPECT_GE(Experts(v3, 0).choice_bias, 0);
  EXPECT_EQ(Experts(v3, 0).weight_scale, 2.5f);
  const DecoderSpec v2 = Read("DeepseekV2ForCausalLM", kLatent);
  EXPECT_EQ(Experts(v2, 0).scoring, format::Scoring::kSoftmax);
  EXPECT_EQ(Experts(v2, 0).group_best, 1u);
  EXPECT_EQ(Experts(v2, 0).choice_bias, -1);
  EXPECT_EQ(Experts(v2, 0).weight_scale, 1);
}

TEST(Mixtures, GptOss) {
  const DecoderSpec spec =
      Read("GptOssForCausalLM", R"({"num_local_experts": 4, "sliding_window": 9})");
  for (size_t i = 0; i < 4; ++i) EXPECT_EQ(Attention(spec, i).window, i % 2 == 0 ? 9u : 0u);
  EXPECT_EQ(Experts(spec, 0).up_offset, 1);
  EXPECT_EQ(Experts(spec, 0).limit, 7);
  // Gate and up are every other column of one tensor.
  const TensorRecipe& gate_up = Recipe(spec, "layers.0.mlp.experts.2.gate_up");
  ASSERT_EQ(gate_up.parts.size(), 2u);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(gate_up.parts[i].first_row, i);
    EXPECT_EQ(gate_up.parts[i].row_step, 2u);
    EXPECT_EQ(gate_up.parts[i].matrix, 2u);
  }
}

TEST(Mixtures, Llama4) {
  const DecoderSpec spec = Read("Llama4ForCausalLM", R"({"num_local_experts": 4,
      "intermediate_size_mlp": 40, "attention_chunk_size": 20, "floor_scale": 30})");
  EXPECT_TRUE(Experts(spec, 0).weigh_input);
  EXPECT_EQ(Experts(spec, 0).scoring, format::Scoring::kSigmoid);
  EXPECT_EQ(Attention(spec, 0).chunk, 20u);
  EXPECT_EQ(Attention(spec, 0).query_scale, nullptr);
  // Every fourth layer sees everything, without RoPE, and scales its queries from position 1 on.
  EXPECT_EQ(Attention(spec, 3).chunk, 0u);
  EXPECT_EQ(Attention(spec, 3).rope, -1);
  ASSERT_NE(Attention(spec, 3).query_scale, nullptr);
  EXPECT_EQ(Attention(spec, 3).query_scale->offset, 1u);
  EXPECT_EQ(Attention(spec, 3).query_scale->period, 30u);
}

TEST(LayerEmbeddings, AndSharedKeysOfGemma4) {
  const DecoderSpec spec = Read("Gemma4ForCausalLM", R"({"num_hidden_layers": 6,
      "global_head_dim": 16, "sliding_window": 9, "layer_types": ["sliding_attention",
      "full_attention", "sliding_attention", "full_attention", "sliding_attention",
      "full_attention"], "num_kv_shared_layers": 2, "use_double_wide_mlp": true,
      "hidden_size_per_layer_input": 16, "vocab_size_per_layer_input": 64})");
  // The last of their kind that have keys of their own.
  EXPECT_EQ(Attention(spec, 4).kv_layer, 2);
  EXPECT_EQ(Attention(spec, 5).kv_layer, 3);
  EXPECT_EQ(Attention(spec, 3).kv_layer, -1);
  EXPECT_EQ(spec.layers[3].sublayers[1]->op.AsMlp()->intermediate_size, 48u);
  EXPECT_EQ(spec.layers[4].sublayers[1]->op.AsMlp()->intermediate_size, 96u);
  EXPECT_NE(Attention(spec, 0).rope, Attention(spec, 1).rope);
  const auto& full = spec.ropes[static_cast<size_t>(Attention(spec, 1).rope)];
  EXPECT_EQ(full.frequencies.size(), 8u);  // of global_head_dim
  ASSERT_TRUE(spec.layer_embeddings.has_value());
  EXPECT_FLOAT_EQ(spec.layer_embeddings->scale, std::sqrt(0.5f));
  EXPECT_EQ(spec.layer_embeddings->table_scale, 4);
}

}  // namespace
}  // namespace rondo::convert::operators_test
